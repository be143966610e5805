// Adds a sample to the sum of those before it; the last pass divides and encodes.
#ifndef VERTEX
uniform highp sampler2D sum_map;
uniform highp sampler2D sample_map;
uniform vec2 step_of; // x: 1 when there is a sum already; y: share of the whole: 0 while gathering
layout(location = 0) out vec4 out_colour;

void main() {
    if (step_of.y <= 0.0) {
        vec4 before = step_of.x > 0.5 ? texture(sum_map, uv) : vec4(0.0);
        out_colour = before + texture(sample_map, uv);
        return;
    }
    vec3 c = clamp(texture(sum_map, uv).rgb * step_of.y, 0.0, 1.0);
    c = mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), c));
    c += (screen_noise(gl_FragCoord.xy, 0.0) - 0.5) / 255.0; // against bands in smooth backgrounds
    out_colour = vec4(c, 1.0);
}
#endif
