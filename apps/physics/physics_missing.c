/* Bodies without contacts, where the engine was not found when this was built. */
#include <stdlib.h>

#include "physics.h"

struct rill_physics {
    const rill_scene *scene;
    rill_world *world;
};

bool rill_physics_has_contacts(void) {
    return false;
}

rill_physics *rill_physics_create(const rill_scene *scene, rill_world *world) {
    rill_physics *physics = malloc(sizeof *physics);
    if (physics) *physics = (rill_physics){ scene, world };
    return physics;
}

void rill_physics_destroy(rill_physics *physics) {
    free(physics);
}

rill_result rill_physics_step(rill_physics *physics, double dt, rill_status *status) {
    return rill_scene_step(physics->scene, physics->world, dt, status);
}
