/* Pictures of a world: its solids, lit by a sun and a sky, and its liquid, refracting, absorbing and mirroring.
 *
 *     rill_render *render = rill_render_create(1280, 720, &message);      a GL context must be current
 *     ...
 *     rill_world_step(world, dt);
 *     rill_render_watch(render, world, dt);                               remembers what has been wet
 *     rill_surface_build(surface);
 *     rill_render_scene(render, world, &surface, 1, &camera, &options, &message);
 *     rill_render_read(render, pixels);                                   or rill_render_show, into a window
 *
 * Works on OpenGL 3.3 core, OpenGL ES 3.0 and WebGL2, in a window or without one (headless.h). There is no global
 * state; one renderer belongs to one context. Passes, in order (render.c): shadow maps, solids, their light, liquid
 * from the back to the front, tone mapping, overlays; as often as there are samples, each shifted by a part of a
 * pixel, and their mean. */
#ifndef RILL_RENDER_RENDER_H
#define RILL_RENDER_RENDER_H

#include "scene/scene.h"

typedef struct rill_render rill_render;

/* The material of a solid, complete. */
typedef struct rill_render_material {
    rill_material kind;
    float colour[3]; /* linear */
    float roughness; /* 0: a mirror, 1: chalk */
} rill_render_material;

/* How a liquid looks. */
typedef struct rill_optics {
    float extinction[3]; /* 1/m: Beer-Lambert, for red, green and blue */
    float body[3];       /* colour of a pool so deep that its floor cannot be seen, under light of strength 1 */
    float index;         /* of refraction */
} rill_optics;

/* Finds a liquid's preset by its name, "water", ...; false, and `out` untouched, when there is none of that name. */
bool rill_optics_preset(const char *name, rill_optics *out);

typedef enum rill_overlay {
    RILL_OVERLAY_NONE = 0,
    RILL_OVERLAY_WIREFRAME, /* the triangles of the surface */
    RILL_OVERLAY_LAYERS,    /* a colour per void of a cell: blue lowest, then green, amber, red, violet, and again */
    RILL_OVERLAY_DEPTH,     /* of the liquid: dark blue to yellow */
    RILL_OVERLAY_VELOCITY,  /* arrows; the longest is the fastest */
    RILL_OVERLAY_NORMALS,   /* x, y, z as red, green, blue */
    RILL_OVERLAY_MENISCUS, /* distance to where the surface meets a solid: yellow there, dark blue a capillary length away,
                               grey beyond. The surfaces must have distances */
    RILL_OVERLAY_TILES,    /* orange where liquid is simulated, blue where it is at rest and costs nothing */
    RILL_OVERLAY_FORCES, /* arrows: the liquid's on each body; as long as the body is wide: it carries its weight */
    RILL_OVERLAY_COUNT
} rill_overlay;
/* Returns "none", "wireframe", ...; NULL when out of range. */
const char *rill_overlay_name(int overlay);

typedef struct rill_camera {
    double from[3], to[3]; /* m */
    double lens;           /* mm, on 36 mm wide film */
} rill_camera;

typedef struct rill_render_options {
    const rill_render_material *materials; /* one per solid, in order of creation; NULL: chosen by name and shape */
    size_t material_count;
    const rill_render_material *body_materials; /* the same for bodies */
    size_t body_material_count;
    rill_optics optics;
    rill_overlay overlay;
    int32_t samples; /* 1 to 4096 per pixel; from 16 on the sky casts shadows too */
    int32_t peels;   /* how many surfaces behind each other are drawn, 1 to 16; of more, the farthest and the nearest */
    float sun[3];    /* direction to the sun, any length */
    float studio[2]; /* level direction of length 1 to where the large lamp hangs (rill_studio_for); 0, 0: none */
    float backdrop[3];                             /* colour behind the scene, linear */
    float exposure;                                /* factor */
    bool ground;                                   /* a floor below everything, on which shadows fall */
    double step;                                   /* s: how long the last step was; a force is an impulse over this */
    bool (*sampled)(void *context, int32_t count); /* if not NULL: called when so many samples are drawn; false stops */
    void *context;                                 /* of `sampled` */
} rill_render_options;

/* Returns water, one sample, five peels, a sun from the left behind the camera of the shipped scenes. */
rill_render_options rill_default_render_options(void);

/* Makes a renderer for pictures of that size, for the context that is current. NULL: the message says why. */
rill_render *rill_render_create(int32_t width, int32_t height, rill_message *message);
/* Destroys it; NULL is allowed; the context must be current. */
void rill_render_destroy(rill_render *render);
/* Takes another size; on false the old one stays. */
bool rill_render_resize(rill_render *render, int32_t width, int32_t height, rill_message *message);

/* Remembers where liquid stands now, after a step of dt seconds: what falls dry stays dark and glossy for a while.
 * False: no memory. Without this call solids look dry. */
bool rill_render_watch(rill_render *render, const rill_world *world, double dt);
/* Forgets where it was wet: for another world, or the same from its start. */
void rill_render_forget(rill_render *render);

/* Draws a scene. Surfaces must be built; there may be none. False: the message says why. */
bool rill_render_scene(rill_render *render, const rill_world *world, rill_surface *const *surfaces,
                       size_t surface_count, const rill_camera *camera, const rill_render_options *options,
                       rill_message *message);

/* Take and draw are the two halves of it, for who simulates in another thread. Taking reads the world and its surfaces;
 * drawing does not, and may be done again with another camera. After a change of size or of options, take again. */
bool rill_render_take(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t surface_count,
                      const rill_render_options *options, rill_message *message);
bool rill_render_draw(rill_render *render, const rill_camera *camera, const rill_render_options *options,
                      rill_message *message);

/* Reads the picture back: width * height times red, green, blue, alpha, 8 bits each, row 0 on top. */
void rill_render_read(rill_render *render, uint8_t *pixels);
/* Copies it into the framebuffer that is bound for drawing, at its lower left corner, stretched to that size. */
void rill_render_show(rill_render *render, int32_t width, int32_t height);
/* Returns how many peels of liquid the last sample needed: how many surfaces lie behind each other at most. */
int32_t rill_render_peels(const rill_render *render);

/* ----------------------------------------------------------------------------------------------------------- scenes */

/* Makes the materials of a scene's solids and bodies: sets the options' members, which point into what is returned and
 * has to be freed by the caller. NULL: no memory. */
rill_render_material *rill_materials_of(const rill_scene *scene, rill_render_options *options);
/* Returns how a solid looks: what the scene says, else what its name and shape suggest. */
rill_render_material rill_material_for(const rill_scene_material *said, const char *name, rill_shape shape);
/* Returns the scene's camera, or one from which the whole grid is seen. */
rill_camera rill_camera_for(const rill_scene *scene, const rill_world *world);
/* Hangs the large lamp where level liquid mirrors it into a camera: that of the scene, so that it stays where it is when another is
 * taken. */
void rill_studio_for(const rill_camera *camera, rill_render_options *options);

#endif
