/* Bits of the status, and what to do about them. */
#include "warnings.h"

#include <stdio.h>

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
    { RILL_STATUS_GRAVITY_LIFTED, "gravity points along or off the bed; its part into the bed was raised to 1/8 of the "
                                  "rest: tilt gravity less" },
};

void rill_warnings_tell(rill_warnings *warnings, const rill_progress *progress, double time, rill_status status) {
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
        if (status & ~warnings->told & remedies[i].bit) {
            rill_progress_wipe(progress);
            fprintf(stderr, "rill %s: warning: t = %g s: %s\n", warnings->command, time, remedies[i].text);
        }
    }
    warnings->told |= status;
}
