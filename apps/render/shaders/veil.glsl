// What sunlight loses on its way through liquid and glass, seen from the sun. Where a ray comes in, its height over the middle of
// the scene, towards the sun, is added, and where it leaves, that is taken away: the sum is its way through liquid (red).
// Green: how often it came in and did not leave, which must be 0. Blue: what faces of glass keep back, as a logarithm. Alpha:
// where it leaves the last of them, 0 nearest to the sun, 1 farthest, the greatest of all.
uniform mat4 light_proj;
uniform mat4 model;      // of vertices: to the world
uniform float part;      // 0: surface and sides of the liquid, 1: its underside, 2: glass
uniform vec4 glass_look; // rgb: what a pane lets through

#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 amounts; // m of liquid below; wetness, or 2 for sides
out vec3 v_position;
out vec3 v_normal;
out vec2 v_amounts;
void main() {
    vec3 p = (model * vec4(position, 1.0)).xyz;
    bool below = part > 0.5 && part < 1.5;
    v_position = below ? p - vec3(0.0, 0.0, max(amounts.x, 0.0)) : p;
    v_normal = mat3(model) * normal;
    v_amounts = amounts;
    gl_Position = light_proj * vec4(v_position, 1.0);
}
#else
in vec3 v_position;
in vec3 v_normal;
in vec2 v_amounts;
layout(location = 0) out vec4 out_colour;
void main() {
    vec3 face = normalize(cross(dFdx(v_position), dFdy(v_position)));
    float height = dot(v_position - bounds.xyz, sun.xyz), last = clamp(0.5 - 0.5 * height / bounds.w, 0.001, 1.0);
    if (part > 1.5) {
        float facing = max(abs(dot(face, sun.xyz)), 0.02), fresnel = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
        float passes = (1.0 - fresnel) * min(glass_look.r, min(glass_look.g, glass_look.b)) * 0.93;
        out_colour = vec4(0.0, 0.0, -log(max(passes, 0.05)), last);
        return;
    }
    bool side = v_amounts.y > 1.5, below = part > 0.5;
    // What falls has a face on one side only, and shores end in the floor.
    if ((below && side) || (!side && (v_amounts.x <= 0.0 || abs(face.z) < 0.02))) discard;
    // Faces of the map have no side of their own; surfaces look up, and sides to where their normals do.
    float outward = side ? dot(v_normal, sun.xyz) : dot(face * sign(face.z), sun.xyz);
    bool enters = below ? outward < 0.0 : outward > 0.0;
    out_colour = enters ? vec4(height, 1.0, 0.0, 0.0) : vec4(-height, -1.0, 0.0, last);
}
#endif
