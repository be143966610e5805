// Depths of the farthest liquid (or glass) that is nearer than what has been drawn so far: one peel, from the back to
// the front. The depth test is GREATER, so that of all candidates the farthest stays (LESS in the last one).
uniform highp sampler2D below_map; // depths of what has been drawn so far
uniform float glass;               // 1 for glass solids
uniform mat4 model;                // of their vertices: to the world
uniform float lean;                // m: see nearer() in common.glsl

#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 amounts; // m of liquid below; wetness, or 2 for sides
invariant gl_Position;
out float v_depth;
out float v_turned; // sides: above 0 where they look at the eye
out vec3 v_position;
void main() {
    v_position = (model * vec4(position, 1.0)).xyz;
    v_turned = glass < 0.5 && amounts.y > 1.5 ? dot(normal, eye.xyz - position) : 0.0;
    v_depth = glass > 0.5 ? 1.0 : amounts.x;
    gl_Position = view_proj * vec4(nearer(v_position, mat3(model) * normal, lean), 1.0);
}
#else
in float v_depth;
in float v_turned;
in vec3 v_position;
uniform highp sampler2D lid_map;  // bodies, from above ...
uniform highp sampler2D keel_map; // ... and from below
uniform mat4 hull_matrix;         // world to these maps, -1 to 1
uniform float hulls;              // 1 when there is something on them

// Inside of a body; or over it, but with less liquid than would stand there: then its level is the pressure below.
bool in_hull(vec3 p, float liquid) {
    vec3 q = (hull_matrix * vec4(p, 1.0)).xyz * 0.5 + 0.5;
    if (hulls < 0.5 || any(lessThan(q, vec3(0.0))) || any(greaterThan(q.xy, vec2(1.0)))) return false;
    float over = q.z - (1.0 - texture(lid_map, q.xy).r); // of the height of the map
    return q.z > texture(keel_map, q.xy).r && liquid < 0.9 * over * 2.0 / hull_matrix[2][2] + step(over, 0.0) * 1e9;
}

void main() {
    vec3 face = cross(dFdx(v_position), dFdy(v_position));
    if (v_turned < 0.0 || (glass < 0.5 && v_turned == 0.0 && thread(v_position, face, v_depth) <= 0.0)) discard;
    if (glass < 0.5 && v_turned == 0.0 && in_hull(v_position, v_depth)) discard;
    // Dry vertices of the shore lie on or in the bed.
    if (v_depth <= 0.0 || gl_FragCoord.z >= texelFetch(below_map, ivec2(gl_FragCoord.xy), 0).r) discard;
}
#endif
