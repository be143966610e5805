/* The snapshot format, version 19. Everything little-endian, no padding; lengths and counts before what they count.
 *
 *   header    magic "RILLSNAP", u32 version, u32 zero, u64 length of all, u64 checksum of all but itself
 *   settings  grid, headroom, min_opening, edges, gravity, liquid, solver; then the world's name
 *   solids    per slot: generation, RILL_SLOT_ bits; if changed the cells it stands in; if alive its definition with
 *             arrays, contact angles and the map of them
 *   columns   quantum, datum, findings; columns per cell; notes per cell; b, c and floor of each column, cell by cell
 *             and from below
 *   sheets    roomy or not; rectangle of each sheet; sheet of each column
 *   bodies    per slot: generation, alive; if alive its form (hulls and meshes with arrays), mass, motion, lag and
 *             forces; then of each column under bodies: place, base, how far it is lifted, a bit per quarter in which
 *             liquid stands on top and one if it is apart, what lies on a body, how fast that goes over the west and
 *             south faces, 1 + the level at which it is drawn, head, what is displaced below it, and how it changed
 *   state     H, u, v of columns in that order and of ghosts; sparse pipes; tiles; counters; extent; time
 *   tank      with method kandemir, per cell and ghost: flows of two diagonal pipes, pressure set, pressure of bodies
 *   waves     with method waves, per cell and ghost: what the last solve added to pressures, until when it is wet
 *   heights   with papers wang: length of the last sub-step; per cell: depth, depth before its solve, kind, whether it was ever wet and is under a body, head
 *   tension   whether there is any; per column: what its last solve added to the potential, until when it is wet, edges that
 *             flow; per pipe: whether its edge does
 *   falls     whether there is anything; when its window began, how fast it raises columns, tick; parcels in the order of the
 *             calendar: amount, when they left, from where, how fast, time in the air, place, brink; brinks that fall or have let
 *             fall something: cell, side and sill, amount, momentum, since when
 *   moves     liquid that solids have expelled: amount, seconds left, velocity, side and place of each; liquid that
 *             they have withdrawn: amount, seconds per cell, most, place and side; ceilings that open: place, room and
 *             seconds left; solids that move: slot, cells, times and pose; cells in which they did so lately, and when
 *   books     name, poured, drained
 *   sources   per slot: generation, alive; if alive its definition, account, pending fraction and turn
 *   events    per solid, source and body: whether it was wet, refused or reached
 *   forces    fields: layer, which arrays there are, and these; controls, per slot: generation, alive; if alive its
 *             definition, whether it acts, and a byte per cell of its shape; brushes of the next step
 *   shells    quantum; per slot: generation, alive; if alive its definition with arrays; of each column
 *             quanta, until when it is wet, what the last solve added to the pressure, asleep, calm; of edges velocities; of
 *             blocks whether they are looked at; forces, counters and extent; contact angles of the liquid
 *
 * A world without a grid has header, settings, time, books and shells alone.
 *
 * Pipes, tiles, ghosts and the columns of sources are not stored: they follow from the columns and their sheets. No
 * velocity is ever stored anywhere but at a column or a ghost, so nothing of the padding needs to be kept. */
#ifndef RILL_SNAPSHOT_SNAPSHOT_H
#define RILL_SNAPSHOT_SNAPSHOT_H

#include "snapshot/bytes.h"
#include "world/world.h"

#define RILL_SNAPSHOT_MAGIC 0x50414e534c4c4952ull /* "RILLSNAP" as little-endian bytes */
enum { RILL_SNAPSHOT_VERSION = 19, RILL_SNAPSHOT_HEADER = 32, RILL_SNAPSHOT_CHECKSUM_AT = 24 };

/* Of a solid's slot. */
enum {
    RILL_SLOT_ALIVE = 1 << 0,
    RILL_SLOT_HIDDEN = 1 << 1,
    RILL_SLOT_CHANGED = 1 << 2,
    RILL_SLOT_TOUCHED = 1 << 3,
    RILL_SLOT_SOFT = 1 << 4,
    RILL_SLOT_BITS = (1 << 5) - 1
};

/* Hashes header and content, without the checksum itself. `size` is at least the header's. */
uint64_t rill_snapshot_checksum(const unsigned char *memory, size_t size);

/* Everything that loading a section needs. */
typedef struct rill_loading {
    rill_reader reader;
    rill_world *world; /* once there is one */
    rill_message *message;
} rill_loading;
/* Refuses a snapshot whose data makes no sense: RILL_INVALID_DATA. */
rill_result rill_loading_refuse(rill_loading *load, const char *what);
/* Gives up for want of memory: RILL_OUT_OF_MEMORY. */
rill_result rill_loading_starved(rill_loading *load, const char *what);
/* Turns a complaint about a definition inside a snapshot into one about the data. The message says which member it
 * was. */
rill_result rill_loading_result(rill_result result);
/* Each reads a number that must not be negative; fails if it is. */
int32_t rill_loading_i32(rill_reader *reader);
int64_t rill_loading_i64(rill_reader *reader);
/* Reads contact angles, which are checked with the definition that they belong to. */
void rill_loading_angles(rill_reader *reader, rill_contact_angle *angle);

/* snapshot_load_bed.c */
bool rill_loading_area(rill_reader *reader, const rill_grid *grid, rill_area *area);
rill_result rill_loading_solids(rill_loading *load);
rill_result rill_loading_bed(rill_loading *load);

/* snapshot_bodies.c */
void rill_snapshot_put_bodies(rill_writer *writer, const rill_world *world);
rill_result rill_loading_bodies(rill_loading *load);

/* snapshot_moves.c */
void rill_snapshot_put_moves(rill_writer *writer, const rill_world *world);
rill_result rill_loading_moves(rill_loading *load);

/* snapshot_falls.c */
void rill_snapshot_put_falls(rill_writer *writer, const rill_world *world);
rill_result rill_loading_falls(rill_loading *load);

/* snapshot_events.c */
void rill_snapshot_put_events(rill_writer *writer, const rill_world *world);
rill_result rill_loading_events(rill_loading *load);

/* snapshot_forces.c */
void rill_snapshot_put_forces(rill_writer *writer, const rill_world *world);
rill_result rill_loading_forces(rill_loading *load);

/* snapshot_shells.c */
void rill_snapshot_put_shells(rill_writer *writer, const rill_world *world);
rill_result rill_loading_shells(rill_loading *load);

/* snapshot.c */
void rill_snapshot_put_area(rill_writer *writer, const rill_area *area);

/* snapshot_load.c. Reads a world, which has no pool yet. */
rill_result rill_snapshot_read(const void *memory, size_t size, const rill_runtime *runtime, rill_world **out,
                               rill_message *message);

#endif
