/* Numbers have 17 digits, which is all there is to a double. The position is that of the centre of mass. */
#include "bodies_rows.h"

#include <stdio.h>

const char rill_bodies_head[] = "time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,level,displaced\n";

rill_bodies_row rill_bodies_row_of(const rill_world *world, int32_t index, const char *time) {
    rill_bodies_row row = { "" };
    rill_body_id id = rill_world_body_at(world, index);
    rill_body_state s;
    rill_body_forces forces;
    if (rill_body_get_state(world, id, &s) != RILL_OK || rill_body_get_forces(world, id, &forces) != RILL_OK)
        return row;
    snprintf(row.text, sizeof row.text,
             "%s,%.63s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
             time, rill_body_name(world, id), s.position[0], s.position[1], s.position[2], s.orientation[0],
             s.orientation[1], s.orientation[2], s.orientation[3], s.velocity[0], s.velocity[1], s.velocity[2],
             s.angular_velocity[0], s.angular_velocity[1], s.angular_velocity[2], forces.level,
             forces.submerged_volume);
    return row;
}
