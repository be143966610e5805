/* Definitions of shapes, as solids and bodies have them: what is refused of either. */
#ifndef RILL_SHAPE_SHAPE_DEF_H
#define RILL_SHAPE_SHAPE_DEF_H

#include "base/message.h"
#include "rill/rill.h"

struct rill_placing; /* shape/solid.h */

/* Whose shape it is, and within which limits. */
typedef struct rill_shape_rules {
    const char *whose, *name; /* "solid" or "body", and which one */
    uint32_t types;           /* bit 1 << type: may be it */
    double farthest;          /* of coordinates, m */
    double least_edge;        /* of a box, m */
    size_t least_vertices, least_triangles, most;
    bool upright;                       /* axes of cylinders and capsules go up */
    const struct rill_placing *placing; /* where vertices come to be, which is to be within reach too; may be NULL */
} rill_shape_rules;

/* Checks a shape. A refusal names whose it is, the member, what was found and what was expected. */
rill_result rill_shape_check(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message);
/* Checks where the vertices of a mesh or hull come to be alone. */
rill_result rill_shape_check_vertices(const rill_shape_def *shape, const rill_shape_rules *rules,
                                      rill_message *message);

/* Check one member of any definition: a number between two others, and a vector. Written so that NaN fails. */
rill_result rill_shape_check_number(const rill_shape_rules *rules, const char *member, double value, double low,
                                    double high, rill_message *message);
rill_result rill_shape_check_vector(const rill_shape_rules *rules, const char *member, const double value[3],
                                    double most, rill_message *message);

#endif
