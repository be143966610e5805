/* Rill: thin liquid on surfaces, in real time, on one CPU core.
 *
 * The library simulates liquid as columns joined by pipes over a layered bed (floors under floors). It has no
 * dependency, does no file I/O, prints nothing, starts no thread that was not asked for and has no global state but the
 * hook of its asserts.
 *
 * Conventions
 *   - SI units throughout: metres, seconds, kilograms, m3/s. Angles in degrees where a person writes them.
 *   - z is up in the bed's frame; x runs east, y north; the grid's origin is its south-west corner.
 *   - Gravity is any vector in that frame (tilt the tray by tilting gravity).
 *   - Objects are described by definition structs: start from rill_default_..._def(), change what you need.
 *   - Worlds are opaque pointers, everything inside a world is an id by value; a zero id is null. Ids hold for their world
 *     alone, and differ from run to run. Calls that create something take NULL for an id that nobody wants.
 *   - A call that can fail returns a rill_result. On anything but RILL_OK the world is unchanged and
 *     rill_world_message() says what was wrong, where, and what was expected.
 *   - One world may be used by one thread at a time; different worlds are independent.
 *
 * Volumes are exact: liquid is counted in whole quanta of depth, and every quantum is in a column, in the air or booked
 * as poured or drained (see rill_ledger). The same calls give the same bits on any thread count, with or without SIMD.
 */
#ifndef RILL_RILL_H
#define RILL_RILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Programs that use the DLL define RILL_SHARED, which the target rill::rill_shared does for them. Nowhere else does it change
 * anything. */
#if defined(_WIN32) && defined(RILL_SHARED)
#ifdef RILL_BUILDING
#define RILL_API __declspec(dllexport)
#else
#define RILL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define RILL_API __attribute__((visibility("default")))
#else
#define RILL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- version */

/* The ABI is stable within a minor version while the major version is 0, and within a major version from 1.0 on. */
#define RILL_VERSION_MAJOR 0
#define RILL_VERSION_MINOR 2
#define RILL_VERSION_PATCH 0

/* "0.2.0": the version of the library that is linked, which may differ from the header's macros. */
RILL_API const char *rill_version(void);

/* ----------------------------------------------------------------------------------------------------------- result */

typedef enum rill_result {
    RILL_OK = 0,
    RILL_INVALID_ARGUMENT, /* a NULL, non-finite or out-of-range argument or definition member */
    RILL_INVALID_ID,       /* an id that is null, stale or of another world that lives */
    RILL_INVALID_DATA,     /* a mesh, heightmap or snapshot whose content makes no sense */
    RILL_INVALID_STATE,    /* a call that is not possible now, such as filling before the bed is built */
    RILL_OUT_OF_MEMORY,    /* the allocator said no */
    RILL_TOO_LARGE         /* more columns than 32-bit indices can count */
} rill_result;

/* "ok", "invalid argument", ... Never NULL. */
RILL_API const char *rill_result_name(rill_result result);

/* A message for calls that have no world to ask (creation and loading). Always zero-terminated. */
typedef struct rill_message {
    char text[256];
} rill_message;

/* ---------------------------------------------------------------------------------------------------------- asserts */

/* Builds with the CMake option RILL_ASSERTS (debug, sanitizer and fuzz builds have it) check the library's own invariants
 * while they run. One that does not hold is a mistake in Rill, or a write into its memory by somebody else; bad arguments
 * are answered with a rill_result instead. Others pay nothing and never call the hook. */
RILL_API bool rill_asserts_enabled(void);

/* Called with the condition's text and place, on the thread that found it. The step goes on when it returns, with a world
 * that is good for looking at only; it may as well stop the program, or leave by longjmp. */
typedef void rill_assert_hook(const char *condition, const char *file, int32_t line, void *user);

/* One hook for all worlds; set it while there are none. NULL, as at the start, prints to stderr and aborts. */
RILL_API void rill_set_assert_hook(rill_assert_hook *hook, void *user);

/* ---------------------------------------------------------------------------------------------------------- runtime */

/* Memory hooks. Both or neither must be set; the default is the C library's. `alignment` is a power of two. */
typedef struct rill_allocator {
    void *(*allocate)(size_t size, size_t alignment, void *user); /* NULL when there is no memory */
    void (*release)(void *memory, size_t size, size_t alignment, void *user);
    void *user;
} rill_allocator;

/* Threads. With `parallel_for` the user's scheduler runs the tasks: it must call `task(context, i)` once for each i in
 * [0, count), in any order, on any threads, and return when all are done. Without it the world starts a pool of
 * `threads` - 1 threads of its own (1 means none). Results do not depend on either. */
typedef void rill_task(void *context, int32_t index);
typedef struct rill_tasks {
    void (*parallel_for)(void *user, int32_t count, rill_task *task, void *context);
    void *user;
    int32_t threads; /* how many tasks may run at once; default 1, range 1 to 256 */
} rill_tasks;

typedef enum rill_log_level { RILL_LOG_NOTE = 0, RILL_LOG_WARNING } rill_log_level;

/* Everything about the machine rather than about the liquid. Not part of snapshots. */
typedef struct rill_runtime {
    rill_allocator allocator;
    rill_tasks tasks;
    /* Told what was mended, fitted or ignored that no call fails for, such as triangles without area. NULL: silent */
    void (*log)(rill_log_level level, const char *text, void *user);
    void *log_user;
    bool scalar; /* true: plain scalar kernels, for comparison; default false: the best the processor has */
} rill_runtime;

/* ----------------------------------------------------------------------------------------------------------- liquid */

/* The angle that the surface makes with a solid where it ends, measured in the liquid, in degrees:
 * 0 <= receding <= advancing <= 180. The liquid spreads where its angle is above `advancing` and draws back where it is below
 * `receding`; between them the contact line stays where it is, so that drops hold on to slopes. Equal: no hysteresis. */
typedef struct rill_contact_angle {
    double advancing, receding;
} rill_contact_angle;

/* The angles about one that is all that is known: 5 degrees more advancing, 5 less receding, each within 0 to 180. */
RILL_API rill_contact_angle rill_contact_angle_about(double theta);

typedef struct rill_liquid {
    double density;         /* kg/m3, >= 0.001; water 998 */
    double viscosity;       /* kinematic, m2/s, >= 0; water 1.004e-6, honey 7e-3 */
    double surface_tension; /* N/m, >= 0; water 0.0728 */
    /* On solids that have none of their own; water on clean glass about 40. Near walls the surface is drawn by the mean of the
     * two, whatever the wall is made of. */
    rill_contact_angle contact_angle;
    /* s, 0 to 1e15: for how long a column that has fallen dry counts as wet, so that liquid comes back to it by its receding
     * angle; default 0: for ever */
    double drying;
} rill_liquid;

/* The number of presets, and their names: water, blood, coffee, milk, paint, olive oil, glycerol, honey, wine, apple juice,
 * milk tea, ink, saline. */
RILL_API int32_t rill_liquid_preset_count(void);
RILL_API const char *rill_liquid_preset_name(int32_t index); /* NULL when out of range */
/* False, and `out` untouched, when there is no preset of that name. */
RILL_API bool rill_liquid_preset(const char *name, rill_liquid *out);

/* ------------------------------------------------------------------------------------------------------------ world */

typedef struct rill_world rill_world;

/* The regular grid of cells on which columns stand. */
typedef struct rill_grid {
    /* Number of cells in x and y, 1 to 32768 each, at most 2^28 in all. Both 0: there is no grid, and so neither a bed nor solids,
     * sources, controls or bodies; liquid is on shells alone, and the rest of this is not read. */
    int32_t cells[2];
    double cell_size; /* m, > 0; usually 0.0005 to 0.002 for films */
    double origin[3]; /* m, south-west corner; its z is the zero of heightmaps */
} rill_grid;

typedef enum rill_edge_kind {
    RILL_EDGE_WALL = 0, /* nothing passes */
    RILL_EDGE_OPEN,     /* liquid leaves and is booked as drained */
    RILL_EDGE_STILL     /* a large reservoir stands at `level`; booked both ways */
} rill_edge_kind;

typedef struct rill_edge {
    rill_edge_kind kind;
    double level; /* m, absolute z; only for RILL_EDGE_STILL */
} rill_edge;

/* Index into rill_world_def.edges, and a side of the grid for rill_world_set_edge. */
enum { RILL_WEST = 0, RILL_EAST, RILL_SOUTH, RILL_NORTH };

typedef enum rill_pipe_area {
    RILL_PIPE_AREA_PHYSICAL = 0, /* the opening that is really there: the default, right in SI units */
    RILL_PIPE_AREA_PAPER         /* A = dx^2, Dagenais et al. 2018 Eq. 1 as printed */
} rill_pipe_area;

/* How liquid goes on that fills a void up to its ceiling. */
typedef enum rill_passages {
    RILL_PASSAGES_ANY = 0,  /* one pressure solve over everything that is flooded, whatever its shape: the default */
    RILL_PASSAGES_STRAIGHT, /* extended pipes along x and y, Dagenais et al. 2018, section 3.3 */
    RILL_PASSAGES_OFF       /* a column that is full to its ceiling blocks, for comparison */
} rill_passages;

typedef enum rill_method {
    RILL_METHOD_PIPES = 0, /* layered columns and pipes between them, right in SI units: the default */
    RILL_METHOD_KANDEMIR,  /* Kandemir, Capin & Ozguc: a plain tank of columns with pipes to all eight neighbours */
    RILL_METHOD_WAVES      /* Wang, Miller & Turk 2007: implicit shallow waves on one layer, stable in large steps */
} rill_method;

/* Surface tension as a force: what makes drops round, and lets them hang on to slopes. It takes cells of less than 1/1.6 of the
 * capillary length sqrt(surface_tension / (density |gravity|)), 1.7 mm for water, and RILL_METHOD_PIPES with
 * RILL_PIPE_AREA_PHYSICAL, or RILL_METHOD_WAVES or RILL_PAPERS_WANG; without them it is off, whatever is said here. But for these two
 * RILL_TENSION_ON is enough on any cells: surfaces are curved there, and too coarse cells have no contact lines. */
typedef enum rill_tension {
    RILL_TENSION_AUTO = 0, /* the default: where it can */
    RILL_TENSION_ON,
    RILL_TENSION_OFF /* surface tension and contact angles are for the shading near walls alone */
} rill_tension;

/* The way of liquid that runs off an edge which drops by more than two cells. It takes RILL_METHOD_PIPES with
 * RILL_PIPE_AREA_PHYSICAL; without them nothing flies, whatever is said here. */
typedef enum rill_falls_mode {
    RILL_FALLS_FLIGHT = 0, /* it flies, and lands where and when it comes down, with its momentum */
    RILL_FALLS_OFF         /* it is in the column below at once */
} rill_falls_mode;

/* The controls of RILL_METHOD_KANDEMIR that are its own. The others are density (liquid.density), resolution and column size
 * (grid.cells, grid.cell_size), height (fills) and external force (bodies, rill_world_set_force_field). Of rill_solver it
 * reads max_substeps besides, of rill_liquid nothing but the density. The bed must be one layer under open sky: what would make
 * it something else is refused with RILL_INVALID_STATE. */
typedef struct rill_kandemir {
    double pipe_length; /* L, m, 0 to 1e7, the same for all pipes; 0, the default: the cell size */
    /* A, m2, 0 to 1e14; 0, the default: the square of the cell size. Waves run at sqrt(3 g A / L), whatever the depth:
     * as fast as they are on liquid of depth d with A = L d / 3. */
    double pipe_area;
    /* s, 0 to 3600: longest sub-step; 0, the default: as long as is stable, which is the limit anyhow. */
    double time_step;
    /* D of Eq. 5.4 as a rate: what is left of a flow after a second, 0 < D <= 1; default 0.163, which is the paper's
     * 0.93 in each of 25 frames a second. */
    double vanishing;
    /* V of Eq. 6.1, 1/Pa2, 0 to 1: differences in pressure of 1 / sqrt(V) and more move nothing; default 0. Gentle
     * waves of water want 1e-6 to 1e-2 to be slowed visibly. */
    double viscosity;
    double atmosphere; /* Pa, 0 to 1e9; default 101325. It is part of RILL_FIELD_PRESSURE and moves nothing by itself */
} rill_kandemir;

/* The controls of RILL_METHOD_WAVES that are its own. It solves for the pressure at all columns at once and is stable in sub-steps
 * of any length: short ones are for accuracy. No more passes a face than its column has, so that liquid goes one cell per
 * sub-step at most: RILL_STATUS_SPEED_CAPPED says where that slows it. Of rill_solver it reads friction and max_substeps besides;
 * of rill_liquid all. Walls take no part in tension. The bed must be one layer under open sky and there are no bodies: what would make it
 * otherwise is refused with RILL_INVALID_STATE. */
typedef struct rill_waves {
    /* 0.5 to 1: how much the end of a sub-step counts for what drives it; default 0.55. More damps waves more: of a
     * wave of period T a period leaves about exp(-(2 theta - 1) 2 pi^2 dt / T). */
    double theta;
    double time_step; /* s, 0 to 3600: longest sub-step; 0, the default: the whole step */
    /* Most of a solve, 0 to 100000; 0, the default: as many as it should need. From 4 on a solve that is cut short is
     * stable, too, but its waves are late. */
    int32_t iterations;
    double tolerance; /* 0 < t <= 1: what is left of the error when a solve ends; default 1e-4 */
} rill_waves;

/* A paper's method as it is printed, in place of solver.method: to reproduce what it shows, and to see what was mended since.
 * Not for anything else. */
typedef enum rill_papers {
    RILL_PAPERS_NONE = 0, /* the default */
    RILL_PAPERS_WANG /* Wang, Miller & Turk 2007: heights, advected and solved for, which do not keep their volume */
} rill_papers;

/* How surface tension is made implicit. */
typedef enum rill_wang_tension {
    RILL_WANG_INCOMPLETE =
        0, /* Eqs. 15 and 16: of neighbours alone; symmetric, and stable in short sub-steps only; the default */
    RILL_WANG_COMPLETE /* Eq. 14: of all cells that take part; not symmetric */
} rill_wang_tension;

/* Section 8. Systems that are symmetric are solved by conjugate gradients, others by Bi-CGSTAB. */
typedef enum rill_wang_preconditioner {
    RILL_WANG_JACOBI = 0, /* the default */
    RILL_WANG_FACTORED    /* modified incomplete Cholesky or LU decomposition */
} rill_wang_preconditioner;

/* The boundary between water cells and the cells beside them (section 3.2). */
typedef enum rill_wang_front {
    RILL_WANG_DIRICHLET = 0, /* water moves freely; the default */
    RILL_WANG_NEUMANN        /* no water crosses it, but what Eq. 4 carries */
} rill_wang_front;

/* The controls of RILL_PAPERS_WANG. Of rill_solver it reads tension and max_substeps besides, of rill_liquid density, tension and
 * contact angles, of which those above 80 degrees count as 80. Heights are double precision numbers there; what
 * they come to in quanta is in the columns, and what they gain or lose is booked in the ledger's account "drift". The bed must be
 * one layer under open sky: what would make it otherwise is refused with RILL_INVALID_STATE. With bodies there is no tension. Open edges keep
 * the height of their floor, still edges that of their reservoir, walls reflect. */
typedef struct rill_wang {
    double viscosity; /* tau of Eq. 7, 0 to 1; default 0.3 */
    double friction;  /* m, d of the factor h / (h + d) on velocities, 0 to 1e7; default 0 */
    /* s, 0 to 3600: longest sub-step; 0, the default: as long as is stable, which is the whole step but for incomplete tension */
    double time_step;
    int32_t iterations; /* most of a solve, 1 to 100000; default 1000 */
    double tolerance;   /* 0 < t <= 1: what is left of the largest residual when a solve ends; default 1e-4 */
    rill_wang_tension tension;
    rill_wang_preconditioner preconditioner;
    rill_wang_front front;
    bool angular; /* the angular factor of Eq. 18; default true; without it drops become diamonds (Fig. 4c) */
} rill_wang;

typedef struct rill_solver {
    rill_method method;
    rill_papers papers;
    rill_kandemir kandemir;
    rill_waves waves;
    rill_wang wang;
    rill_pipe_area pipe_area;
    rill_passages passages;
    bool advection; /* momentum is carried along; default true; never in paper mode */
    bool rest;      /* tiles that have come to rest are stopped and sleep; default true */
    bool skip_idle; /* idle tiles cost nothing; default true; false sweeps everything, for comparison */
    /* Discharge coefficient Cd of mouths where covered flow leaves into a wider space: it loses u^2 / (2 Cd^2) there;
     * 0.001 <= Cd <= 1, default 0.61 (a sharp edge); 0: no velocity heads are reckoned with in passages, and nothing is
     * lost. */
    double orifice;
    double friction;      /* fraction of speed kept per second, 0 < f <= 1; 0 means the mode's default (1; paper 0.5) */
    int32_t max_substeps; /* cap per step, 1 to 1000000; default 64. Beyond it waves are slowed, see RILL_STATUS_... */
    rill_tension tension;
    /* Walls pull on what stands at them, too. Default false: walls that a grid makes stairs of pull unevenly, and a meniscus is
     * drawn anyhow. */
    bool wall_tension;
    rill_falls_mode falls; /* default RILL_FALLS_OFF */
} rill_solver;

/* min_opening as it fits the cells. */
#define RILL_OPENING_AUTO (-1.0)

typedef struct rill_world_def {
    const char *name; /* copied; may be NULL; this and all names: at most 255 bytes */
    rill_grid grid;
    double headroom; /* m, > 0: liquid may stand this high above the highest solid; default 0.05 */
    /* m, >= 0: voids lower than this are filled with solid, and columns side by side whose voids overlap by less are
     * not joined: such slivers come from sampling slopes at the middle of cells, and liquid would shoot through them.
     * Under open sky nothing is low. 0: one quantum. Default RILL_OPENING_AUTO: 1/32 of a cell. */
    double min_opening;
    rill_edge edges[4]; /* west, east, south, north; default wall */
    /* m/s2; default 0, 0, -9.81. Any direction: along a bed that stands upright, and off one that hangs over, where films and
     * drops hang up to 2 sqrt(surface_tension / (density gravity[2])) deep. What is deeper leaves, and comes down at once
     * straight below, or is booked as drained under "dripped". */
    double gravity[3];
    rill_liquid liquid; /* default water */
    rill_solver solver;
    rill_runtime runtime;
} rill_world_def;

RILL_API rill_world_def rill_default_world_def(void);

/* Creates an empty world: add solids, build the bed, fill, step. `message` may be NULL. */
RILL_API rill_result rill_world_create(const rill_world_def *def, rill_world **out, rill_message *message);
/* NULL is allowed. */
RILL_API void rill_world_destroy(rill_world *world);

/* The complaint of the last failing call on this world; "" if none has. */
RILL_API const char *rill_world_message(const rill_world *world);
RILL_API const char *rill_world_name(const rill_world *world);

/* Live settings; each may change between any two steps. */
RILL_API rill_result rill_world_set_gravity(rill_world *world, const double gravity[3]);
RILL_API rill_result rill_world_set_liquid(rill_world *world, const rill_liquid *liquid);
RILL_API rill_result rill_world_set_solver(rill_world *world, const rill_solver *solver);
/* One of the edges (RILL_WEST ...), also once the bed is built: gates open and close, tides come and go. What has crossed it so
 * far stays booked, and what flows over an edge that stays passable goes on. Another level of a still edge allocates nothing.
 * The range of heights stays that of the first build: levels end at its top, and the floor beyond an edge that opens falls on
 * below the lowest floor only where some edge was open then. */
RILL_API rill_result rill_world_set_edge(rill_world *world, int32_t side, const rill_edge *edge);
RILL_API rill_result rill_world_get_gravity(const rill_world *world, double out[3]);
RILL_API rill_result rill_world_get_liquid(const rill_world *world, rill_liquid *out);
RILL_API rill_result rill_world_get_solver(const rill_world *world, rill_solver *out);
RILL_API rill_result rill_world_get_grid(const rill_world *world, rill_grid *out);
RILL_API rill_result rill_world_get_edge(const rill_world *world, int32_t side, rill_edge *out);
/* Tells whether surface tension acts on the world as it is set now (rill_tension). `why` may be NULL; it gets the reason when
 * tension does not act, such as "surface_tension is 0", and "" when it does. */
RILL_API bool rill_world_has_tension(const rill_world *world, rill_message *why);

/* -------------------------------------------------------------------------------------------------------------- bed */

typedef struct rill_solid_id {
    uint64_t value;
} rill_solid_id;

typedef enum rill_shape {
    RILL_SHAPE_BOX = 0,
    RILL_SHAPE_SPHERE,
    RILL_SHAPE_CYLINDER,
    RILL_SHAPE_TORUS, /* solids only */
    RILL_SHAPE_PLANE, /* solids only: everything below it */
    /* Solids: closed parts are volumes (inside = nonzero winding), open parts thin sheets. Bodies: a closed mesh, such as a boat; it
     * counts as solid between its lowest and its highest face. */
    RILL_SHAPE_MESH,
    RILL_SHAPE_HEIGHTMAP, /* solids only: solid all the way down */
    RILL_SHAPE_CAPSULE,   /* all that is no farther than its radius from a line */
    RILL_SHAPE_HULL       /* the convex hull of its vertices; a solid becomes the mesh of it */
} rill_shape;

/* Looks of a solid or a body in its own frame, m. Only the members of the chosen type are read. Arrays are copied. */
typedef struct rill_shape_def {
    rill_shape type;
    double min[3], max[3]; /* box: opposite corners, min < max */
    double centre[3];      /* sphere, torus */
    /* Cylinder: ends of the axis; capsule: centres of its caps. Of a body, `to` is right above `from`. */
    double from[3], to[3];
    double axis[3];        /* torus: direction of its axis, any length; plane: its upward normal */
    double point[3];       /* plane: a point on it */
    double radius;         /* sphere, cylinder, capsule, torus (centre to tube centre), > 0 */
    double tube;           /* torus: radius of the tube, > 0 */
    const float *vertices; /* mesh, hull: x, y, z each */
    size_t vertex_count;
    const uint32_t *indices; /* mesh: three per triangle, either orientation */
    size_t triangle_count;
    const double *heights;   /* heightmap: metres above the origin's z, row 0 south, x fastest */
    int32_t heights_size[2]; /* columns, rows; stretched bilinearly over the grid if it has another size */
} rill_shape_def;

/* Points of its shape are first scaled, then rotated about x, y, z in that order, then translated (a heightmap ignores all
 * three). */
typedef struct rill_solid_def {
    const char *name; /* copied; may be NULL; must be unique otherwise */
    rill_shape_def shape;
    double scale;        /* > 0; default 1 */
    double rotate[3];    /* degrees */
    double translate[3]; /* m */
    /* Of floors of this solid, whatever its shape; NaN in both, the default: the liquid's. */
    rill_contact_angle contact_angle;
    /* Paints floors of this solid, whatever its shape: mean contact angles, degrees, 0 to 180, row 0 south, x fastest; NULL, the
     * default: none. They lie over the grid in plan, and stay there when the solid moves. Advancing and receding angles are as
     * far apart as those of the solid, or else of the liquid: half of that on either side, each within 0 to 180. */
    const double *wettability;
    int32_t wettability_size[2]; /* columns, rows; stretched bilinearly over the grid if it has another size */
} rill_solid_def;

RILL_API rill_solid_def rill_default_solid_def(void);

RILL_API rill_result rill_solid_create(rill_world *world, const rill_solid_def *def, rill_solid_id *out);
RILL_API rill_result rill_solid_destroy(rill_world *world, rill_solid_id id);
/* Null id when there is none of that name. */
RILL_API rill_solid_id rill_solid_find(const rill_world *world, const char *name);
RILL_API const char *rill_solid_name(const rill_world *world, rill_solid_id id); /* "" when nameless, NULL when stale */

/* A pointer that a program keeps beside an object, by its id, and that Rill never looks behind, NULL at first. Solids,
 * sources, controls and bodies have one each. It is no part of snapshots: in a loaded world all are NULL; rill_snapshot_restore keeps those of
 * ids that name an object before and after it, and the others are NULL. */
RILL_API rill_result rill_solid_set_user_data(rill_world *world, rill_solid_id id, void *user);
RILL_API void *rill_solid_user_data(const rill_world *world, rill_solid_id id); /* NULL when stale */

/* Solids may be created, destroyed and changed at any time. Once the bed is built, changes become real all together: with
 * the next rill_bed_build, or else at the beginning of the next step. Until then the liquid, queries and fills see the bed
 * as it was. What a call refuses (a NaN, a wrong number of vertices, a broken mesh) leaves the solid as it was.
 *
 * Only cells under a changed solid, where it was and where it is, are built anew. Their liquid stays in its column as far as
 * there is one: a rising floor carries it up, what is pressed flows to the nearest columns with room, and what is enclosed
 * stays enclosed. Nothing is created or lost. Moving is by jumps, so move by less than a cell per step where it matters.
 *
 * Unit and range of heights stay those of the first build: a floor below the lowest floor there was then, and a solid above
 * the headroom, are clipped (rill_bed_info.out_of_range). So let the first build have everything in it at its lowest. */

/* Another place and turn: replaces `translate` (m) and `rotate` (degrees) of the definition. Not for heightmaps. */
RILL_API rill_result rill_solid_set_pose(rill_world *world, rill_solid_id id, const double translate[3],
                                         const double rotate[3]);
RILL_API rill_result rill_solid_get_pose(const rill_world *world, rill_solid_id id, double translate[3],
                                         double rotate[3]);
/* Other vertices (x, y, z each; as many as before) for the triangles of a mesh: something soft. The pose stays. */
RILL_API rill_result rill_solid_set_vertices(rill_world *world, rill_solid_id id, const float *vertices,
                                             size_t vertex_count);
/* Another shape, mesh or heightmap with the same id; without a name in `def` it keeps its own. */
RILL_API rill_result rill_solid_replace(rill_world *world, rill_solid_id id, const rill_solid_def *def);
/* A solid that is not visible is as if it did not exist; solids are visible when they are created. */
RILL_API rill_result rill_solid_set_visible(rill_world *world, rill_solid_id id, bool visible);
RILL_API bool rill_solid_is_visible(const rill_world *world, rill_solid_id id); /* false when stale */

/* The triangles of a solid where it is now, for drawing it: x, y, z each. Primitives are tessellated. Arrays are the library's
 * and valid until the solid changes or is destroyed. RILL_INVALID_ID when stale. */
typedef struct rill_solid_mesh {
    const double *vertices;
    size_t vertex_count;
    const uint32_t *indices;
    size_t triangle_count;
} rill_solid_mesh;
RILL_API rill_result rill_solid_get_mesh(const rill_world *world, rill_solid_id id, rill_solid_mesh *out);
/* Solids one by one: index 0 to count - 1, in order of creation as long as none is destroyed. Null id when out of range. */
RILL_API int32_t rill_world_solid_count(const rill_world *world);
RILL_API rill_solid_id rill_world_solid_at(const rill_world *world, int32_t index);

/* Turns the solids into columns. Until then nothing can be filled, poured or stepped. Later calls make changes of solids
 * real; without any they cost nothing. RILL_INVALID_STATE when solids leave the liquid no room at all: the bed then stays as
 * it was, and the changes are tried again next time. */
RILL_API rill_result rill_bed_build(rill_world *world);

/* Size of the bed, and counts of what could not be represented as it was drawn. */
typedef struct rill_bed_info {
    int32_t cells[2];
    int32_t layers;         /* the most voids any cell has */
    int64_t columns;        /* all voids */
    int64_t wall_cells;     /* cells without any column */
    int32_t sheets;         /* dense planes the columns were numbered into */
    int64_t sparse_pipes;   /* pipes between sheets */
    int64_t state_bytes;    /* what a step works on: bed, depths, velocities and tiles, padding included */
    double quantum;         /* m: the unit of depth, a power of two */
    double lowest, highest; /* m: lowest floor, highest point liquid may stand at */
    int64_t slivers_merged; /* voids lower than min_opening (or one quantum), filled */
    /* Neighbours that overlap, but by less than min_opening; not counted again while solids move. */
    int64_t faces_closed;
    int64_t walls_thickened;      /* cells closed because a wall thinner than a cell runs through them */
    int64_t sheet_cells;          /* cells where an open mesh became a sheet one quantum thick or more */
    int64_t degenerate_triangles; /* triangles without area, ignored */
    int64_t doubled_triangles;    /* triangles of faces that were there already, turned either way, ignored */
    int64_t open_components;      /* connected mesh parts that are not closed */
    int64_t closed_components;
    int64_t outside_solids; /* solids that touch no cell */
    int64_t out_of_range;   /* floors and solids that moved below or above the range, clipped to it */
} rill_bed_info;

RILL_API rill_result rill_bed_get_info(const rill_world *world, rill_bed_info *out);

/* ----------------------------------------------------------------------------------------------------------- liquid in */

/* Outcome of a fill. */
typedef struct rill_fill_report {
    int64_t columns;     /* that were set */
    int64_t columns_cut; /* of those: cut to full under a ceiling or at the top of the range */
    double volume;       /* m3 now in them */
} rill_fill_report;

/* Floods from the column at a point through connected space up to a level (absolute z), replacing what was there by
 * liquid at rest. `report` may be NULL. The liquid added or removed is booked in the ledger under "fill". */
RILL_API rill_result rill_world_fill_level(rill_world *world, const double at[3], double level,
                                           rill_fill_report *report);
/* Sets the depths (m) of one layer, cells[0] * cells[1] values, row 0 south; NaN leaves a column alone. */
RILL_API rill_result rill_world_fill_depths(rill_world *world, int32_t layer, const double *depths, size_t count,
                                            rill_fill_report *report);
/* Lets all liquid leave at once: what is in columns, on bodies, and on its way out of moving solids. What is left is at rest, and
 * asleep; solids, bodies, sources and time stay what they are, and still edges come in again. Booked as drained, under
 * "emptied"; with RILL_PAPERS_WANG "drift". */
RILL_API rill_result rill_world_drain(rill_world *world);
/* Sets the velocities through the west and south face of each column of one layer (m/s, two per cell, at most 1000; NaN
 * leaves a face alone; faces against walls stay at rest). For initial conditions. */
RILL_API rill_result rill_world_set_velocities(rill_world *world, int32_t layer, const double *velocities,
                                               size_t count);

/* ----------------------------------------------------------------------------------------------------------- source */

typedef struct rill_source_id {
    uint64_t value;
} rill_source_id;

typedef enum rill_source_shape {
    RILL_SOURCE_POINT = 0, /* the column at `at` */
    RILL_SOURCE_DISC,      /* cells within `radius` of `at` */
    RILL_SOURCE_BOX,       /* columns of the cells inside min..max whose void overlaps the box */
    RILL_SOURCE_RAIN       /* every cell, its topmost column */
} rill_source_shape;

/* `at` picks the column whose void holds the point, else the first floor below it. */
typedef struct rill_source_def {
    const char *name; /* copied; may be NULL; must be unique otherwise */
    rill_source_shape shape;
    bool sink; /* takes liquid instead of giving it: what is there, up to the rate */
    double at[3];
    double radius;         /* disc, m, > 0 */
    double min[3], max[3]; /* box */
    double rate;           /* m3/s in all, >= 0; 0 for rain */
    double rain;           /* mm/h, >= 0; 0 for others */
    double from, until;    /* s: active while from <= time < until; default 0 and infinity */
} rill_source_def;

RILL_API rill_source_def rill_default_source_def(void);
/* Sources attach to columns: the bed must be built. */
RILL_API rill_result rill_source_create(rill_world *world, const rill_source_def *def, rill_source_id *out);
/* Its bookings stay in the ledger, and the next source of the same name (or also without one) goes on in that account:
 * what is created and destroyed all the time, as when pouring by hand, does not make the ledger longer. */
RILL_API rill_result rill_source_destroy(rill_world *world, rill_source_id id);
/* m3/s; for rain mm/h, by the second call. */
RILL_API rill_result rill_source_set_rate(rill_world *world, rill_source_id id, double rate);
RILL_API rill_result rill_source_set_rain(rill_world *world, rill_source_id id, double rain);
/* The definition as it is now. Its name ("" when nameless) is the library's and valid until the source changes. */
RILL_API rill_result rill_source_get_def(const rill_world *world, rill_source_id id, rill_source_def *out);
/* Another place, shape, rate, window or name; without a name in `def` it keeps its own, "" takes that away. What it owes of a
 * quantum it still owes. Under another name it goes on in the account of that name, and what is booked so far stays in the
 * old one. A source may be moved in every step: that allocates nothing once it has been as large before. RILL_INVALID_ARGUMENT,
 * and nothing changed, where there is no column for it. */
RILL_API rill_result rill_source_set_def(rill_world *world, rill_source_id id, const rill_source_def *def);
RILL_API rill_source_id rill_source_find(const rill_world *world, const char *name); /* null id when there is none */
RILL_API const char *rill_source_name(const rill_world *world,
                                      rill_source_id id); /* "" when nameless, NULL when stale */
/* Sources one by one: index 0 to count - 1, in order of creation as long as none is destroyed. Null id when out of range. */
RILL_API int32_t rill_world_source_count(const rill_world *world);
RILL_API rill_source_id rill_world_source_at(const rill_world *world, int32_t index);
/* As with solids. */
RILL_API rill_result rill_source_set_user_data(rill_world *world, rill_source_id id, void *user);
RILL_API void *rill_source_user_data(const rill_world *world, rill_source_id id); /* NULL when stale */

/* ------------------------------------------------------------------------------------------------------------ force */

/* Forces on liquid from outside, besides gravity and bodies. They add up, with any method. Faces between columns are
 * driven by differences of pressure over density and by the mean of both columns' accelerations, as by tilted gravity, before
 * viscosity slows them; what is flooded is, too. A potential is exact to the quantum: a lake in a field of pressure, or in
 * one acceleration everywhere, comes to rest and sleeps. Volumes do not change.
 *
 * Sub-steps become as short as the strongest acceleration asks for, wherever it is. Columns side by side are driven by at most
 * 2^28 quanta of head (0.03 m where a quantum is 2^-33 m).
 * Bodies, and liquid that lies on them, feel nothing of it but what the liquid around does. What forces do is no energy of
 * rill_world_get_energy, which may rise by it. */

/* For rill_force_field.layer: every layer of every cell. */
#define RILL_ALL_LAYERS (-1)

/* A field of forces on the columns of a layer: wind, a magnet, an air jet. Its arrays are copied. */
typedef struct rill_force_field {
    int32_t layer; /* which void of its cell, from below; RILL_ALL_LAYERS for those without a field of their own */
    const double *pressures;     /* Pa, -1e9 to 1e9; cells[0] * cells[1] values, row 0 south, x fastest; NULL: none */
    const double *accelerations; /* m/s2 along x and along y, -1e4 to 1e4; twice as many values; NULL: none */
    size_t count;                /* cells[0] * cells[1] */
} rill_force_field;

/* Sets the field of a layer, or of all, in the place of the one there was; it stays until it is set again. Setting that of all
 * layers drops those of single ones. NULL: no fields any more. The bed must be built. With RILL_METHOD_KANDEMIR the pressure is
 * P_external of Eq. 5.1, a force f on n columns is f / (n cell_size^2) (Eq. 5.9). Allocates. */
RILL_API rill_result rill_world_set_force_field(rill_world *world, const rill_force_field *field);

/* A brush drags liquid along, as with a cursor: for the next step alone. */
typedef struct rill_brush {
    double at[3];  /* m; in each cell it acts on the column whose void holds this height, else the first floor below */
    double radius; /* m, > 0 */
    double acceleration[2]; /* m/s2 along x and y, in the middle; (1 - r^2 / radius^2)^2 of it at a distance r */
} rill_brush;

/* Adds a brush to the next step; more of them add up. It is made no stronger than a cell_size in the square of the longest
 * sub-step that waves allow, so that no hand is too fast. The bed must be built. RILL_TOO_LARGE beyond 1024 brushes. */
RILL_API rill_result rill_world_brush(rill_world *world, const rill_brush *brush);

typedef struct rill_control_id {
    uint64_t value;
} rill_control_id;

/* A control draws liquid into a shape in plan: as if the ground around it rose from the shape on with a slope of strength over
 * gravity. Wang, Miller & Turk 2007, section 7. Arrays are copied, and given back by no call. */
typedef struct rill_control_def {
    const char *name; /* copied; may be NULL; must be unique otherwise */
    /* The shape: polygons, or a mask. A polygon inside another is a hole in it; cells count by their centres. */
    const double *points;   /* m: x, y of each corner, polygon after polygon */
    const int32_t *corners; /* how many each polygon has, 3 at least */
    int32_t polygon_count;  /* 1 to 1e6; 0 with a mask */
    const uint8_t *mask;    /* one byte per cell of the grid, row 0 south, 0 outside; NULL with polygons */
    size_t mask_count;      /* cells[0] * cells[1] */
    double strength;        /* m/s2, acceleration towards the shape outside of it, 0 to 1e4; default 10 */
    /* Where liquid meets solids in the shape while the control acts, and elsewhere; NaN in both members, the default: as without
     * the control. Of several controls that say something of a cell the last one holds. */
    rill_contact_angle inside, outside;
    double from, until; /* s: acts in sub-steps that begin at from <= time < until; default 0 and infinity */
} rill_control_def;

RILL_API rill_control_def rill_default_control_def(void);
/* The bed must be built. Takes time in proportion to the cells of the grid, once: distances are exact. */
RILL_API rill_result rill_control_create(rill_world *world, const rill_control_def *def, rill_control_id *out);
RILL_API rill_result rill_control_destroy(rill_world *world, rill_control_id id);
RILL_API rill_result rill_control_set_strength(rill_world *world, rill_control_id id, double strength);
/* The definition as it is now, without its shape: polygon_count is 0, arrays are NULL. Its name is valid until it goes. */
RILL_API rill_result rill_control_get_def(const rill_world *world, rill_control_id id, rill_control_def *out);
/* 1 for each cell of the grid that is in the shape, else 0. `count` is cells[0] * cells[1]. */
RILL_API rill_result rill_control_read_mask(const rill_world *world, rill_control_id id, uint8_t *out, size_t count);
RILL_API rill_control_id rill_control_find(const rill_world *world, const char *name); /* null id when there is none */
RILL_API const char *rill_control_name(const rill_world *world,
                                       rill_control_id id); /* "" when nameless, NULL when stale */
/* As with sources. */
RILL_API int32_t rill_world_control_count(const rill_world *world);
RILL_API rill_control_id rill_world_control_at(const rill_world *world, int32_t index);
RILL_API rill_result rill_control_set_user_data(rill_world *world, rill_control_id id, void *user);
RILL_API void *rill_control_user_data(const rill_world *world, rill_control_id id); /* NULL when stale */

/* ------------------------------------------------------------------------------------------------------------ shell */

typedef struct rill_shell_id {
    uint64_t value;
} rill_shell_id;

/* A shell is a curved surface with liquid on it: a figure, a glass, a leaf. Wang, Miller & Turk 2007. Columns stand on the vertices
 * of a triangle mesh, along its normals, on one side of it; vertices in the same place are one. Drops run over it, merge, hang and
 * stick, by gravity, by surface tension where rill_solver.tension lets it act (edges take the place of cells), and by contact angles.
 * Depths count along normals: what is deeper than the surface is curved is held back (rill_shell_info.smallest_limit).
 *
 * What hangs and is heavier than its tension drips: it falls straight down at once, onto the shell or the grid below. What meets
 * neither, or no room, is booked as drained, under "dripped". */
typedef struct rill_shell_def {
    const char *name; /* copied; may be NULL; must be unique otherwise */
    /* x, y, z each, and three per triangle, counter-clockwise seen from where the liquid is. Arrays are copied. An edge has two
     * triangles at most, which are wound alike. */
    const float *vertices;
    size_t vertex_count;
    const uint32_t *indices;
    size_t triangle_count;
    double scale;                   /* m per unit of the vertices, 1e-9 to 1e9; default 1 */
    double rotate[3], translate[3]; /* degrees about x, y, z in that order; then m */
    bool inside;                    /* the liquid is on the other side */
    /* Degrees; NaN in both members, the default: that of the liquid. The liquid's tells apart what sticks from what runs. */
    rill_contact_angle contact_angle;
    /* A mean angle per vertex, degrees, 0 to 180; NULL, the default: none. Advancing and receding ones are as far apart as those
     * of the shell, or else of the liquid. */
    const double *contact_angles;
} rill_shell_def;

RILL_API rill_shell_def rill_default_shell_def(void);

/* In a world that has a grid the bed must be built: liquid is counted by one quantum everywhere. */
RILL_API rill_result rill_shell_create(rill_world *world, const rill_shell_def *def, rill_shell_id *out);
/* Its liquid is booked as drained, under "emptied". */
RILL_API rill_result rill_shell_destroy(rill_world *world, rill_shell_id id);
RILL_API rill_shell_id rill_shell_find(const rill_world *world, const char *name); /* null id when there is none */
RILL_API const char *rill_shell_name(const rill_world *world, rill_shell_id id); /* "" when nameless, NULL when stale */
/* As with solids. */
RILL_API int32_t rill_world_shell_count(const rill_world *world);
RILL_API rill_shell_id rill_world_shell_at(const rill_world *world, int32_t index);
RILL_API rill_result rill_shell_set_user_data(rill_world *world, rill_shell_id id, void *user);
RILL_API void *rill_shell_user_data(const rill_world *world, rill_shell_id id); /* NULL when stale */

/* Another place and turn, between any two steps. The liquid goes along: of the motion it feels which way gravity points. */
RILL_API rill_result rill_shell_set_pose(rill_world *world, rill_shell_id id, const double translate[3],
                                         const double rotate[3]);
RILL_API rill_result rill_shell_get_pose(const rill_world *world, rill_shell_id id, double translate[3],
                                         double rotate[3]);

/* The surface in its own frame, with `scale` but neither turned nor moved: for drawing it. Columns are in an order of their own.
 * Arrays are the library's and valid until the shell is destroyed, or the world is restored. */
typedef struct rill_shell_mesh {
    const double *positions, *normals; /* m; x, y, z per column */
    const double *areas;               /* m2 per column */
    int32_t column_count;
    const uint32_t *triangles; /* three columns each, counter-clockwise seen from where the liquid is */
    int32_t triangle_count;
} rill_shell_mesh;
RILL_API rill_result rill_shell_get_mesh(const rill_world *world, rill_shell_id id, rill_shell_mesh *out);

typedef struct rill_shell_info {
    int32_t columns, triangles;
    double spacing;     /* m: mean distance of columns next to each other */
    double area;        /* m2 */
    double worst_angle; /* degrees: the smallest of all triangles; below 20 or so columns know their neighbours badly */
    double smallest_limit; /* m: no column of a concave part may be deeper than its own; INFINITY: none is limited */
    int64_t quanta;        /* of liquid, counted afresh; their volume is rill_ledger.quantum_volume */
    double volume;         /* m3 */
    int64_t awake_columns; /* that the next sub-step would look at: 0 at rest */
    int32_t substeps;      /* of the last step */
} rill_shell_info;
RILL_API rill_result rill_shell_get_info(const rill_world *world, rill_shell_id id, rill_shell_info *out);

/* Puts a drop of some volume (m3, > 0) down at the column next to a point, as wide as its contact angle lets it be. Booked under
 * "fill". `report` may be NULL. */
RILL_API rill_result rill_shell_fill_drop(rill_world *world, rill_shell_id id, const double at[3], double volume,
                                          rill_fill_report *report);
/* Sets the depths (m) of all columns; NaN leaves one alone. */
RILL_API rill_result rill_shell_fill_depths(rill_world *world, rill_shell_id id, const double *depths, size_t count,
                                            rill_fill_report *report);

/* m per column, and m/s along the surface in the world's frame, x, y, z per column. `count` is the number of doubles. */
RILL_API rill_result rill_shell_read_depths(const rill_world *world, rill_shell_id id, double *out, size_t count);
RILL_API rill_result rill_shell_read_velocities(const rill_world *world, rill_shell_id id, double *out, size_t count);

/* The column of a shell next to a point. */
typedef struct rill_shell_sample {
    int32_t column;
    bool wet;           /* deeper than 0.002 of the spacing: liquid may leave it */
    double position[3]; /* m: on the surface, in the world */
    double normal[3];
    double depth;       /* m */
    double velocity[3]; /* m/s */
} rill_shell_sample;
/* At points x, y, z each. */
RILL_API rill_result rill_shell_query_points(const rill_world *world, rill_shell_id id, const double *points,
                                             size_t count, rill_shell_sample *out);

/* ------------------------------------------------------------------------------------------------------------- body */

/* Rigid bodies: things that float, sink, drift and block. A body displaces liquid exactly, is pushed by it and pushes it,
 * both in one implicit solve, so that bodies far lighter than what they displace are as stable as heavy ones.
 *
 * Rill knows nothing of contacts: bodies pass through each other and through the bed. That is the business of a physics
 * engine, any one, in this order:
 *
 *     rill_world_step(world, dt);
 *     rill_body_get_forces(world, id, &forces);       what the liquid has done to the body in this step
 *     ... the engine's body gets forces.impulse and forces.angular_impulse, and the engine makes its step ...
 *     rill_body_set_state(world, id, &state);         where the body is now
 *
 * Without an engine leave the last three out: bodies then go where liquid and gravity take them (rill_body_get_state).
 *
 * Liquid passes under a body and over it, and may lie on it: what is poured on a deck, or into the hold of a boat, stays there as
 * on any bed, weighs on the body and goes where it goes, until it comes over the side. The walls of a hold should be one and a
 * half cells thick at least. A body should be two cells thick where it has to hold liquid back, and may be as small as you like otherwise. */
typedef struct rill_body_id {
    uint64_t value;
} rill_body_id;

/* Where a body is and how it moves. What the liquid does comes on top of `acceleration` during a step: gravity for a body that
 * falls or floats, nothing for one that rests on the ground. */
typedef struct rill_body_state {
    double position[3];         /* m: of the centre of mass */
    double orientation[4];      /* unit quaternion x, y, z, w: from the body's frame to the world's */
    double velocity[3];         /* m/s: of the centre of mass */
    double angular_velocity[3]; /* rad/s: in the world's frame */
    double acceleration[3];     /* m/s2: by all but the liquid */
} rill_body_state;

typedef struct rill_body_def {
    const char *name;     /* copied; may be NULL; must be unique otherwise */
    rill_shape_def shape; /* default: a sphere; in the body's frame */
    double mass;          /* kg, > 0; INFINITY: it goes as it is told, whatever the liquid does. Default: see density */
    double density;       /* kg/m3, > 0: used if mass is 0; default 500 */
    double centre[3];     /* m: centre of mass in the body's frame; all NaN, the default: that of its volume */
    /* kg m2 about the centre of mass in the body's frame: xx, yy, zz, xy, xz, yz; all 0, the default: as if mass were
     * spread evenly over its volume. */
    double inertia[6];
    double drag; /* coefficient of form drag, >= 0; default 1: blunt; a slender hull 0.1 */
    /* Default: at the origin, upright, at rest, no acceleration: rill_body_create then takes gravity. */
    rill_body_state state;
} rill_body_def;

RILL_API rill_body_def rill_default_body_def(void);

/* The bed must be built. Fills after this leave out what the body displaces; liquid that is there already is pushed aside. */
RILL_API rill_result rill_body_create(rill_world *world, const rill_body_def *def, rill_body_id *out);
RILL_API rill_result rill_body_destroy(rill_world *world, rill_body_id id);
RILL_API rill_body_id rill_body_find(const rill_world *world, const char *name); /* null id when there is none */
RILL_API const char *rill_body_name(const rill_world *world, rill_body_id id);   /* "" when nameless, NULL when stale */
/* Bodies one by one: index 0 to count - 1, in order of creation as long as none is destroyed. Null id when out of range. */
RILL_API int32_t rill_world_body_count(const rill_world *world);
RILL_API rill_body_id rill_world_body_at(const rill_world *world, int32_t index);
/* As with solids. */
RILL_API rill_result rill_body_set_user_data(rill_world *world, rill_body_id id, void *user);
RILL_API void *rill_body_user_data(const rill_world *world, rill_body_id id); /* NULL when stale */

/* RILL_INVALID_ARGUMENT, and nothing changed, for what is not finite, or a quaternion without length.
 *
 * A body may be put anywhere at once, and is there from then on. The liquid sees it come there evenly during the next step, in
 * sub-steps of half a cell, and is pressed aside over that time. It comes down from above if it is put farther away than it is
 * wide; of more than 16 cells all but the last 16 are jumped, and so is less than a quarter of one. */
RILL_API rill_result rill_body_set_state(rill_world *world, rill_body_id id, const rill_body_state *state);
RILL_API rill_result rill_body_get_state(const rill_world *world, rill_body_id id, rill_body_state *out);

/* Mass and form of a body, in its own frame. Triangles are for drawing and for an engine's shapes: vertices are given relative to
 * the centre of mass. Arrays are the library's and valid until the body is destroyed. */
typedef struct rill_body_info {
    double mass;       /* kg */
    double inertia[6]; /* kg m2: xx, yy, zz, xy, xz, yz */
    double volume;     /* m3 */
    double centre[3];  /* m: centre of mass in the frame of the definition */
    double middle[3];  /* m: centre of its volume, from its centre of mass */
    rill_shape shape;
    double radius;          /* m: sphere, capsule, cylinder */
    double length;          /* m: of a cylinder, and between the centres of the caps of a capsule; along z */
    double size[3];         /* m: edges of a box */
    const double *vertices; /* x, y, z each */
    size_t vertex_count;
    const uint32_t *indices; /* counter-clockwise seen from outside */
    size_t triangle_count;
} rill_body_info;
RILL_API rill_result rill_body_get_info(const rill_world *world, rill_body_id id, rill_body_info *out);

/* Forces of the liquid on a body in the last step, and how it lies in it at its end. */
typedef struct rill_body_forces {
    double impulse[3];          /* N s */
    double angular_impulse[3];  /* N m s, about the centre of mass, in the world's frame */
    double submerged_volume;    /* m3 */
    double submerged_centre[3]; /* m */
    double wetted_area;         /* m2 */
    double level;               /* m, absolute: mean of the columns it is in; its own lowest point when it is dry */
    double liquid_velocity[2];  /* m/s: mean of the liquid around and under it */
    double deck_volume;         /* m3 of liquid that lies on it, or in it */
} rill_body_forces;
RILL_API rill_result rill_body_get_forces(const rill_world *world, rill_body_id id, rill_body_forces *out);

/* ------------------------------------------------------------------------------------------------------------- step */

/* Each bit names the setting to change. */
typedef uint32_t rill_status;
enum {
    RILL_STATUS_SUBSTEPS_CAPPED = 1u << 0, /* waves were slowed: raise solver.max_substeps or shorten the step */
    RILL_STATUS_SOURCE_REFUSED = 1u << 1,  /* a source found no room: raise headroom or lower its rate */
    RILL_STATUS_SINK_DRY = 1u << 2,        /* a sink took less than its rate: nothing more was there */
    RILL_STATUS_RANGE = 1u << 3,           /* liquid reached the top of the range: raise headroom */
    /* Gravity points along or off the bed, which bodies and RILL_METHOD_KANDEMIR do not know: for them its part into the
     * bed was raised to 1/8 of that along it. */
    RILL_STATUS_GRAVITY_LIFTED = 1u << 4,
    /* The pressure solve of flooded passages was stopped early and repaired in whole quanta: volumes and ceilings hold,
     * flow there is less accurate. */
    RILL_STATUS_PASSAGES_CAPPED = 1u << 5,
    /* A moving solid left enclosed liquid no room: it was pushed through solids to the nearest that there was; move it
     * less, or leave the liquid a way out. */
    RILL_STATUS_SQUEEZED = 1u << 6,
    /* The solve for bodies was stopped early: no volume is lost, but bodies and liquid overlap for a while; shorten the
     * step. */
    RILL_STATUS_BODIES_CAPPED = 1u << 7,
    /* With RILL_METHOD_WAVES, liquid would have gone more than a cell in a sub-step and was slowed: shorten
     * solver.waves.time_step. */
    RILL_STATUS_SPEED_CAPPED = 1u << 8,
    /* With RILL_METHOD_WAVES, a solve was stopped early: waves are late; raise solver.waves.iterations or shorten the
     * step. With RILL_PAPERS_WANG the same of solver.wang.iterations. */
    RILL_STATUS_WAVES_CAPPED = 1u << 9
};

/* "substeps capped", ... for a single bit; NULL for an unknown one. */
RILL_API const char *rill_status_name(rill_status bit);

/* Advances the world by dt seconds (> 0, at most 3600) in as many sub-steps as stability asks for; less than 1e-12 s counts
 * as that. Allocates nothing after the first step, unless solids were changed and rill_bed_build was not called since, passages are
 * flooded by half more than ever before, or there are more sources, bodies and solids than ever.
 *
 * On anything but RILL_OK nothing was done, or not all if memory ran out on the way: the bed may have followed its solids, and
 * time gone on (rill_world_time). */
RILL_API rill_result rill_world_step(rill_world *world, double dt);
/* RILL_STATUS_... bits of the last step that was made; 0 if all went well. */
RILL_API rill_status rill_world_status(const rill_world *world);

RILL_API double rill_world_time(const rill_world *world);

/* Stages of a sub-step, as they are timed. */
typedef enum rill_stage {
    RILL_STAGE_SOURCES = 0, /* sources and sinks pour, moving walls give and take, falls land and start */
    RILL_STAGE_SLEEP,       /* which tiles are at rest, and which are to be swept */
    RILL_STAGE_LAYERS,      /* pipes between layers that are listed one by one */
    RILL_STAGE_SWEEP,       /* all columns of awake tiles */
    RILL_STAGE_PASSAGES,    /* pressures of what is flooded, and what they move */
    RILL_STAGE_BODIES,      /* bodies and the heads under them */
    RILL_STAGE_TENSION,     /* pressures of curved surfaces and wetted floors */
    RILL_STAGE_SHELLS,      /* all that happens on shells, after the sub-steps of the grid */
    RILL_STAGE_COUNT
} rill_stage;
RILL_API const char *rill_stage_name(rill_stage stage);

/* Of the last step. Where there is no grid: of the shell that took the most sub-steps, and all their columns. */
typedef struct rill_step_info {
    rill_status status;
    int32_t substeps;
    double smallest_dt;    /* s */
    double max_speed;      /* m/s, largest |u| + |v| of a column deeper than 1/256 of the deepest */
    int64_t awake_columns; /* columns in tiles that were simulated */
    double stage_seconds[RILL_STAGE_COUNT];
} rill_step_info;
RILL_API rill_result rill_world_get_step_info(const rill_world *world, rill_step_info *out);

/* ----------------------------------------------------------------------------------------------------------- events */

typedef enum rill_event_kind {
    RILL_EVENT_SOURCE_REFUSED = 0, /* not all that a source gives finds room any more */
    RILL_EVENT_SOURCE_ACCEPTED,    /* all of it does again */
    RILL_EVENT_SINK_REACHED,       /* a sink takes something: at first, or again */
    RILL_EVENT_SINK_DRY,           /* nothing is left where a sink is, which was reached */
    RILL_EVENT_BODY_ENTERED,       /* a body touches liquid: it came in, was created in it, or was washed over */
    RILL_EVENT_BODY_LEFT,          /* it does not any more */
    RILL_EVENT_SOLID_WET,          /* the first column that has a solid for its floor is wet (rill_sample.wet) */
    RILL_EVENT_SOLID_DRY           /* none is any more */
} rill_event_kind;
/* "source refused", ...; NULL for an unknown one. */
RILL_API const char *rill_event_kind_name(rill_event_kind kind);

typedef struct rill_event {
    rill_event_kind kind;
    double
        time; /* s, from the beginning of the step: sources are looked at after each sub-step, all others when it ends */
    rill_source_id source; /* whom it is about; the other two are null */
    rill_body_id body;
    rill_solid_id solid;
} rill_event;

/* Tells what the last step that was made has changed, in an order that does not depend on threads: sources and sinks by time, then
 * bodies, then solids. Everything was dry, and no source refused, before the first step; in a world that is restored from a
 * snapshot there is none until its next step, which reports what the saved world's would have. A source or sink is told of twice
 * at most in a step, everything else once. Ids may have become stale since. */
RILL_API int32_t rill_world_event_count(const rill_world *world);
RILL_API rill_result rill_world_get_event(const rill_world *world, int32_t index, rill_event *out);

/* ----------------------------------------------------------------------------------------------------------- ledger */

/* All volumes in quanta: multiply by quantum_volume for m3. error = columns + airborne + in_transit - poured +
 * drained: always 0. */
typedef struct rill_ledger {
    double quantum_volume; /* m3 */
    int64_t columns;       /* in columns now, on bodies over them and on shells, counted afresh */
    int64_t airborne;      /* has run off an edge and not come down yet */
    int64_t in_transit;    /* pressed out or drawn by moving solids, on its way into columns */
    int64_t poured;        /* by fills, sources and still edges */
    int64_t drained;       /* by sinks, open and still edges, fills that replaced liquid, drips, and rill_world_drain */
    int64_t error;
} rill_ledger;
RILL_API rill_result rill_world_get_ledger(const rill_world *world, rill_ledger *out);

/* The ledger's accounts by name: "fill", "west", "east", "south", "north", then those of sources and sinks, also of
 * destroyed ones, and once there was something to book there "emptied" and "dripped" (what gravity has pulled off the bed
 * or a shell, and what met nothing that it could fall on). */
typedef struct rill_account {
    const char *name;        /* valid until the next call that creates or destroys something */
    int64_t poured, drained; /* quanta */
} rill_account;
RILL_API int32_t rill_world_account_count(const rill_world *world);
RILL_API rill_result rill_world_get_account(const rill_world *world, int32_t index, rill_account *out);

/* Energy in J of all but shells, counted afresh; heights from the lowest floor, along the bed from the grid's origin. Where nothing is poured and
 * nothing is moved from outside the sum falls, by viscosity and by mixing. Velocities lie half a sub-step beside the levels,
 * so that in waves of angular frequency w it trembles by about w dt of their energy. What a new body raises counts from the
 * next step on. */
typedef struct rill_energy {
    double potential; /* of the liquid, on bodies and held by moving solids too */
    double kinetic;   /* of the liquid: of all pipes between columns of the world */
    /* Of bodies of finite mass, both kinds, by their own accelerations; with the liquid that they carry along. */
    double bodies;
    /* Of curved surfaces and wetted floors, where tension acts; 0 for level liquid on a floor that it wets. */
    double surface;
} rill_energy;
/* RILL_INVALID_STATE before the bed is built, and with RILL_METHOD_KANDEMIR and RILL_PAPERS_WANG. */
RILL_API rill_result rill_world_get_energy(const rill_world *world, rill_energy *out);

/* ------------------------------------------------------------------------------------------------------------ query */

typedef struct rill_sample {
    bool found;           /* false: no column there; everything else is then zero */
    bool wet;             /* deeper than 32 quanta */
    int32_t layer;        /* which void of its cell, from below */
    double base, ceiling; /* m, absolute; ceiling is infinity under open sky */
    double level, depth;  /* m; a dry column's level is its base. With liquid on a body: that level, both depths */
    double velocity[2];   /* m/s, mean of the two faces on each axis */
} rill_sample;

/* The columns at points (x, y, z each), by the same rule as sources. */
RILL_API rill_result rill_query_points(const rill_world *world, const double *points, size_t count, rill_sample *out);
/* m3 of liquid inside an axis-aligned box; cells count by their centres. */
RILL_API rill_result rill_query_box_volume(const rill_world *world, const double min[3], const double max[3],
                                           double *out);
/* m3 of liquid standing on floors that belong to a solid. */
RILL_API rill_result rill_query_solid_volume(const rill_world *world, rill_solid_id id, double *out);

/* Kinds of things that rays may meet; sums of them say which count. */
typedef enum rill_ray_target {
    RILL_RAY_NOTHING = 0,
    RILL_RAY_LIQUID = 1 << 0,
    RILL_RAY_SOLIDS = 1 << 1, /* those that are visible, where they are now: rill_solid_get_mesh */
    RILL_RAY_BODIES = 1 << 2, /* by their triangles: rill_body_get_info */
    RILL_RAY_SHELLS = 1 << 3, /* by their triangles, whatever is on them: rill_shell_get_mesh */
    RILL_RAY_ALL = 15
} rill_ray_target;

typedef struct rill_ray {
    double origin[3];    /* m */
    double direction[3]; /* of any length but 0 */
} rill_ray;

typedef struct rill_ray_hit {
    rill_ray_target what; /* RILL_RAY_NOTHING: everything else is zero */
    double distance;      /* m */
    double point[3];      /* m */
    double normal[3];     /* of length 1, on the side that the ray comes from */
    int32_t layer;        /* of liquid: which void of its cell, from below */
    rill_solid_id solid;  /* null but for a solid */
    rill_body_id body;    /* null but for a body */
    rill_shell_id shell;  /* null but for a shell, */
    int32_t column;       /* and of that the one that is next to the point */
} rill_ray_hit;

/* The nearest that each ray meets, from either side. Liquid is the volume of its columns: its surface goes from level to level
 * between the centres of columns that are linked, as the mesh does without its meniscus, and is level up to the border of the cell
 * elsewhere, with upright sides; what is flooded under a ceiling has no surface. Before the bed is built there is none. Rays at a
 * solid or body of many triangles are slow only the first time after it has moved, and allocate then. */
RILL_API rill_result rill_query_rays(const rill_world *world, const rill_ray *rays, size_t count, uint32_t targets,
                                     rill_ray_hit *out);

typedef enum rill_field {
    RILL_FIELD_BASE = 0, /* m, absolute */
    RILL_FIELD_CEILING,  /* m, absolute; infinity under open sky */
    RILL_FIELD_DEPTH,    /* m; with what lies on bodies */
    RILL_FIELD_VELOCITY, /* m/s, two values per cell: the mean of the column's two faces on each axis */
    RILL_FIELD_FACES,    /* m/s, two values per cell: through its west and its south face */
    RILL_FIELD_AWAKE,    /* 1 in a tile that the next sub-step would simulate, 0 in one that is dry or at rest */
    RILL_FIELD_PRESSURE  /* Pa: Kandemir's total pressure (Eq. 5.1) at the floor; with that method alone */
} rill_field;
/* One layer as an array, row 0 south, x fastest; NaN where a cell has no such column. `count` is the number of
 * doubles in `out`: cells[0] * cells[1], twice that for velocities and faces. */
RILL_API rill_result rill_world_read_field(const rill_world *world, rill_field field, int32_t layer, double *out,
                                           size_t count);

/* The cells low[0] <= x < high[0], low[1] <= y < high[1] of one layer: what a camera sees, or the ground under a body. */
typedef struct rill_field_area {
    int32_t layer;
    int32_t low[2], high[2]; /* 0 <= low <= high <= cells */
} rill_field_area;
/* That part of what rill_world_read_field reads, row by row: (high[0] - low[0]) * (high[1] - low[1]) numbers, twice that for
 * velocities and faces. Nothing is written unless everything is in order. */
RILL_API rill_result rill_world_read_field_area(const rill_world *world, rill_field field, const rill_field_area *area,
                                                double *out, size_t count);
/* Reads the values rounded to single precision, as graphics processors want them. */
RILL_API rill_result rill_world_read_field_floats(const rill_world *world, rill_field field,
                                                  const rill_field_area *area, float *out, size_t count);

/* --------------------------------------------------------------------------------------------------------- kandemir */

/* For worlds whose solver.method is RILL_METHOD_KANDEMIR and whose bed is built; RILL_INVALID_STATE otherwise. */

/* The surface as control points between columns (Eq. 5.8), absolute z, m: point (i, j), row 0 south, lies at
 * origin + (i, j) * cell_size and is the mean level of the columns around it, four of them inside of the tank. NaN where there
 * is none. `count` is the number of doubles in `out`: (cells[0] + 1) * (cells[1] + 1). */
RILL_API rill_result rill_world_read_control_points(const rill_world *world, double *out, size_t count);

/* ---------------------------------------------------------------------------------------------------------- surface */

/* The mesh over the liquid, Dagenais et al. 2018, sections 4 and 5 (docs/surface.md has drawings). A surface belongs to a
 * world and is built from its present state when asked; a world may have several. Building changes nothing in the world,
 * allocates nothing once its buffers are large enough, and gives the same bits on any number of threads. */
typedef struct rill_surface rill_surface;

typedef enum rill_meniscus {
    RILL_MENISCUS_TILT = 0, /* normals near solids lean by the contact angle: the default */
    RILL_MENISCUS_LIFT, /* vertices are lifted by the exact profile at a wall as well, and normals lean as it does */
    RILL_MENISCUS_NONE
} rill_meniscus;

typedef enum rill_falloff {
    RILL_FALLOFF_LINEAR = 0, /* over one capillary length, as printed */
    RILL_FALLOFF_EXPONENTIAL /* exp(-distance / capillary length): the truth for small slopes */
} rill_falloff;

typedef enum rill_surface_form {
    RILL_SURFACE_MESH = 0, /* only the triangles there are */
    RILL_SURFACE_GRIDS /* fixed topology: every layer is a grid of cells[0] * cells[1] vertices, opacity 0 where there is none */
} rill_surface_form;

typedef struct rill_surface_def {
    rill_surface_form form;
    rill_meniscus meniscus;
    rill_falloff falloff;
    bool floor; /* section 4.4: lifted where it would cut into the solids' real triangles; default true */
    /* The outline lies where the level meets the bed between columns; default true. false: as printed. */
    bool smooth_shores;
    bool skirts;         /* edges of overhangs over which liquid runs are closed downwards; default true */
    bool distances;      /* the mesh has them, too; default false. Not for grids, nor without a meniscus */
    double opaque_depth; /* m, > 0: liquid of this depth has opacity 1; default 0.001 */
} rill_surface_def;

RILL_API rill_surface_def rill_default_surface_def(void);

/* Where a mesh is, or is to go. Arrays the user does not want may be NULL in rill_surface_write. */
typedef struct rill_surface_mesh {
    float *positions;  /* x, y, z each, m */
    float *normals;    /* x, y, z each, of length 1, upwards; sideways at the lower end of a skirt */
    float *velocities; /* x, y, z each, m/s */
    float *opacities;  /* 0 to 1 by depth; 0 at a dry shore */
    float *depths;     /* m of liquid below the vertex */
    float *wetness;    /* 1 on a wet column and where its surface ends at a wall or an edge, 0 at a shore */
    float *distances;  /* m to where the surface meets a solid; infinity beyond the meniscus; NULL unless asked for */
    int32_t *layers;   /* which void of its cell, from below */
    uint32_t *indices; /* three per triangle, counter-clockwise seen from above */
    size_t vertex_count, triangle_count; /* capacity for rill_surface_write, which sets them to what there is */
} rill_surface_mesh;

/* The world must outlive its surfaces. RILL_INVALID_STATE before the bed is built. */
RILL_API rill_result rill_surface_create(rill_world *world, const rill_surface_def *def, rill_surface **out);
RILL_API void rill_surface_destroy(rill_surface *surface); /* NULL is allowed */
/* Makes the mesh of the world as it is now. */
RILL_API rill_result rill_surface_build(rill_surface *surface);
/* The mesh of the last build, in arrays of the library: valid until the next build. */
RILL_API rill_result rill_surface_get_mesh(const rill_surface *surface, rill_surface_mesh *out);
/* Liquid in the air, as of the last build, likewise: sheets with two sides, and drops. Depths are how thick it is, wetness is 1, normals
 * point away from the liquid, there are no distances, and triangles are counter-clockwise seen from outside. Its vertices and
 * triangles are others in every build. Nothing but with RILL_FALLS_FLIGHT; then lips have no skirts. */
RILL_API rill_result rill_surface_get_falls(const rill_surface *surface, rill_surface_mesh *out);
/* Copies it into arrays of the user. RILL_INVALID_ARGUMENT if they are too small; the counts then say what is needed. */
RILL_API rill_result rill_surface_write(const rill_surface *surface, rill_surface_mesh *out);

/* Stages of a build, as they are timed. */
typedef enum rill_surface_stage {
    RILL_SURFACE_STAGE_LEVELS = 0, /* levels of columns, and which are linked */
    RILL_SURFACE_STAGE_TRIANGLES,
    RILL_SURFACE_STAGE_FLOOR, /* where solids lift vertices */
    RILL_SURFACE_STAGE_MENISCUS,
    RILL_SURFACE_STAGE_COUNT
} rill_surface_stage;
RILL_API const char *rill_surface_stage_name(rill_surface_stage stage); /* NULL for an unknown one */

typedef struct rill_surface_info {
    size_t vertices, triangles;
    size_t shore_vertices; /* where it ends: at dry columns, at edges of overhangs and at the border of the grid */
    size_t extra_vertices; /* where it ends at walls */
    size_t skirt_vertices, skirt_triangles;
    size_t lifted;     /* vertices the floor has raised */
    uint64_t topology; /* a number that changes when indices do: vertex order is stable while it does not */
    double stage_seconds[RILL_SURFACE_STAGE_COUNT];
} rill_surface_info;
RILL_API rill_result rill_surface_get_info(const rill_surface *surface, rill_surface_info *out);

/* --------------------------------------------------------------------------------------------------------- snapshot */

/* A snapshot holds the whole world but its runtime: bed, liquid, bodies, sources, ledger. Resuming gives the same bits.
 * Byte order is little-endian everywhere; the format is versioned and protected by a checksum. */
RILL_API size_t rill_snapshot_size(const rill_world *world); /* 0 when the bed is not built, unless there is no grid */
RILL_API rill_result rill_snapshot_save(const rill_world *world, void *memory, size_t capacity, size_t *size);
/* Creates a world from a snapshot. `runtime` (defaults) and `message` may be NULL. What is in it has new ids, in the order that
 * the world had which was saved: rill_world_body_at, rill_body_find and their like. */
RILL_API rill_result rill_snapshot_load(const void *memory, size_t size, const rill_runtime *runtime, rill_world **out,
                                        rill_message *message);
/* Rewinds a world to a snapshot; the runtime stays. Ids handed out before become those of the snapshot. */
RILL_API rill_result rill_snapshot_restore(rill_world *world, const void *memory, size_t size);

/* 64 bits over everything that decides the future: bed, depths, velocities, sources, counters. */
RILL_API uint64_t rill_world_hash(const rill_world *world);

/* Checks every invariant of the world's data; for tests and bug reports. */
RILL_API rill_result rill_world_validate(const rill_world *world, rill_message *message);

#ifdef __cplusplus
}
#endif
#endif
