/* The parts of a scene, one reader each; see docs/scene-format.md for what they accept. Each adds to `scene` and
 * complains to the reader's report. */
#ifndef RILL_SCENE_READ_SCENE_H
#define RILL_SCENE_READ_SCENE_H

#include "reader.h"

void rill_read_bed(rill_reader *reader, const rill_node *node, rill_scene *scene);    /* read_bed.c */
void rill_read_solids(rill_reader *reader, const rill_node *node, rill_scene *scene); /* read_solids.c */
/* Reads the triangles of a mesh file, owned by the scene; the file's name, or NULL: complained of. */
const char *rill_read_mesh_file(rill_reader *reader, const rill_node *node, rill_solid_def *def);
void rill_read_material(rill_reader *reader, const rill_node *node, rill_scene_material *material);
/* read_angles.c. Degrees from 0 to 180. */
extern const rill_range rill_range_contact_angle;
/* Reads one angle, or a pair; a NULL node leaves `out` as it is, as a bad one does. */
bool rill_read_contact_angle(rill_reader *reader, const rill_node *node, rill_contact_angle *out);
/* Reads the angles of a solid, and the map that paints it. */
void rill_read_solid_angles(rill_reader *reader, const rill_node *node, rill_solid_def *def);
void rill_read_moves(rill_reader *reader, const rill_node *node, rill_scene_solid *solid); /* read_moves.c */
void rill_read_body_moves(rill_reader *reader, const rill_node *node, rill_scene_body *body);
void rill_read_bodies(rill_reader *reader, const rill_node *node, rill_scene *scene); /* read_bodies.c */
void rill_read_liquid(rill_reader *reader, const rill_node *node, rill_scene *scene); /* read_liquid.c */
void rill_read_solver(rill_reader *reader, const rill_node *node, rill_scene *scene);
void rill_read_fills(rill_reader *reader, const rill_node *node, rill_scene *scene); /* read_sources.c */
void rill_read_sources(rill_reader *reader, const rill_node *sources, const rill_node *sinks, rill_scene *scene);
/* Reads the times between which something acts: `from` and `until`, above it. */
void rill_read_window(rill_reader *reader, const rill_node *node, double *from, double *until);
void rill_read_controls(rill_reader *reader, const rill_node *node, rill_scene *scene); /* read_controls.c */
void rill_read_probes(rill_reader *reader, const rill_node *node, rill_scene *scene);   /* read_probes.c */
void rill_read_run(rill_reader *reader, const rill_node *node, rill_scene *scene);
void rill_read_view(rill_reader *reader, const rill_node *node, rill_scene *scene);

/* Names that were given so far in one list: they must differ. */
typedef struct rill_names {
    const char **names; /* room for one per item */
    size_t count;
    const char *const *reserved; /* NULL-terminated; or NULL */
} rill_names;
bool rill_names_make(rill_reader *reader, rill_names *names, size_t room);
/* Reads a name that must be free; NULL for a NULL or bad node. */
const char *rill_names_read(rill_reader *reader, rill_names *names, const rill_node *node);
/* Returns "source 2", or the next number that is free. */
const char *rill_names_invent(rill_reader *reader, rill_names *names, const char *what, size_t number);

#endif
