/* DISPLACE: what happens to the liquid of columns that change under it.
 *
 * Volumes are whole quanta and none is lost. In a cell whose columns change, the liquid of an old column stays at its
 * height wherever there is still a void. What was where solid is now
 *   - is carried up, if liquid stands above that solid, or a floor rose under all of it (no higher above the old level
 *     than a cell is wide: a taller rise is a wall that came from the side);
 *   - else is pressed: it belongs to the void below, or to none.
 * A column that then holds more than fits, and liquid whose column is gone, is *displaced*. Where it goes:
 *   - under a ceiling it stays at its column, and where flooded columns are in front of a column that is gone it goes
 *     to those, if passages are solved for: pressure will push it on;
 *   - else, if it is known to which side a wall goes, to the column before it;
 *   - else to the nearest columns with room, over open pipes on which liquid stands above the sill. Each takes no more
 *     than a pressed column had too much. If that is not enough they are filled further, then columns count that those
 *     which are gone were joined with before, then sills are ignored.
 * It is not put there at once but expelled (swept_volume.h), over the time that the solid took to get there. Only what
 * is enclosed and full is squeezed through solids at once, to the nearest room above and around. */
#ifndef RILL_MOTION_DISPLACE_H
#define RILL_MOTION_DISPLACE_H

#include "base/array.h"
#include "bed/update.h"
#include "flow/flow.h"
#include "motion/wall_speed.h"

/* Too much liquid: of a column, or of an old one that is gone. */
typedef struct rill_excess {
    int64_t amount;       /* quanta, with what was expelled there before */
    double seconds;       /* in which it was pressed out; < 0: to be found */
    double before;        /* seconds that were left for what was expelled there before */
    rill_wall_speed wall; /* of the wall that has come, if that is known */
    int32_t node, x, y;
    int32_t search; /* number of the search that has dealt with it; 0: none yet */
} rill_excess;

/* A node is a place, or the plane's size plus the number of an old column. */
typedef struct rill_displace_spot {
    int32_t node, x, y;
} rill_displace_spot;

/* A place with room, and how much that is, quanta. */
typedef struct rill_taker {
    int32_t place, room;
} rill_taker;

/* A column that a wall has left. */
typedef struct rill_opened {
    const rill_cell_change *at;
    const rill_new_column *fresh;
} rill_opened;

typedef struct rill_displace {
    rill_array old_H;   /* int32_t: depths of the old columns */
    rill_array amounts; /* int64_t: of the new ones */
    rill_array excess;  /* rill_excess */
    rill_array queue;   /* rill_displace_spot: all nodes at most */
    rill_array takers;  /* rill_taker: those that were reached */
    rill_array opened;  /* rill_opened */
    int32_t *entry_of;  /* per node: number in `excess` + 1; zero but while it is displaced */
    uint8_t *seen;      /* per node */
    uint8_t *piped;     /* per node: it has sparse pipes */
    size_t node_capacity;
    uint8_t *gone; /* per cell: some excess is of a column of it that is gone */
    size_t cell_capacity;
    size_t fronts; /* count of new items of what is withdrawn (swept_volume.h), behind the others */
    bool squeezed; /* something went through solids */
} rill_displace;

/* When solids last had to do with a cell, s; < 0 for never. */
typedef struct rill_cell_times {
    double moved;   /* its columns changed */
    double pressed; /* liquid was pressed out of it */
    double opened;  /* a wall left it */
} rill_cell_times;

/* How columns are filled, and when that was. */
typedef struct rill_displace_how {
    int32_t slack;          /* quanta below a ceiling that are not filled */
    bool pushes;            /* flooded columns pass on what they get */
    rill_motion motion;     /* which solids are under way */
    rill_cell_times *times; /* per cell; they are brought up to date */
} rill_displace_how;

rill_displace rill_displace_make(void);
void rill_displace_free(rill_displace *displace, const rill_allocator *allocator);

/* Takes memory for the nodes of a bed that has its new columns. False without. */
bool rill_displace_reserve_nodes(rill_displace *displace, const rill_bed *bed, const rill_update *update,
                                 const rill_allocator *allocator);
/* Takes the other memory that may be needed. RILL_INVALID_STATE: nowhere in the bed is there room for the liquid. The bed has
 * its new columns, the flow the depths of the old ones. */
rill_result rill_displace_prepare(rill_displace *displace, rill_flow *flow, const rill_update *update,
                                  const rill_displace_how *how, const rill_allocator *allocator, rill_message *message);
/* Gives the new columns their depths and displaces what does not fit, with what is expelled at columns that are gone or
 * full. */
void rill_displace_run(rill_displace *displace, rill_flow *flow, const rill_update *update,
                       const rill_displace_how *how);
/* Puts liquid into the nearest columns with room around a column, through solids. Returns what found none. */
int64_t rill_displace_squeeze(rill_flow *flow, int32_t place, int32_t slack, int64_t amount);

#endif
