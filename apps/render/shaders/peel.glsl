// Depths of the farthest liquid (or glass) that is nearer than what has been drawn so far: one peel, from the back to
// the front. The depth test is GREATER, so that of all candidates the farthest stays (LESS in the last one).
uniform highp sampler2D below_map; // depths of what has been drawn so far
uniform float glass;               // 1 for glass solids
uniform mat4 model;                // of their vertices: to the world

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
    gl_Position = view_proj * vec4(v_position, 1.0);
}
#else
in float v_depth;
in float v_turned;
in vec3 v_position;
void main() {
    vec3 face = cross(dFdx(v_position), dFdy(v_position));
    if (v_turned < 0.0 || (glass < 0.5 && v_turned == 0.0 && thread(v_position, face, v_depth) <= 0.0)) discard;
    // Dry vertices of the shore lie on or in the bed.
    if (v_depth <= 0.0 || gl_FragCoord.z >= texelFetch(below_map, ivec2(gl_FragCoord.xy), 0).r) discard;
}
#endif
