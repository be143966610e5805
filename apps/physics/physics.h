/* Scenes with bodies: the liquid is Rill's, contacts are those of a physics engine, the Open Dynamics Engine.
 *
 *     rill_physics *physics = rill_physics_create(scene, world);
 *     while (...) rill_physics_step(physics, dt, &status);
 *     rill_physics_destroy(physics);
 *
 * All that decides the future is in the world: the engine is told anew in every step where bodies are. So snapshots
 * need to know nothing of it, bodies and solids may come, go and be moved by anybody between steps, and the same worlds
 * give the same steps. */
#ifndef RILL_PHYSICS_PHYSICS_H
#define RILL_PHYSICS_PHYSICS_H

#include "scene/scene.h"

typedef struct rill_physics rill_physics;

/* Tells whether this program was built with the engine. Without it bodies float, but pass through each other and the
 * bed. */
bool rill_physics_has_contacts(void);

/* Makes what steps a scene's world; both must outlive it. NULL when there is no memory. */
rill_physics *rill_physics_create(const rill_scene *scene, rill_world *world);
void rill_physics_destroy(rill_physics *physics); /* NULL is allowed */

/* Steps one frame: rill_scene_step, then contacts. All programs step scenes with this. `*status` is set on RILL_OK;
 * otherwise rill_world_message says what was wrong. */
rill_result rill_physics_step(rill_physics *physics, double dt, rill_status *status);

#endif
