/* The meniscus: how the surface bends where it meets a solid.
 *
 * Based on: Dagenais et al. 2018, section 5, and the exact profile of a liquid at a wall.
 *
 *                  solid           alpha  contact angle of the liquid
 *     surface     /                beta   inclination of the solid, straight up: by the bases of the columns at its end and beside it
 *    ________..-'/  <- psi         psi = beta - alpha   inclination of the surface at the contact: positive where it climbs
 *           d   / beta             d      distance from the contact line
 *    __________/___                l_c = sqrt(gamma / (rho g))   capillary length
 *
 * The *contact band* are the wet columns near the contact line. Its first ring is where the surface ends (rims that are
 * shores or walls); from there it grows over links, each column taking over the contact point of a neighbour if that is
 * nearer than its own (dead reckoning: distances are Euclidean, only who tells whom goes by links). Normals lean by
 *     psi (1 - d / l_c)      linear, as printed
 *     psi exp(-d / l_c)      exponential
 * away from the solid (towards it for psi < 0), along the gradient of d by central differences. Where that is short
 * because two walls are equally near they lean less: the surface is level midway.
 *
 * Lifted vertices follow the exact profile, z'' / (1 + z'^2)^(3/2) = z / l_c^2. With its inclination phi,
 *     z = 2 l_c sin(phi / 2),   x / l_c = -ln tan(phi / 4) - 2 cos(phi / 2) + constant,   phi = psi at d = 0,
 * which gives sqrt(2) l_c sqrt(1 - sin alpha) at a vertical wall. Normals then lean by phi.
 *
 * Where surface tension acts, columns carry the contact angle by themselves: psi is 0 at shores, and at walls too if they pull.
 *
 * Different from the paper: beta is that at the contact for the whole width of the band (between a column and its
 * nearest boundary column a low wall looks the flatter, the farther the column is away); contact points lie where the
 * surface ends, which need not be at a column; distances are compared as such, not through the neighbour's. */
#ifndef RILL_MENISCUS_MENISCUS_H
#define RILL_MENISCUS_MENISCUS_H

#include "mesh/surface_mesh.h"

/* A column of the contact band. */
typedef struct rill_contact_column {
    float to[2]; /* from its centre to its contact point, cells */
    int32_t stride;
    float strength; /* psi; of lifted vertices q with the sign of psi, see rill_contact_constants */
    int32_t place;
    float square; /* length of `to`, squared */
} rill_contact_column;

/* The contact line at a rim. */
typedef struct rill_contact {
    float strength;
    float along; /* how far the contact point is on the way to the next cell, 0 to 1 */
    float shift; /* how far a lifted rim moves on this way */
} rill_contact;

/* Columns that are worked on together. Squares of distances in cells; negative beyond the contact line. */
enum { RILL_CONTACT_RUN = 128 };
typedef struct rill_contact_run {
    float own[RILL_CONTACT_RUN], beside[4][RILL_CONTACT_RUN]; /* E, N, W, S */
    float strength[RILL_CONTACT_RUN];
    float n[3][RILL_CONTACT_RUN];      /* normals, in and out */
    float toward[2][RILL_CONTACT_RUN]; /* unit vectors to the contact line, out */
    float lift[RILL_CONTACT_RUN];      /* in capillary lengths, out */
} rill_contact_run;

/* A profile by q = exp(-x / l_c) over its value where the surface is vertical: along x it just decays. Tabulated is
 * t = tan(phi / 4), over sqrt(1 - q). */
enum { RILL_PROFILE = 256 };
typedef struct rill_contact_constants {
    float limit; /* square of how far the band reaches, cells2 */
    float decay; /* cell size / l_c */
    float profile[RILL_PROFILE + 1];
} rill_contact_constants;

typedef void rill_lean_kernel(int32_t n, rill_contact_run *run, const rill_contact_constants *constants);
typedef struct rill_meniscus_kernels {
    const char *name;
    rill_lean_kernel *linear, *exponential, *profile;
    void (*angles)(int32_t n, double *slopes); /* puts angles in the place of slopes */
} rill_meniscus_kernels;

const rill_meniscus_kernels *rill_meniscus_kernels_pick(bool scalar);
int32_t rill_meniscus_kernels_all(const rill_meniscus_kernels *out[4]);

/* Working memory of the meniscus. */
struct rill_contact_band {
    rill_allocator allocator;
    const rill_meniscus_kernels *kernels;
    rill_contact_constants constants;
    uint8_t listed[256][RILL_DIRECTIONS], counts[256]; /* the directions of a set, in order, and how many they are */
    double length, angle;                              /* l_c / m, alpha / radians */
    double steepness;                                  /* the slope of a quantum per cell */
    size_t plane_size;
    float *squares; /* plane: square of the distance from the contact line, cells2; below zero where it is not wet */
    float outside;  /* the square outside of the band: how far this may reach */
    uint64_t build_number; /* the last build of the surface that left the plane as it should be */
    rill_array columns;    /* rill_contact_column */
    rill_array contacts;   /* rill_contact, per rim */
    rill_array toward;     /* float[2]: per rim, the way of its column to the contact line */
};

/* Makes an empty contact band; NULL: no memory. */
rill_contact_band *rill_contact_band_make(const rill_allocator *allocator, bool scalar);
void rill_contact_band_free(rill_contact_band *band); /* NULL is allowed */
/* contact_distance.c. Finds the band of a surface whose rims are there; false without memory. */
bool rill_contact_band_find(rill_contact_band *band, const rill_surface *surface, const rill_surface_view *view);
/* Forgets the band, so that all squares are as before, for the next build. */
void rill_contact_band_forget(rill_contact_band *band);
/* Bends the mesh of a surface whose vertices and rims are there. */
rill_result rill_meniscus_bend(rill_surface *surface, const rill_surface_view *view);

/* Writes how far each vertex is from the contact line, while the band is known (or empty); false without memory. */
bool rill_contact_distance_write(rill_surface *surface, double cell_size);

/* meniscus_profile.c. Makes the table; finds t = tan(phi / 4) for phi up to a quarter turn, and q for t. */
#define RILL_QUARTER_TURN 1.57079632679489661923
void rill_profile_make(float table[RILL_PROFILE + 1]);
double rill_profile_tangent(double phi);
double rill_profile_decay(double t);

#endif
