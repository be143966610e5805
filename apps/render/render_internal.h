/* Shared by the files of the renderer.
 *
 *     render.c          a picture: passes in order, samples
 *     render_frame.c    cameras, lamps and their matrices
 *     render_targets.c  textures and framebuffers
 *     render_solids.c   solids as buffers, and how they and bodies are drawn
 *     render_bodies.c   bodies as buffers and poses
 *     render_liquid.c   surfaces as buffers, peels
 *     render_sides.c    the liquid seen from the side, through glass
 *     render_wet.c      where it has been wet
 *     render_overlay.c  lines and colours over the picture
 *     render_forces.c   arrows over the picture
 */
#ifndef RILL_RENDER_RENDER_INTERNAL_H
#define RILL_RENDER_RENDER_INTERNAL_H

#include "gl.h"
#include "render.h"

enum {
    RILL_SHADOW_SIZE = 2048,
    RILL_CAUSTIC_SIZE = 1024,
    RILL_HULL_SIZE = 1024,
    RILL_SKY_SAMPLES = 16,
    RILL_MATERIALS = RILL_MATERIAL_CHALK + 1
};

/* The uniform block Frame of shaders/common.glsl, in the same order. */
typedef struct rill_frame {
    float view_proj[16], inv_view_proj[16], sun_matrix[16], sky_matrix[16];
    float eye[4], sun[4], sun_colour[4], sky[4], size[4], bounds[4], backdrop[4], grid[4], studio[4], look[4];
} rill_frame;

/* A buffer of triangles or lines, on its way to the screen. */
typedef struct rill_batch {
    GLuint array, vertices, indices;
    GLsizei count; /* of indices */
} rill_batch;

/* A solid, or a body: those come after the solids. */
typedef struct rill_render_solid {
    uint64_t id;      /* a solid and a body may have the same */
    uint64_t hash;    /* of its vertices; of a body's shape and pose */
    uint64_t shape;   /* bodies: of their vertices alone, when the batch was made */
    bool body;        /* not a solid */
    bool drawn;       /* visible now */
    bool hollow;      /* bodies: maybe open above, as a boat is, and dry inside */
    float model[16];  /* from where its vertices are given to the world: nothing to do for solids */
    float object[16]; /* world to its own space */
    float low[3], high[3];
    float own_low[3], own_high[3]; /* bodies: in their own space */
    rill_batch batch;
    rill_render_material material;
} rill_render_solid;

typedef enum rill_program_name {
    RILL_PROGRAM_SHADOW = 0,
    RILL_PROGRAM_GROUND,
    RILL_PROGRAM_OCCLUSION,
    RILL_PROGRAM_LIGHT, /* with few samples, and with many */
    RILL_PROGRAM_LIGHT_SKY,
    RILL_PROGRAM_CAUSTIC,
    RILL_PROGRAM_VEIL,
    RILL_PROGRAM_PEEL,
    RILL_PROGRAM_MERGE,
    RILL_PROGRAM_LIQUID,
    RILL_PROGRAM_LIQUID_SKY,
    RILL_PROGRAM_GLASS,
    RILL_PROGRAM_GLASS_SKY,
    RILL_PROGRAM_TONE,
    RILL_PROGRAM_GATHER,
    RILL_PROGRAM_OVERLAY,
    RILL_PROGRAM_COUNT
} rill_program_name;

/* Textures with a framebuffer that draws into them. */
typedef struct rill_target {
    GLuint frame, colours[2], depth;
} rill_target;

typedef struct rill_targets {
    rill_target sun, sky;  /* shadow maps */
    rill_target lid, keel; /* top and underside of bodies, seen from above and below */
    rill_target caustic;   /* brightness, folds and height of sunlight below the surface, seen from the sun */
    rill_target veil;      /* what sunlight loses in liquid and glass, seen from the sun */
    rill_target geometry;  /* colour and roughness; normal and metal; depth */
    rill_target occlusion; /* one value */
    rill_target scene[2];  /* light and depth of the scene so far, before and after a peel */
    rill_target peel;      /* depths */
    rill_target tone;      /* display colours; shares the depth of a scene */
    rill_target sum[2];
    rill_target picture; /* 8 bits */
} rill_targets;

/* Wetness of every column, see render_wet.c. */
typedef struct rill_wet {
    GLuint texture;
    int32_t cells[2], layers;
    float *columns; /* base, highest wet point, wetness, unused; per layer and cell */
    double *field;  /* room for reading */
    bool changed;
} rill_wet;

/* Faces of the liquid against walls, see render_sides.c: four corners each, laid out as vertices of the liquid. */
enum { RILL_SIDE_FLOATS = 8, RILL_SIDE_MARK = 2 }; /* the mark stands where surfaces have their wetness, 0 to 1 */
typedef struct rill_sides {
    float *corners;
    size_t count, room; /* faces */
} rill_sides;

struct rill_render {
    int32_t width, height;
    GLuint programs[RILL_PROGRAM_COUNT];
    GLuint materials[2][RILL_MATERIALS]; /* programs for few and for many samples; 0 until a solid needs one */
    GLuint frame_buffer;                 /* uniform block */
    GLuint empty_array;                  /* for passes over the screen */
    GLuint query;
    rill_targets targets;
    rill_frame frame;
    float light_proj[2][16]; /* world to clip space of sun and sky */
    float hull_matrix[16];   /* world to the maps of lid and keel, -1 to 1 */
    bool hulls;              /* there is something on them */
    uint64_t shadow_key;     /* which solids the sun's shadow map shows, and from where; 0: nothing yet */
    rill_render_solid *solids;
    size_t solid_count;
    rill_batch ground, liquid, overlay;
    rill_wet wet;
    rill_sides sides;
    float cell_size;
    float liquid_low[3], liquid_high[3]; /* box around the liquid */
    int32_t peels;
};

/* ---------------------------------------------------------------------------------------------------------- targets */

bool rill_targets_create(rill_targets *targets, int32_t width, int32_t height, rill_message *message);
void rill_targets_destroy(rill_targets *targets);

/* ---------------------------------------------------------------------------------------------------------- batches */

/* Uploads vertices; `floats` per vertex, cut into attributes of the given sizes (ended by 0). False: the GL has no
 * memory. */
bool rill_batch_fill(rill_batch *batch, const float *vertices, size_t vertex_count, const int *attributes,
                     const uint32_t *indices, size_t index_count);
void rill_batch_draw(const rill_batch *batch, GLenum mode);
void rill_batch_free(rill_batch *batch);
/* Draws one triangle over the whole target. */
void rill_render_cover(const rill_render *render);

/* ------------------------------------------------------------------------------------------------------------ parts */

/* Solids and bodies. */
bool rill_render_take_solids(rill_render *render, const rill_world *world, const rill_render_options *options,
                             rill_message *message);
void rill_render_free_solids(rill_render *render);
/* Takes one body; its material is left alone. False: no memory, says the message. render_bodies.c */
bool rill_render_take_body(rill_render_solid *out, const rill_world *world, rill_body_id id, rill_message *message);
/* Finds where the surface must not be seen: it goes on through bodies, which shows in those of glass, in open boats,
 * and where the pressure below a body would lift it above. */
void rill_render_draw_hulls(rill_render *render);
uint64_t rill_render_hash(const double *values, size_t count);
extern const double rill_render_crease;   /* degrees: edges that bend more are sharp */
extern const float rill_render_still[16]; /* what stays where it is */
/* Draws all that is visible, with the program in use: opaque solids or those of glass. */
void rill_render_draw_solids(const rill_render *render, GLuint program, bool glass);
/* Returns a number that changes when their shadows do, as seen from a lamp; never 0. */
uint64_t rill_render_shadow_key(const rill_render *render, const float clip[16]);
/* Draws opaque solids, each with the program of its material. */
void rill_render_draw_materials(const rill_render *render);

bool rill_render_take_liquid(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t count,
                             rill_message *message);
/* Draws where the sun's light goes below the surface. */
void rill_render_draw_caustics(const rill_render *render, const rill_optics *optics);
/* Draws what sunlight loses in liquid and glass; nothing if there is neither. */
void rill_render_draw_veil(const rill_render *render);
/* Draws all peels and returns the number of the scene target that holds the result. */
int rill_render_draw_liquid(rill_render *render, const rill_render_options *options);

bool rill_render_take_overlay(rill_render *render, const rill_world *world, rill_surface *const *surfaces, size_t count,
                              rill_overlay overlay, rill_message *message);
/* Draws RILL_OVERLAY_FORCES, after a step of dt seconds. render_forces.c */
bool rill_render_take_forces(rill_render *render, const rill_world *world, double dt, rill_message *message);
void rill_render_draw_overlay(const rill_render *render, rill_overlay overlay);

/* Makes the sides of the liquid; false: no memory. Without glass only faces at the borders of the grid are made. */
bool rill_sides_make(rill_sides *sides, const rill_world *world, rill_surface *const *surfaces, size_t count,
                     bool glass);
void rill_sides_free(rill_sides *sides);

void rill_wet_upload(rill_wet *wet);
void rill_wet_free(rill_wet *wet);

/* Sets everything in the frame that is the same for all samples. */
void rill_frame_begin(rill_render *render, const rill_world *world, const rill_render_options *options);
/* Sets camera and lamps of one sample. */
void rill_frame_sample(rill_render *render, const rill_camera *camera, const rill_render_options *options,
                       int32_t sample);

#endif
