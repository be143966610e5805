/* The surface: a mesh over the levels of the columns that have a free surface (mesh/surface_mesh.h says what it
 * consists of).
 *
 * Based on: Dagenais et al. 2018, sections 4 and 5. */
#ifndef RILL_SURFACE_SURFACE_H
#define RILL_SURFACE_SURFACE_H

#include "mesh/surface_mesh.h"

/* Makes an empty one; NULL: no memory. */
rill_surface *rill_surface_new(const rill_surface_def *def, const rill_runtime *runtime);
void rill_surface_free(rill_surface *surface); /* NULL is allowed */
/* Makes the mesh of what a view shows, stage by stage (surface_build.c). */
rill_result rill_surface_make(rill_surface *surface, const rill_surface_view *view);

#endif
