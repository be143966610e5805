/* Exact solutions the cases are measured against. SI units. */
#ifndef RILL_VALIDATE_EXACT_SOLUTIONS_H
#define RILL_VALIDATE_EXACT_SOLUTIONS_H

#define RILL_PI 3.14159265358979323846

/* A dam that breaks at x = 0, t = 0 between depths left > right >= 0 on a flat frictionless bed. */
typedef struct rill_dam {
    double gravity, left, right;
    double middle; /* depth of the state between rarefaction and shock; 0 on a dry bed */
    double speed;  /* of that state */
    double shock;  /* speed of the shock, of the dry front when right == 0 */
} rill_dam;

rill_dam rill_exact_dam(double gravity, double left, double right);
double rill_exact_dam_depth(const rill_dam *dam, double x, double t);

/* The planar surface in a parabolic bowl b = depth (r^2 / radius^2 - 1). */
typedef struct rill_bowl {
    double gravity, radius, depth;
    double swing; /* distance of the liquid's centre from the axis */
} rill_bowl;

double rill_exact_bowl_bed(const rill_bowl *bowl, double x, double y);
double rill_exact_bowl_period(const rill_bowl *bowl);
/* Return the depth (0 where dry) and velocity of the liquid at time t. */
double rill_exact_bowl_depth(const rill_bowl *bowl, double x, double y, double t);
void rill_exact_bowl_velocity(const rill_bowl *bowl, double t, double out[2]);

/* Returns the period of the longest standing wave between walls a length apart, in shallow liquid with wave speed
 * sqrt(g depth). */
double rill_exact_standing_period(double gravity, double length, double depth);

/* Returns the mean speed of a laminar film under a driving acceleration along the bed. */
double rill_exact_film_speed(double acceleration, double depth, double viscosity);

/* Returns the radius of a viscous puddle of given volume after a time. */
double rill_exact_puddle_radius(double gravity, double volume, double viscosity, double t);
/* Returns the depth of a viscous puddle at a distance from its centre. */
double rill_exact_puddle_depth(double gravity, double volume, double viscosity, double t, double r);

/* A drop at rest on a level bed (Young and Laplace), with a contact angle of at most 90 degrees. */
typedef struct rill_sessile {
    double radius, height;
} rill_sessile;

/* Returns the drop of a volume; `length` is the capillary length. */
rill_sessile rill_exact_sessile(double volume, double degrees, double length);

/* Returns the flow per width over a broad crest under an energy head. */
double rill_exact_crest_flow(double gravity, double head);

#endif
