/* Meshes on their way to a shell.
 *
 *            2            across[k] is the side of the neighbour on the other side of side k, which runs from corner k to corner
 *           / \           k + 1: side 3 t + k of triangle t. NONE where there is none.
 *     side 2   side 1
 *         /     \
 *        0-------1
 *          side 0 */
#ifndef RILL_SHELL_SHELL_INTERNAL_H
#define RILL_SHELL_SHELL_INTERNAL_H

#include "base/array.h"
#include "base/message.h"
#include "shell/shell.h"

#define RILL_SHELL_NONE UINT32_MAX

typedef struct rill_shell_vertex {
    double at[3];
    double normal[3];
    double relief;
    rill_shell_origin origin;
    uint32_t part;
    uint8_t flags; /* RILL_SHELL_BORDER, RILL_SHELL_CREASE */
} rill_shell_vertex;

typedef struct rill_shell_triangle {
    uint32_t v[3];
    uint32_t across[3];
} rill_shell_triangle;

typedef struct rill_shell_draft {
    rill_array vertices;  /* rill_shell_vertex */
    rill_array triangles; /* rill_shell_triangle */
} rill_shell_draft;

static inline rill_shell_vertex *rill_shell_vertices(const rill_shell_draft *mesh) {
    return mesh->vertices.data;
}
static inline rill_shell_triangle *rill_shell_triangles(const rill_shell_draft *mesh) {
    return mesh->triangles.data;
}

/* Makes a mesh of which each edge has at most two triangles that run along it one each way (mend.c). */
rill_result rill_shell_mend(const rill_shell_input *input, const rill_allocator *allocator, rill_shell_draft *mesh,
                            rill_shell_report *report, rill_message *message);

/* Copies a mesh into an empty shell: columns and triangles in order, edges, neighbours (shell_lists.c). False without memory;
 * what the shell has by then is to be freed. */
bool rill_shell_take(rill_shell *shell, const rill_shell_draft *mesh, const rill_allocator *allocator);
void rill_shell_free_arrays(rill_shell *shell, const rill_allocator *allocator);

#endif
