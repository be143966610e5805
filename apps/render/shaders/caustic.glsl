// Caustics: the surface as it is thrown onto the floor by refracted sunlight, seen from the sun. Where it is squeezed
// the floor is brighter, by the ratio of areas; folds add up. Red: brightness; green: how many folds; blue: height of
// the floor.
uniform mat4 light_proj;
uniform float index; // of refraction

#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 amounts; // m of liquid below; wetness, or 2 for sides
out vec2 v_from; // where the light came in, in texels
out float v_height;
out float v_used;
void main() {
    vec3 ray = refract(-sun.xyz, normal, 1.0 / index);
    vec3 floor_point = position + ray * (amounts.x / max(-ray.z, 0.3));
    v_from = (sun_matrix * vec4(position, 1.0)).xy * CAUSTIC_SIZE;
    v_height = (floor_point.z - bounds.z) / bounds.w;
    v_used = amounts.y < 1.5 && amounts.x > 0.0 && normal.z > 0.3 ? 1.0 : 0.0;
    gl_Position = light_proj * vec4(floor_point, 1.0);
}
#else
in vec2 v_from;
in float v_height;
in float v_used;
layout(location = 0) out vec4 out_colour;
void main() {
    if (v_used < 0.99) discard;
    vec2 a = dFdx(v_from), b = dFdy(v_from);
    out_colour = vec4(min(abs(a.x * b.y - a.y * b.x), 8.0), 1.0, v_height, 1.0);
}
#endif
