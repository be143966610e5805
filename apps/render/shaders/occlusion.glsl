// Ambient occlusion from the depth buffer: how much of the hemisphere over a point is free within a fraction of the
// scene's size. Used when there are too few samples for the sky's own shadow maps.
#ifndef VERTEX
uniform highp sampler2D depth_map;
uniform highp sampler2D normal_map;
layout(location = 0) out vec4 out_colour;

void main() {
    float depth = texture(depth_map, uv).r;
    out_colour = vec4(1.0);
    if (depth >= 1.0) return;
    vec3 p = world_at(uv, depth), n = texture(normal_map, uv).xyz;
    float radius = 0.16 * bounds.w, turn = 2.0 * PI * screen_noise(gl_FragCoord.xy, 0.0), sum = 0.0;
    vec3 side = normalize(abs(n.z) < 0.9 ? cross(n, vec3(0, 0, 1)) : cross(n, vec3(1, 0, 0))), up = cross(n, side);
    const int TAPS = 14;
    for (int i = 0; i < TAPS; i++) {
        // Cosine-distributed directions; lengths grow so that near things count more.
        vec2 v = vogel(i, TAPS, turn);
        vec3 d = side * v.x + up * v.y + n * sqrt(max(1.0 - dot(v, v), 0.0));
        float reach = radius * pow((float(i) + 0.5) / float(TAPS), 1.5) + 0.004 * bounds.w;
        vec3 q = p + n * 0.002 * bounds.w + d * reach;
        vec4 s = view_proj * vec4(q, 1.0);
        vec2 at = s.xy / s.w * 0.5 + 0.5;
        float found = texture(depth_map, at).r;
        vec3 hit = world_at(at, found);
        float gap = distance(eye.xyz, q) - distance(eye.xyz, hit);
        sum += gap > 0.0 ? 1.0 - smoothstep(0.3, 1.0, gap / (radius * 1.5)) : 0.0;
    }
    out_colour = vec4(vec3(1.0 - 0.95 * sum / float(TAPS)), 1.0);
}
#endif
