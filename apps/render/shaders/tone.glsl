// From light to display colours, still linear: the Khronos neutral tone mapper, which leaves base colours alone and
// only compresses highlights. Samples are averaged afterwards, so that bright edges stay smooth.
#ifndef VERTEX
uniform highp sampler2D scene_map;
layout(location = 0) out vec4 out_colour;

vec3 neutral(vec3 c) {
    const float START = 0.8 - 0.04, DESATURATION = 0.15;
    float low = min(c.r, min(c.g, c.b));
    c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
    float peak = max(c.r, max(c.g, c.b));
    if (peak < START) return c;
    float d = 1.0 - START, new_peak = 1.0 - d * d / (peak + d - START);
    c *= new_peak / peak;
    return mix(c, vec3(new_peak), 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0));
}

void main() {
    vec3 c = texture(scene_map, uv).rgb * look.x;
    vec2 from_centre = (uv - 0.5) * vec2(1.0, size.y / size.x);
    c *= 1.0 - 0.35 * dot(from_centre, from_centre); // lenses darken their corners
    out_colour = vec4(max(neutral(max(c, vec3(0.0))), vec3(0.0)), 1.0);
}
#endif
