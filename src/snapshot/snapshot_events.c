/* States that events tell the changes of, in snapshots: they decide what the next step reports, and nothing else, so that they are no part of
 * hashes. */
#include "snapshot/snapshot.h"

void rill_snapshot_put_events(rill_writer *writer, const rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    const rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->solids.count; ++i) rill_put_u8(writer, slots[i].wet);
    for (size_t i = 0; i < world->sources.count; ++i) rill_put_u8(writer, sources[i].noted);
    for (size_t i = 0; i < world->bodies.list.count; ++i)
        rill_put_u8(writer, rill_body_at(&world->bodies, (int32_t)i)->wet);
}

rill_result rill_loading_events(rill_loading *load) {
    rill_world *world = load->world;
    rill_solid_slot *slots = world->solids.data;
    rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->solids.count; ++i) slots[i].wet = rill_get_bool(&load->reader);
    for (size_t i = 0; i < world->sources.count; ++i) sources[i].noted = rill_get_bool(&load->reader);
    for (size_t i = 0; i < world->bodies.list.count; ++i)
        rill_body_at(&world->bodies, (int32_t)i)->wet = rill_get_bool(&load->reader);
    return load->reader.failed ? rill_loading_refuse(load, "what events are about makes no sense") : RILL_OK;
}
