/* The ledger: every quantum of liquid is in a column or on a body over it, in the air, or booked. The accounts are kept
 * as liquid is moved in and out; what stands in columns is counted afresh whenever somebody asks, so a lost quantum
 * shows at once. */
#include <string.h>

#include "base/assert.h"
#include "motion/swept_volume.h"
#include "world/world.h"

static const char *const fixed_names[RILL_BOOK_FIXED] = { "fill", "west", "east", "south", "north" };

rill_result rill_books_make(rill_world *world) {
    for (int i = 0; i < RILL_BOOK_FIXED; ++i) {
        rill_book book = { .name = rill_string_copy(&world->allocator, fixed_names[i]) };
        if (!book.name || !rill_array_push(&world->books, &world->allocator, &book)) {
            rill_string_free(&world->allocator, book.name);
            return RILL_OUT_OF_MEMORY; /* the world's end frees the rest */
        }
    }
    return RILL_OK;
}

void rill_books_free(rill_world *world) {
    rill_book *books = world->books.data;
    for (size_t i = 0; i < world->books.count; ++i) rill_string_free(&world->allocator, books[i].name);
    rill_array_free(&world->books, &world->allocator);
}

int32_t rill_book_open(rill_world *world, const char *name) {
    const rill_book *books = world->books.data;
    for (size_t i = RILL_BOOK_FIXED; i < world->books.count; ++i) {
        if (!books[i].used && strcmp(books[i].name, name) == 0) return (int32_t)i;
    }
    const rill_book book = { .name = rill_string_copy(&world->allocator, name) };
    if (book.name && rill_array_push(&world->books, &world->allocator, &book)) return (int32_t)world->books.count - 1;
    rill_string_free(&world->allocator, book.name);
    return -1;
}

void rill_book_change(rill_world *world, int32_t book, int64_t quanta) {
    rill_book *entry = (rill_book *)world->books.data + book;
    if (quanta > 0)
        entry->poured += quanta;
    else
        entry->drained -= quanta;
}

void rill_book_take_back(rill_world *world, int32_t book, int64_t quanta) {
    rill_book *entry = (rill_book *)world->books.data + book;
    RILL_ASSERT(quanta >= 0 && quanta <= entry->poured);
    entry->poured -= quanta;
}

static int64_t quanta_in_columns(const rill_world *world) {
    if (!world->built) return 0;
    int64_t sum = 0;
    for (int64_t i = 0; i < world->bed.info.columns; ++i) sum += world->flow.H[world->bed.places[i]];
    const rill_body_node *nodes = world->bodies.nodes.data;
    for (size_t i = 0; i < world->bodies.nodes.count; ++i) sum += nodes[i].deck;
    return sum;
}

static rill_ledger count(const rill_world *world) {
    rill_ledger ledger = { .quantum_volume = world->built ? rill_quantum_volume(&world->bed) : world->shell_quantum,
                           .columns = quanta_in_columns(world) + rill_shells_quanta(world) };
    if (world->built) ledger.in_transit = rill_swept_volume_total(&world->flow);
    if (world->falls) ledger.airborne = rill_falls_airborne(world->falls);
    const rill_book *books = world->books.data;
    for (size_t i = 0; i < world->books.count; ++i) {
        ledger.poured += books[i].poured;
        ledger.drained += books[i].drained;
    }
    ledger.error = ledger.columns + ledger.airborne + ledger.in_transit - ledger.poured + ledger.drained;
    return ledger;
}

int64_t rill_world_imbalance(const rill_world *world) {
    return count(world).error;
}

rill_result rill_world_get_ledger(const rill_world *world, rill_ledger *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the ledger");
    *out = count(world);
    return RILL_OK;
}

int32_t rill_world_account_count(const rill_world *world) {
    return world ? (int32_t)world->books.count : 0;
}

rill_result rill_world_get_account(const rill_world *world, int32_t index, rill_account *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the account");
    if (index < 0 || index >= rill_world_account_count(world))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "account %d does not exist; expected 0 to %d", index,
                         rill_world_account_count(world) - 1);
    const rill_book *book = (const rill_book *)world->books.data + index;
    *out = (rill_account){ .name = book->name, .poured = book->poured, .drained = book->drained };
    return RILL_OK;
}
