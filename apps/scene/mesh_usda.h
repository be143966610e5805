/* One USD text file (.usda) with meshes sampled in time.
 *
 * In the file all samples of an attribute stand together, while a bake makes all attributes of a time together. So
 * samples go to a file of blocks first, which only ever grows and can be gone on with after a stop,
 *
 *     stream (4 bytes)  length (8 bytes)  "        12: [(0, 0, 0.1), ...],\n"
 *
 * and are joined, stream by stream, into the .usda when the bake ends. Streams: the attributes of the liquid, then two
 * for each solid or body that moves.
 *
 * Based on: Pixar, OpenUSD, "Usda file format" and UsdGeomMesh (subdivisionScheme none, rightHanded). */
#ifndef RILL_SCENE_MESH_USDA_H
#define RILL_SCENE_MESH_USDA_H

#include "mesh_export.h"

/* A solid or body of the stage. Of solids that move the part's positions are not written: samples say where they are.
 * Bodies are rigid: their positions are those in their own frame, and samples say where that is. */
typedef struct rill_usda_solid {
    rill_mesh_part part;
    bool moves;
    bool rigid; /* a body, which moves as well */
} rill_usda_solid;

typedef struct rill_usda_stage {
    const char *about;
    double frame;      /* s that one time code takes */
    double first, end; /* time codes of the first and last sample */
    const rill_usda_solid *solids;
    size_t solid_count;
} rill_usda_stage;

/* Codes per second: 1 / frame, or the whole number that a rounded frame such as 0.0166667 was meant to be. */
double rill_usda_rate(double frame);

/* Appends the samples of the liquid at a time code. */
void rill_usda_sample_liquid(rill_writer *blocks, double code, const rill_mesh_part *liquid);
/* Appends where a solid that moves is; `number` counts from 0 those that move, in the order of the stage's solids. */
void rill_usda_sample_solid(rill_writer *blocks, double code, size_t number, const rill_mesh_part *part, bool visible);

/* Appends the frame of a body: where its origin is, and its orientation as a unit quaternion x, y, z, w. */
void rill_usda_sample_body(rill_writer *blocks, double code, size_t number, const double position[3],
                           const double orientation[4]);

/* Writes the stage with the samples in the first `size` bytes of the file `blocks`; whole or not there.
 * RILL_INVALID_STATE when the disk fails, RILL_INVALID_DATA when there are no such blocks; the message does not name
 * the file. */
rill_result rill_usda_join(const char *path, const char *blocks, uint64_t size, const rill_usda_stage *stage,
                           rill_message *message);

#endif
