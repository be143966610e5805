/* Exit codes, and what to do about bits of a step's status. */
#include "console.h"

#include <stdio.h>

int rill_exit_code(rill_scene_result result) {
    switch (result) {
    case RILL_SCENE_OK: return RILL_EXIT_DONE;
    case RILL_SCENE_OUT_OF_MEMORY: return RILL_EXIT_MACHINE;
    default: return RILL_EXIT_INPUT;
    }
}

rill_physics *rill_console_physics(const rill_scene *scene, rill_world *world) {
    rill_physics *physics = rill_physics_create(scene, world);
    if (!physics) {
        fprintf(stderr, "rill: %s: out of memory\n", scene->path);
    } else if (scene->body_count && !rill_physics_has_contacts()) {
        fprintf(stderr,
                "rill: %s: note: bodies touch neither each other nor the bed, because this program was built "
                "without ODE; on Debian: apt-get install libode-dev, and build it again\n",
                scene->path);
    }
    return physics;
}

/* --------------------------------------------------------------------------------------------------------- warnings */

typedef struct remedy {
    rill_status bit;
    const char *text;
} remedy;

static const remedy remedies[] = {
    { RILL_STATUS_SUBSTEPS_CAPPED, "waves were slowed to stay stable: raise solver.max_substeps or shorten run.frame" },
    { RILL_STATUS_SOURCE_REFUSED, "a source found no room for its liquid: raise bed.headroom or lower its rate" },
    { RILL_STATUS_SINK_DRY, "a sink took less than its rate: there was nothing more to take" },
    { RILL_STATUS_RANGE, "liquid reached the top of the range: raise bed.headroom" },
    { RILL_STATUS_PASSAGES_CAPPED,
      "the pressure solve of flooded passages was stopped early: volumes and ceilings hold, flow there "
      "is less accurate" },
    { RILL_STATUS_SQUEEZED,
      "a moving solid left liquid no room, which was pushed through solids: leave it a way out or move less "
      "in a frame" },
    { RILL_STATUS_BODIES_CAPPED,
      "the solve for bodies was stopped early: no volume is lost, but bodies and liquid overlap for a while: shorten "
      "run.frame" },
    { RILL_STATUS_GRAVITY_LIFTED,
      "gravity points along or off the bed, which bodies and the method kandemir do not know: "
      "for them its part into the bed was raised to 1/8 of the rest: tilt gravity less" },
};

void rill_warnings_tell(rill_warnings *warnings, const rill_progress *progress, double time, rill_status status) {
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; ++i) {
        if (status & ~warnings->told & remedies[i].bit) {
            rill_progress_wipe(progress);
            fprintf(stderr, "rill %s: warning: t = %g s: %s\n", warnings->command, time, remedies[i].text);
        }
    }
    warnings->told |= status;
}
