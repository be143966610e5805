/* Shells of a world: each a surface with columns (shell/shell.h), liquid on it (films/films.h), and a place in the world. */
#ifndef RILL_WORLD_WORLD_SHELLS_H
#define RILL_WORLD_WORLD_SHELLS_H

#include "films/films.h"
#include "shape/ray_tree.h"
#include "shape/solid.h"
#include "world/world.h"

typedef struct rill_shell_slot {
    uint16_t generation;
    bool alive;
    char *name;         /* owned, and so are the arrays of: */
    rill_shell_def def; /* as given; `name` points to the member above */
    rill_shell *shell;
    rill_films *films;
    rill_ray_tree tree; /* around its triangles */
    rill_placing placing;
    rill_contact_angle wetted_by; /* the liquid's angles, of which those of columns were made */
    int32_t substeps;             /* of the last step */
    void *user;                   /* what the program keeps beside it */
} rill_shell_slot;

static inline rill_shell_slot *rill_shell_slot_at(const rill_world *world, size_t index) {
    return (rill_shell_slot *)world->shells.data + index;
}

/* The slot of an id, or NULL with a message. */
rill_shell_slot *rill_world_shell(const rill_world *world, rill_shell_id id);
/* Makes surface and films of a definition that is checked, whose arrays are copied. */
rill_result rill_shell_slot_make(const rill_world *world, const rill_shell_def *def, rill_shell_slot *out);
void rill_shell_slot_free(rill_shell_slot *slot, const rill_allocator *allocator);
/* Checks members and arrays. */
rill_result rill_check_shell_def(const rill_world *world, const rill_shell_def *def);

/* m3 of a quantum: that of the bed; where there is no grid, by the first shell that there was. 0: nothing is counted yet. */
double rill_world_quantum(const rill_world *world);
/* Brings points and directions from the world into a shell's own frame, and directions back. */
void rill_shell_to_own(const rill_shell_slot *slot, const double point[3], double out[3]);
void rill_shell_turn_to_own(const rill_shell_slot *slot, const double direction[3], double out[3]);
void rill_shell_turn_to_world(const rill_shell_slot *slot, const double direction[3], double out[3]);
/* The column of a shell next to a point of its own frame. */
int32_t rill_shell_nearest(const rill_shell_slot *slot, const double own[3]);
/* The nearest triangle that a ray of the world meets, if it is nearer than `distance`, which it then sets; the column of it that is
 * next to the point; and the triangle's normal in the world, of length 1. */
bool rill_shell_cast(const rill_shell_slot *slot, const rill_ray_line *line, double *distance, int32_t *column,
                     double normal[3]);
/* Contact angles of all columns, anew if the liquid has others. */
void rill_shell_wet(const rill_world *world, rill_shell_slot *slot);

#endif
