/* Repair: liquid that stands above a ceiling after the flooded faces have moved is carried on. See passages.h.
 *
 * A solve that was stopped early, a source that pours into a flooded passage whose mouths have no room, an open column
 * at the top of the range: each may leave a column with more than it can hold. The surplus goes to the nearest columns
 * that have room, through columns that are full: water pushes water. The search follows every opening of the bed, so
 * that it finds room if there is any: flooded faces only move liquid between connected columns. Liquid that finds none
 * has come from sources in this sub-step, and goes back to them. */
#include "flow/column.h"
#include "passages/passages_internal.h"

/* A search for room. Its columns are listed in `path`, in its order, and marked in `seen`. */
typedef struct room_search {
    rill_flow *flow;
    int64_t surplus;      /* quanta on their way */
    int32_t first, count; /* of the path */
    bool brimful;         /* no column is left below full: up to the ceilings now */
} room_search;

/* Returns how deep a column may be. Outside of the domain there is always room: what a ghost has taken has left over
 * its edge. */
static int32_t height_of(const rill_bed *bed, int32_t place) {
    bool beyond = bed->b[place] < RILL_WALL && rill_passages_ghost(bed, place);
    return (beyond ? RILL_TOP : bed->c[place]) - bed->b[place];
}

/* Goes on to a column, unless the search has been there; takes along what stands above its ceiling, leaves what it can
 * hold. */
static void reach_column(room_search *search, int32_t place) {
    rill_flow *flow = search->flow;
    rill_passage_solver *passages = flow->passages;
    RILL_ASSERT(place >= 0 && place < passages->bed_places);
    if (passages->seen[place]) return;
    RILL_ASSERT(search->count < passages->visited_capacity); /* each column once */
    passages->seen[place] = 1;
    passages->visited[search->count++] = place;
    int32_t height = height_of(flow->bed, place);
    int32_t room = (search->brimful ? height : rill_ceiling_full(flow->bed, place)) - flow->H[place];
    bool above = flow->H[place] > height;
    if (!above && (room <= 0 || search->surplus == 0)) return;
    int32_t change = above || search->surplus > room ? room : (int32_t)search->surplus;
    rill_column_exchange(flow, place, change);
    search->surplus -= change;
    RILL_ASSERT(search->surplus >= 0);
    rill_flow_wake(flow, place);
}

static void reach_if_open(room_search *search, int32_t from, int32_t to) {
    const rill_bed *bed = search->flow->bed;
    if (rill_min_i(bed->c[from], bed->c[to]) > rill_max_i(bed->b[from], bed->b[to])) reach_column(search, to);
}

static void reach_around(room_search *search, int32_t place) {
    int32_t stride = rill_bed_sheet_of(search->flow->bed, place, NULL, NULL)->stride;
    reach_if_open(search, place, place - 1);
    reach_if_open(search, place, place + 1);
    reach_if_open(search, place, place - stride);
    reach_if_open(search, place, place + stride);
}

/* Goes on over the sparse pipes of all columns reached so far. Returns whether any column was new. */
static bool reach_over_pipes(room_search *search) {
    const rill_bed *bed = search->flow->bed;
    const uint8_t *seen = search->flow->passages->seen;
    int32_t before = search->count;
    for (int32_t i = 0; i < bed->pipe_count && search->surplus > 0; ++i)
        if (seen[bed->pipe_l[i]] != seen[bed->pipe_r[i]])
            reach_column(search, seen[bed->pipe_l[i]] ? bed->pipe_r[i] : bed->pipe_l[i]);
    return search->count > before;
}

/* Carries on what stands above the ceiling of a column, and `surplus` more. Returns what found no room. */
static int64_t search_room(rill_flow *flow, int32_t place, int64_t surplus, bool brimful) {
    rill_passage_solver *passages = flow->passages;
    room_search search = { .flow = flow, .surplus = surplus, .brimful = brimful };
    RILL_ASSERT(surplus >= 0);
    reach_column(&search, place);
    do {
        while (search.first < search.count && search.surplus > 0)
            reach_around(&search, passages->visited[search.first++]);
    } while (search.surplus > 0 && reach_over_pipes(&search));
    for (int32_t i = 0; i < search.count; ++i) passages->seen[passages->visited[i]] = 0;
    RILL_ASSERT(search.first <= search.count);
    return search.surplus;
}

int64_t rill_passages_find_room(rill_flow *flow, int32_t place, int64_t surplus) {
    int64_t rest = search_room(flow, place, surplus, false);
    return rest > 0 ? search_room(flow, place, rest, true) : 0;
}

bool rill_passages_repair_column(rill_flow *flow, int32_t place, int64_t *refused) {
    if (flow->H[place] <= flow->bed->c[place] - flow->bed->b[place]) return false; /* nearly all columns */
    const int32_t above = flow->H[place] - height_of(flow->bed, place);
    if (above <= 0) return false;
    int64_t rest = rill_passages_find_room(flow, place, 0);
    int64_t pushed = flow->pushed - *refused, back = rest < pushed ? rest : pushed;
    RILL_ASSERT(rest >= 0 && back >= 0);
    *refused += back;
    rill_column_give(flow, place, (int32_t)(rest - back));
    return above - back > RILL_FULL_LOW;
}

bool rill_passages_repair(rill_flow *flow, int64_t *refused) {
    const rill_passage_solver *passages = flow->passages;
    bool any = false;
    for (int32_t n = 1; n < passages->node_count; ++n)
        any |= rill_passages_repair_column(flow, passages->nodes.place[n], refused);
    return any;
}

void rill_passages_repair_unsolved(rill_flow *flow, int64_t *refused) {
    rill_passage_solver *passages = flow->passages;
    passages->memory_due = true;
    for (const rill_passage_tile *at = passages->tiles; at < passages->tiles + passages->tile_count; ++at) {
        const rill_sheet *sheet = &flow->bed->sheets[at->sheet];
        const int32_t first = at->ty * RILL_TILE_H, end = rill_min_i(first + RILL_TILE_H, rill_sheet_rows(sheet));
        for (int32_t row = first; row < end; ++row) {
            const int32_t place = rill_sheet_place(sheet, at->tx * RILL_TILE_W, row);
            for (int32_t i = 0; i < RILL_TILE_W; ++i) rill_passages_repair_column(flow, place + i, refused);
        }
    }
}
