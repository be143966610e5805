/* Making a shell, from any triangles to columns with neighbours. */
#include "shell/shell.h"

#include "base/assert.h"
#include "shape/constants.h"
#include "shape/shape_def.h"
#include "shell/shell_internal.h"

#include <math.h>

rill_result rill_shell_check(const rill_shell_input *input, rill_message *message) {
    const rill_shape_rules rules = { .whose = "shell",
                                     .name = input->name && input->name[0] ? input->name : "(nameless)",
                                     .types = 1u << RILL_SHAPE_MESH,
                                     .farthest = RILL_BODY_FARTHEST,
                                     .least_vertices = 3,
                                     .least_triangles = 1,
                                     .most = RILL_BODY_ELEMENTS };
    const rill_shape_def shape = { .type = RILL_SHAPE_MESH,
                                   .vertices = input->vertices,
                                   .vertex_count = input->vertex_count,
                                   .indices = input->indices,
                                   .triangle_count = input->triangle_count };
    rill_result result = rill_shape_check_number(&rules, "scale", input->scale, 1e-9, 1e9, message);
    if (!result && input->spacing != 0.0)
        result = rill_shape_check_number(&rules, "spacing", input->spacing, 1e-6, 1e3, message);
    return result ? result : rill_shape_check(&shape, &rules, message);
}

rill_result rill_shell_make(const rill_shell_input *input, const rill_allocator *allocator, rill_shell **out,
                            rill_message *message) {
    *out = NULL;
    rill_result result = rill_shell_check(input, message);
    if (result) return result;
    rill_shell_draft mesh = { .vertices = rill_array_make(sizeof(rill_shell_vertex)),
                              .triangles = rill_array_make(sizeof(rill_shell_triangle)) };
    rill_shell *shell = rill_alloc_zeroed(allocator, 1, sizeof *shell);
    result = shell ? rill_shell_mend(input, allocator, &mesh, &shell->report, message) : RILL_OUT_OF_MEMORY;
    if (!result && !rill_shell_take(shell, &mesh, allocator)) result = RILL_OUT_OF_MEMORY;
    rill_array_free(&mesh.vertices, allocator);
    rill_array_free(&mesh.triangles, allocator);
    if (result) {
        rill_shell_free(shell, allocator);
        return result == RILL_OUT_OF_MEMORY ? rill_fail(message, result, "shell: no memory") : result;
    }
    rill_shell_measure(shell);
    *out = shell;
    return RILL_OK;
}

void rill_shell_free(rill_shell *shell, const rill_allocator *allocator) {
    if (!shell) return;
    rill_shell_free_arrays(shell, allocator);
    rill_free(allocator, shell, 1, sizeof *shell);
}
