/* Loops of the kernels of passages over nodes and edges, by chunks. What is to be done with one of them is the macro or
 * argument WORK; see passage_kernels.c. */
#ifndef RILL_PASSAGES_PASSAGE_LOOPS_INTERNAL_H
#define RILL_PASSAGES_PASSAGE_LOOPS_INTERNAL_H

#include "base/assert.h"
#include "base/simd.h"
#include "passages/passage_kernels.h"

#define INLINE static inline __attribute__((always_inline))

/* Loops over nodes or edges [from, to) by chunks: IN_A_ROW works on a whole chunk for which CONTIGUOUS says that
 * numbers follow each other, ONE_BY_ONE on any other. */
#define EACH_CHUNK(CONTIGUOUS, IN_A_ROW, ONE_BY_ONE)                                                                   \
    RILL_ASSERT(from >= 0);                                                                                            \
    for (int32_t i = from, end; i < to; i = end) {                                                                     \
        end = rill_min_i((i / RILL_CHUNK + 1) * RILL_CHUNK, to);                                                       \
        RILL_ASSERT(end > i && end - i <= RILL_CHUNK);                                                                 \
        if (CONTIGUOUS[i / RILL_CHUNK] && end - i == RILL_CHUNK) {                                                     \
            RILL_ASSERT(i % RILL_CHUNK == 0);                                                                          \
            IN_A_ROW                                                                                                   \
        } else {                                                                                                       \
            ONE_BY_ONE                                                                                                 \
        }                                                                                                              \
    }
/* Calls WORK(i, l, r) for each edge. */
#define EACH_EDGE(edges, WORK)                                                                                         \
    EACH_CHUNK((edges).contiguous, const int32_t l = (edges).l[i]; const int32_t r = (edges).r[i];                     \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k) WORK(i + k, l + k, r + k);   \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k) WORK(k, (edges).l[k], (edges).r[k]);)
/* Calls WORK(n, west, east, south, north) for each node. */
#define EACH_NODE_WITH_FACES(nodes, WORK)                                                                              \
    EACH_CHUNK((nodes).contiguous, const int32_t west = (nodes).west[i]; const int32_t east = (nodes).east[i];         \
               const int32_t south = (nodes).south[i]; const int32_t north = (nodes).north[i];                         \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, west + k, east + k, south + k, north + k);                                              \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k)                                                     \
                     WORK(k, (nodes).west[k], (nodes).east[k], (nodes).south[k], (nodes).north[k]);)

/* Calls WORK(n, west, at_west, east, at_east, south, at_south, north, at_north) for each node, with the nodes beyond
 * its faces. */
#define EACH_NODE_WITH_NEIGHBOURS(nodes, faces, WORK)                                                                  \
    EACH_CHUNK((nodes).contiguous, const int32_t west = (nodes).west[i]; const int32_t east = (nodes).east[i];         \
               const int32_t south = (nodes).south[i]; const int32_t north = (nodes).north[i];                         \
               const int32_t at_west = (faces).l[west]; const int32_t at_east = (faces).r[east];                       \
               const int32_t at_south = (faces).l[south]; const int32_t at_north = (faces).r[north];                   \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, west + k, at_west + k, east + k, at_east + k, south + k, at_south + k, north + k,       \
                        at_north + k);                                                                                 \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k) WORK(                                               \
                     k, (nodes).west[k], (faces).l[(nodes).west[k]], (nodes).east[k], (faces).r[(nodes).east[k]],      \
                     (nodes).south[k], (faces).l[(nodes).south[k]], (nodes).north[k], (faces).r[(nodes).north[k]]);)

/* Calls WORK(n, place) for each node. */
#define EACH_PLACE(nodes, WORK)                                                                                        \
    EACH_CHUNK((nodes).in_row, const int32_t place = (nodes).place[i];                                                 \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k) WORK(i + k, place + k);      \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k) WORK(k, (nodes).place[k]);)
/* Calls WORK(i, l, r, velocity) for each face, with where its velocity is in its plane. */
#define EACH_VELOCITY(faces, planes, WORK)                                                                             \
    EACH_CHUNK((faces).in_row, float *const u = velocity_of(&(faces), planes, i);                                      \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, (faces).l[i] + k, (faces).r[i] + k, u + k);                                             \
               , for (int32_t k = i; k < end; ++k)                                                                     \
                     WORK(k, (faces).l[k], (faces).r[k], velocity_of(&(faces), planes, k));)

INLINE float *velocity_of(const rill_passage_edges *faces, const rill_passage_columns *planes, int32_t i) {
    return (faces->axis[i] ? planes->v : planes->u) + faces->at[i];
}

#endif
