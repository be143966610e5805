/* A picture to draw triangles into, for drawn.c: what a graphics card, or a renderer of one's own, is there for. */
#ifndef RILL_EXAMPLES_CANVAS_H
#define RILL_EXAMPLES_CANVAS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { WIDTH = 320, HEIGHT = 200 };
typedef struct picture {
    float colour[3 * WIDTH * HEIGHT], away[WIDTH * HEIGHT]; /* linear light; distance from the eye */
} picture;

/* A corner of a triangle: its place on the screen, the light it sends, the share of what is behind that shows. */
typedef struct corner {
    double x, y, away, light[3], clear[3];
} corner;

/* Fills a triangle, where nothing nearer is there yet. */
static inline void put(picture *out, const corner c[3]) {
    const double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    const double left = fmin(fmin(c[0].x, c[1].x), c[2].x), right = fmax(fmax(c[0].x, c[1].x), c[2].x);
    const double top = fmin(fmin(c[0].y, c[1].y), c[2].y), low = fmax(fmax(c[0].y, c[1].y), c[2].y);
    for (int y = (int)fmax(top, 0); area != 0 && y < fmin(low, HEIGHT); ++y)
        for (int x = (int)fmax(left, 0); x < fmin(right, WIDTH); ++x) {
            double w[3], away = 0;
            for (int k = 0; k < 3; ++k) {
                const corner *a = &c[(k + 1) % 3], *b = &c[(k + 2) % 3];
                w[k] = ((b->x - a->x) * (y + 0.5 - a->y) - (b->y - a->y) * (x + 0.5 - a->x)) / area;
                away += w[k] * c[k].away;
            }
            if (w[0] < 0 || w[1] < 0 || w[2] < 0 || away >= (double)out->away[y * WIDTH + x]) continue;
            out->away[y * WIDTH + x] = (float)away;
            for (int i = 0; i < 3; ++i) {
                double light = 0, clear = 0;
                for (int k = 0; k < 3; ++k) light += w[k] * c[k].light[i], clear += w[k] * c[k].clear[i];
                float *colour = &out->colour[3 * (y * WIDTH + x) + i];
                *colour = (float)(light + clear * (double)*colour);
            }
        }
}

/* As a PPM file. */
static inline bool save(const picture *in, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i) fputc((int)(255 * pow(fmin((double)in->colour[i], 1), 1 / 2.2)), file);
    return fclose(file) == 0;
}

#endif
