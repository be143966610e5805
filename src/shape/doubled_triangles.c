/* Faces that are there more than once.
 *
 * Modellers that draw one side of a face alone write every face twice, once for each side: of a solid drawn like that
 * nothing is left, as each line enters and leaves it at the same height. Other files have parts twice by mistake.
 * Copies are triangles with the same three places as corners, in any order; of those one is kept.
 *
 * Copies may also be meant: two boxes of one mesh that stand on each other have the face between them twice, once for
 * each, and with one of them left both would be open. What tells is how the copies end. Seen as a surface, those that
 * hang together end where an odd number of them meet:
 *
 *      :===:      on nothing, or nowhere: a surface of its own that was doubled       one is kept of each
 *     _:===:_     on an odd number of single triangles: it is part of their surface   one is kept of each
 *    |_|===|_|    on an even number, which is closed without it: it is in between     all are kept
 *
 * If all copies that hang together come in even numbers half of them are kept, and what is left is looked at once more:
 * of two such boxes with every face doubled there are four between them. */
#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/union_find.h"
#include "shape/solid.h"

enum { PASSES = 4 }; /* every face sixteen times */
/* Tables are looked up all over: of so many triangles, slots and what is there are asked for before any is looked
 * at. */
enum { BLOCK = 32 };

/* The edge of a face with copies. */
typedef struct rim {
    uint32_t low, high; /* vertices, by position */
    uint32_t face;      /* one that has it */
    uint32_t faces;     /* with copies; 0: a free slot */
    uint32_t others;    /* triangles without */
} rim;

/* The copies that hang together, of which this is the first. */
typedef struct cluster {
    int32_t votes; /* ends that ask for one copy, minus those that ask for all */
    bool uneven;   /* some have an odd number of copies */
} cluster;

/* Of a triangle, from the lowest up: vertices, by position. */
typedef struct corners {
    uint32_t at[3];
    uint32_t turned; /* whether they are by that */
} corners;

typedef struct doubles {
    rill_solid *solid;
    const rill_allocator *allocator;
    corners *corners;  /* of each triangle */
    uint32_t *slots;   /* hash table of faces: triangle + 1 */
    uint32_t *first;   /* of each triangle: the first with its corners, */
    uint32_t *rank;    /* and how many of those come before it */
    uint32_t *copies;  /* of each first one: how many there are */
    uint32_t *parent;  /* union-find over first ones */
    cluster *clusters; /* of each first one */
    rim *rims;         /* hash table */
    size_t slot_count, rim_count;
    size_t faces; /* with copies */
} doubles;

static size_t table_size(size_t count) {
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    return size;
}

static corners corners_of(const rill_solid *solid, uint32_t triangle) {
    corners of = { .turned = 0 };
    uint32_t *c = of.at;
    for (int i = 0; i < 3; ++i) c[i] = solid->welds[solid->indices[3 * (size_t)triangle + (size_t)i]];
    for (int i = 0; i < 3; ++i) {
        const int k = i == 1; /* 0, 1, 0: three elements are sorted */
        if (c[k] <= c[k + 1]) continue;
        const uint32_t swap = c[k];
        c[k] = c[k + 1], c[k + 1] = swap;
        of.turned ^= 1;
    }
    RILL_ASSERT(c[0] <= c[1] && c[1] <= c[2]);
    return of;
}

static bool is_alive(const doubles *work, uint32_t triangle) {
    return work->solid->parts[triangle] != RILL_NO_PART;
}

/* Puts a triangle with those that have the same corners, which may be found from a slot on. */
static void find_first(doubles *work, uint32_t t, size_t slot) {
    const uint32_t *c = work->corners[t].at;
    for (; work->slots[slot]; slot = (slot + 1) & (work->slot_count - 1)) {
        const uint32_t *k = work->corners[work->slots[slot] - 1].at;
        if (c[0] == k[0] && c[1] == k[1] && c[2] == k[2]) break;
    }
    if (!work->slots[slot]) work->slots[slot] = t + 1, work->copies[t] = 0;
    const uint32_t first = work->slots[slot] - 1;
    RILL_ASSERT(first <= t && is_alive(work, first));
    work->first[t] = first;
    work->rank[t] = work->copies[first]++;
    work->faces += work->copies[first] == 2;
    work->parent[t] = t;
    work->clusters[t] = (cluster){ 0 };
}

static void find_copies(doubles *work) {
    const size_t count = work->solid->triangle_count;
    work->faces = 0;
    RILL_ASSERT(work->slot_count > count && (work->slot_count & (work->slot_count - 1)) == 0);
    for (size_t i = 0; i < work->slot_count; ++i) work->slots[i] = 0;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t here = count - begin < BLOCK ? count - begin : BLOCK;
        size_t slots[BLOCK];
        for (size_t i = 0; i < here; ++i) {
            const uint32_t *c = work->corners[begin + i].at;
            const uint64_t hash = rill_hash_u64(rill_hash_u64(RILL_HASH_START, (uint64_t)c[0] << 32 | c[1]), c[2]);
            slots[i] = (size_t)hash & (work->slot_count - 1);
            __builtin_prefetch(&work->slots[slots[i]]);
        }
        for (size_t i = 0; i < here; ++i) {
            const uint32_t found = work->slots[slots[i]];
            if (found) __builtin_prefetch(&work->corners[found - 1]), __builtin_prefetch(&work->copies[found - 1]);
        }
        for (size_t i = 0; i < here; ++i)
            if (is_alive(work, (uint32_t)(begin + i))) find_first(work, (uint32_t)(begin + i), slots[i]);
    }
}

/* Where an edge is to be looked for first. */
static size_t rim_slot(const doubles *work, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (size_t)rill_hash_u64(RILL_HASH_START, (uint64_t)high << 32 | low) & (work->rim_count - 1);
}

/* The slot of an edge, or that which it would have. */
static rim *find_rim(const doubles *work, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t slot = rim_slot(work, a, b);
    while (work->rims[slot].faces && (work->rims[slot].low != low || work->rims[slot].high != high))
        slot = (slot + 1) & (work->rim_count - 1);
    rim *known = &work->rims[slot];
    known->low = low, known->high = high;
    return known;
}

static bool has_copies(const doubles *work, uint32_t triangle) {
    return work->copies[work->first[triangle]] > 1;
}

/* The first of some copies, or a single triangle: of those that are wanted. */
static bool is_wanted(const doubles *work, uint32_t t, bool single) {
    return is_alive(work, t) && work->first[t] == t && has_copies(work, t) != single;
}

/* Adds a triangle's edges to the rims: as one with copies, or to those that are there if it is a single one. */
static void add_rims(doubles *work, uint32_t t, bool single) {
    const uint32_t *c = work->corners[t].at;
    for (int k = 0; k < 3; ++k) {
        rim *known = find_rim(work, c[k], c[(k + 1) % 3]);
        if (single) {
            known->others += 1;
            continue;
        }
        if (known->faces++ == 0) known->face = t;
        rill_union_find_unite(work->parent, known->face, t);
    }
}

static void find_rims(doubles *work, bool single) {
    const size_t count = work->solid->triangle_count;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        uint32_t wanted[BLOCK];
        size_t some = 0;
        for (size_t t = begin; t < count && t < begin + BLOCK; ++t) {
            wanted[some] = (uint32_t)t;
            some += is_wanted(work, (uint32_t)t, single);
        }
        for (size_t i = 0; i < some; ++i) {
            const uint32_t *c = work->corners[wanted[i]].at;
            for (int k = 0; k < 3; ++k) __builtin_prefetch(&work->rims[rim_slot(work, c[k], c[(k + 1) % 3])]);
        }
        for (size_t i = 0; i < some; ++i) add_rims(work, wanted[i], single);
    }
}

/* Finds what hangs together, and where it ends. */
static bool find_clusters(doubles *work) {
    const uint32_t count = (uint32_t)work->solid->triangle_count;
    work->rim_count = table_size(3 * work->faces);
    work->rims = rill_alloc_zeroed(work->allocator, work->rim_count, sizeof *work->rims);
    if (!work->rims) return false;
    find_rims(work, false);
    find_rims(work, true);
    for (size_t i = 0; i < work->rim_count; ++i) {
        const rim *known = &work->rims[i];
        if (known->faces % 2 == 0) continue;
        work->clusters[rill_union_find_root(work->parent, known->face)].votes +=
            known->others > 0 && known->others % 2 == 0 ? -1 : 1;
    }
    for (uint32_t t = 0; t < count; ++t)
        if (is_alive(work, t) && has_copies(work, t) && work->first[t] == t && work->copies[t] % 2 == 1)
            work->clusters[rill_union_find_root(work->parent, t)].uneven = true;
    rill_free(work->allocator, work->rims, work->rim_count, sizeof *work->rims);
    return true;
}

/* Takes copies away; returns whether that leaves something to look at once more: some were taken, and not all. */
static bool drop(doubles *work, uint8_t *two_sided) {
    bool any = false, left = false;
    for (uint32_t t = 0; t < work->solid->triangle_count; ++t) {
        if (!is_alive(work, t) || work->first[t] == t) continue;
        const uint32_t first = work->first[t];
        RILL_ASSERT(work->rank[t] > 0 && work->rank[t] < work->copies[first]);
        const cluster *of = &work->clusters[rill_union_find_root(work->parent, first)];
        if (of->votes < 0 || work->rank[t] < (of->uneven ? 1 : work->copies[first] / 2)) {
            left = true;
            continue;
        }
        two_sided[first] |= work->corners[t].turned != work->corners[first].turned;
        work->solid->parts[t] = RILL_NO_PART;
        work->solid->doubled_triangles += 1;
        any = true;
    }
    return any && left;
}

static bool mend(doubles *work, uint8_t *two_sided) {
    for (uint32_t t = 0; t < work->solid->triangle_count; ++t) work->corners[t] = corners_of(work->solid, t);
    for (int pass = 0; pass < PASSES; ++pass) {
        find_copies(work);
        if (work->faces == 0) return true;
        if (!find_clusters(work)) return false;
        if (!drop(work, two_sided)) return true;
    }
    return true;
}

bool rill_solid_drop_doubled(rill_solid *solid, uint8_t *two_sided, const rill_allocator *allocator) {
    const size_t count = solid->triangle_count;
    doubles work = { .solid = solid,
                     .allocator = allocator,
                     .slot_count = table_size(count),
                     .corners = rill_alloc(allocator, count, sizeof(corners)),
                     .first = rill_alloc(allocator, count, sizeof(uint32_t)),
                     .rank = rill_alloc(allocator, count, sizeof(uint32_t)),
                     .copies = rill_alloc(allocator, count, sizeof(uint32_t)),
                     .parent = rill_alloc(allocator, count, sizeof(uint32_t)),
                     .clusters = rill_alloc(allocator, count, sizeof(cluster)) };
    work.slots = rill_alloc(allocator, work.slot_count, sizeof(uint32_t));
    const bool done = work.corners && work.slots && work.first && work.rank && work.copies && work.parent &&
                      work.clusters && mend(&work, two_sided);
    rill_free(allocator, work.corners, count, sizeof(corners));
    rill_free(allocator, work.slots, work.slot_count, sizeof(uint32_t));
    rill_free(allocator, work.first, count, sizeof(uint32_t));
    rill_free(allocator, work.rank, count, sizeof(uint32_t));
    rill_free(allocator, work.copies, count, sizeof(uint32_t));
    rill_free(allocator, work.parent, count, sizeof(uint32_t));
    rill_free(allocator, work.clusters, count, sizeof(cluster));
    return done;
}
