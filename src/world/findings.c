/* Tells the user's log what was mended, fitted or ignored on the way from solids to columns. Silence means that everything
 * stands in the bed as it was given. */
#include <stddef.h>

#include "base/assert.h"
#include "world/world.h"

typedef struct finding {
    size_t count; /* where the number is, in a rill_bed_info */
    rill_log_level level;
    const char *text; /* after the number */
} finding;

static const finding FINDINGS[] = {
    { offsetof(rill_bed_info, slivers_merged), RILL_LOG_NOTE, "voids lower than min_opening were filled" },
    { offsetof(rill_bed_info, faces_closed), RILL_LOG_NOTE, "openings lower than min_opening were closed" },
    { offsetof(rill_bed_info, walls_thickened), RILL_LOG_NOTE,
      "cells were closed, so that walls thinner than a cell hold" },
    { offsetof(rill_bed_info, sheet_cells), RILL_LOG_NOTE,
      "cells have a floor without thickness, of an open mesh part" },
    { offsetof(rill_bed_info, outside_solids), RILL_LOG_WARNING,
      "solids touch no cell of the grid: move them, or the grid's origin" },
    { offsetof(rill_bed_info, out_of_range), RILL_LOG_WARNING,
      "floors or solids are below or above the range and were clipped: raise headroom, or build with them at their "
      "lowest" },
};

static int64_t number(const rill_bed_info *info, const finding *kind) {
    return *(const int64_t *)((const char *)info + kind->count);
}

void rill_world_log_bed(const rill_world *world, const rill_bed_info *before) {
    RILL_ASSERT(world->built);
    const rill_bed_info *now = &world->bed.info;
    for (size_t i = 0; i < sizeof FINDINGS / sizeof *FINDINGS; ++i)
        if (number(now, &FINDINGS[i]) > 0 && number(before, &FINDINGS[i]) == 0)
            rill_world_log(world, FINDINGS[i].level, "bed: %lld %s", (long long)number(now, &FINDINGS[i]),
                           FINDINGS[i].text);
}

static void log_part(const rill_world *world, const rill_solid *solid, int64_t count, const char *text) {
    const char *name = solid->def.name ? solid->def.name : "";
    if (count > 0) rill_world_log(world, RILL_LOG_NOTE, "solid \"%.64s\": %lld %s", name, (long long)count, text);
}

void rill_world_log_solid(const rill_world *world, const rill_solid *solid) {
    int64_t kinds[RILL_PART_SHEET + 1] = { 0 };
    for (size_t i = 1; i < solid->part_count; ++i) kinds[solid->part_kinds[i]] += 1;
    log_part(world, solid, solid->degenerate_triangles, "triangles without area were left out");
    log_part(world, solid, solid->doubled_triangles, "triangles that were there already were left out");
    log_part(world, solid, kinds[RILL_PART_PARITY],
             "closed parts have triangles that face both ways: inside is what an odd number of them encloses");
    log_part(world, solid, kinds[RILL_PART_PUNCTURED], "parts have small holes and were taken as closed");
    log_part(world, solid, kinds[RILL_PART_SHEET], "parts are open and became floors without thickness");
}
