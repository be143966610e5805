/* Sources and sinks of a world, by id. They attach to columns, so the bed comes first. */
#include <string.h>

#include "world/ids.h"

static rill_source_id id_of(const rill_world *world, size_t index, uint16_t generation) {
    return (rill_source_id){ rill_id_of(world, index, generation) };
}

/* The source of an id, or NULL with a message. */
static rill_source *source_of(const rill_world *world, rill_source_id id) {
    const size_t index = rill_id_slot(id.value);
    if (index < world->sources.count) {
        rill_source *source = (rill_source *)world->sources.data + index;
        if (source->alive && rill_id_names(world, id.value, source->generation)) return source;
    }
    rill_id_refuse(world, "source", id.value, world->sources.count);
    return NULL;
}

rill_source_id rill_source_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_source_id){ 0 };
    const rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->sources.count; ++i) {
        if (sources[i].alive && strcmp(sources[i].name, name) == 0) return id_of(world, i, sources[i].generation);
    }
    return (rill_source_id){ 0 };
}

void *rill_source_user_data(const rill_world *world, rill_source_id id) {
    const rill_source *source = world ? source_of(world, id) : NULL;
    return source ? source->user : NULL;
}

rill_result rill_source_set_user_data(rill_world *world, rill_source_id id, void *user) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_source *source = source_of(world, id);
    if (!source) return RILL_INVALID_ID;
    source->user = user;
    return RILL_OK;
}

const char *rill_source_name(const rill_world *world, rill_source_id id) {
    const rill_source *source = world ? source_of(world, id) : NULL;
    return source ? source->name : NULL;
}

int32_t rill_world_source_count(const rill_world *world) {
    const rill_source *sources = world ? world->sources.data : NULL;
    int32_t count = 0;
    for (size_t i = 0; world && i < world->sources.count; ++i) count += sources[i].alive;
    return count;
}

rill_source_id rill_world_source_at(const rill_world *world, int32_t index) {
    const rill_source *sources = world ? world->sources.data : NULL;
    for (size_t i = 0; world && index >= 0 && i < world->sources.count; ++i)
        if (sources[i].alive && index-- == 0) return id_of(world, i, sources[i].generation);
    return (rill_source_id){ 0 };
}

void rill_world_drop_source(const rill_world *world, rill_source *source) {
    rill_source_detach(source, &world->allocator);
    rill_string_free(&world->allocator, source->name);
    source->name = NULL;
    source->def.name = NULL;
    source->user = NULL;
    source->alive = false;
}

/* Whether no source but `own` has a name. */
static rill_result check_unique(const rill_world *world, const char *name, const rill_source *own) {
    const rill_source_id other = rill_source_find(world, name);
    if (other.value == 0 || source_of(world, other) == own) return RILL_OK;
    return rill_fail(world->note, RILL_INVALID_ARGUMENT, "source.name is \"%.64s\", which another source has already",
                     name);
}

static rill_result check_new_source(const rill_world *world, const rill_source_def *def) {
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_result result = rill_world_need_bed(world, "rill_source_create");
    if (!result) result = rill_check_source_def(def, world->note);
    if (result) return result;
    result = check_unique(world, def->name, NULL);
    if (result) return result;
    /* Accounts outlive their sources, so their number has to be counted as well. */
    if ((world->sources_free == 0 && world->sources.count >= RILL_SLOTS_MAX) || world->books.count >= INT32_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %zu sources; expected at most %d",
                         world->sources.count, RILL_SLOTS_MAX);
    return RILL_OK;
}

/* The slot that the next source takes: one that may be used again, else one behind the last. */
static size_t next_slot(const rill_world *world) {
    const rill_source *sources = world->sources.data;
    for (size_t i = 0; world->sources_free > 0 && i < world->sources.count; ++i) {
        if (!sources[i].alive && sources[i].generation < RILL_GENERATION_MAX) return i;
    }
    return world->sources.count;
}

/* Takes back an account that was opened when there were so many, if it is a new one. */
static void close_book(rill_world *world, int32_t book, size_t books_before) {
    if (world->books.count > books_before)
        rill_string_free(&world->allocator, ((rill_book *)world->books.data)[book].name);
    world->books.count = books_before;
}

/* Puts a finished source and its account into the world; all or nothing. */
static rill_result enlist(rill_world *world, rill_source *source, rill_source_id *out) {
    const size_t books_before = world->books.count;
    source->book = rill_book_open(world, source->name);
    if (source->book < 0) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a source's account");
    rill_book *book = (rill_book *)world->books.data + source->book;
    const size_t index = next_slot(world);
    const bool again = index < world->sources.count;
    if (!again && !rill_array_push(&world->sources, &world->allocator, NULL)) {
        close_book(world, source->book, books_before);
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a source's id");
    }
    book->used = true;
    world->sources_free -= again;
    rill_source *slot = (rill_source *)world->sources.data + index;
    source->generation = (uint16_t)(slot->generation + 1);
    source->alive = true;
    *slot = *source;
    if (out) *out = id_of(world, index, slot->generation);
    return RILL_OK;
}

rill_result rill_source_create(rill_world *world, const rill_source_def *def, rill_source_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new_source(world, def);
    if (result) return result;
    rill_source source = { .def = *def, .name = rill_string_copy(&world->allocator, def->name) };
    if (!source.name) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a source's name");
    source.def.name = source.name;
    result = rill_source_attach(&source, &world->bed, &world->allocator, world->note);
    if (!result) result = rill_source_check(&source, world->note);
    if (!result) result = enlist(world, &source, out);
    if (result) rill_world_drop_source(world, &source);
    return result;
}

rill_result rill_source_destroy(rill_world *world, rill_source_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_source *source = source_of(world, id);
    if (!source) return RILL_INVALID_ID;
    ((rill_book *)world->books.data)[source->book].used = false;
    rill_world_drop_source(world, source);
    if (source->generation < RILL_GENERATION_MAX) world->sources_free += 1;
    return RILL_OK;
}

static rill_result set_strength(rill_world *world, rill_source_id id, const double *rate, const double *rain) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_source *source = source_of(world, id);
    if (!source) return RILL_INVALID_ID;
    rill_source_def changed = source->def;
    if (rate) changed.rate = *rate;
    if (rain) changed.rain = *rain;
    const rill_result result = rill_check_source_def(&changed, world->note);
    if (!result) source->def = changed;
    return result;
}

rill_result rill_source_set_rate(rill_world *world, rill_source_id id, double rate) {
    return set_strength(world, id, &rate, NULL);
}

rill_result rill_source_set_rain(rill_world *world, rill_source_id id, double rain) {
    return set_strength(world, id, NULL, &rain);
}

rill_result rill_source_get_def(const rill_world *world, rill_source_id id, rill_source_def *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_source *source = source_of(world, id);
    if (!source) return RILL_INVALID_ID;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    *out = source->def;
    return RILL_OK;
}

/* -------------------------------------------------------------------------------------------------------- changing */

static bool same_point(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Whether two definitions have the same columns. */
static bool same_place(const rill_source_def *a, const rill_source_def *b) {
    if (a->shape != b->shape) return false;
    switch (a->shape) {
    case RILL_SOURCE_POINT: return same_point(a->at, b->at);
    case RILL_SOURCE_DISC: return same_point(a->at, b->at) && a->radius == b->radius;
    case RILL_SOURCE_BOX: return same_point(a->min, b->min) && same_point(a->max, b->max);
    case RILL_SOURCE_RAIN: return true;
    }
    return false;
}

/* Finds where a source is to be, into world->found_source. */
static rill_result find_again(rill_world *world, const rill_source_def *def) {
    rill_source *found = &world->found_source;
    found->def = *def;
    const rill_result result =
        rill_source_find_columns(found, &world->bed, &world->source_work, &world->allocator, world->note);
    return result ? result : rill_source_check(found, world->note);
}

/* Gives a source its next name, with the account of that name, and its next columns, if they are others; all or
 * nothing. */
static rill_result change_source(rill_world *world, rill_source *source, const rill_source_def *def, bool moved) {
    const size_t books_before = world->books.count;
    const bool renamed = strcmp(def->name, source->name) != 0;
    char *name = renamed ? rill_string_copy(&world->allocator, def->name) : source->name;
    const int32_t book = !renamed ? source->book : name ? rill_book_open(world, name) : -1;
    if (book < 0 || (moved && !rill_source_take_columns(source, &world->found_source, &world->allocator))) {
        close_book(world, book, books_before);
        if (renamed) rill_string_free(&world->allocator, name);
        return rill_fail(world->note, RILL_OUT_OF_MEMORY,
                         "no memory for the columns, the name and the account of a source");
    }
    rill_book *books = world->books.data;
    books[source->book].used = false;
    books[book].used = true;
    if (renamed) rill_string_free(&world->allocator, source->name);
    source->noted = source->noted && source->def.sink == def->sink;
    source->def = *def;
    source->def.name = source->name = name;
    source->book = book;
    return RILL_OK;
}

rill_result rill_source_set_def(rill_world *world, rill_source_id id, const rill_source_def *def) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_source *source = source_of(world, id);
    if (!source) return RILL_INVALID_ID;
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_source_def named = *def;
    if (!named.name) named.name = source->name;
    rill_result result = rill_check_source_def(&named, world->note);
    if (!result) result = check_unique(world, named.name, source);
    const bool moved = !same_place(&named, &source->def);
    if (!result && moved) result = find_again(world, &named);
    return result ? result : change_source(world, source, &named, moved);
}
