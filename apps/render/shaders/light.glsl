// Light on the solids: sun with shadows, sky, and what they mirror. Writes the scene that liquids are looked through.
#ifndef VERTEX
uniform sampler2D colour_map;
uniform highp sampler2D normal_map;
uniform highp sampler2D depth_map;
uniform sampler2D occlusion_map;
uniform highp sampler2D caustic_map;
uniform highp sampler2DShadow sun_map;
uniform highp sampler2DShadow sky_map;
uniform highp sampler2D veil_map;
uniform vec3 extinction; // 1/m, of the liquid
layout(location = 0) out vec4 out_colour;

// Occlusion was found with a pattern of four by four pixels: its mean over such a block is smooth.
float smooth_occlusion(float depth) {
    float sum = 0.0, weights = 0.0;
    for (int y = -2; y < 2; y++) {
        for (int x = -2; x < 2; x++) {
            vec2 at = uv + (vec2(x, y) + 0.5) * size.zw;
            float near = texture(depth_map, at).r;
            float w = abs(near - depth) < 0.002 * (1.0 - depth) * 60.0 + 1e-5 ? 1.0 : 0.02;
            sum += w * texture(occlusion_map, at).r;
            weights += w;
        }
    }
    return sum / weights;
}

// How much more light the surface above throws here than the sun alone would. Spread over a cell, the size of its
// triangles.
float caustic(vec3 p, vec3 n) {
    float turn = 2.0 * PI * screen_noise(gl_FragCoord.xy, 1.0);
    vec3 q = beside(p, n, 0.6 * grid.z * sqrt(screen_noise(gl_FragCoord.xy, 3.0)) * vec2(cos(turn), sin(turn)));
    vec3 found = texture(caustic_map, (sun_matrix * vec4(q, 1.0)).xy).rgb;
    float height = found.b / max(found.g, 1e-3) * bounds.w + bounds.z;
    bool here = look.z > 0.5 && found.g > 0.5 && abs(p.z - height) < 2.0 * grid.z && n.z > 0.2;
    return here ? 0.25 + 0.75 * found.r : 1.0; // a quarter arrives scattered
}

// What is left of sunlight behind liquid and glass. What it loses on its way to the liquid's own floor is said where that is
// looked at; round liquid throws most of its light elsewhere, besides.
vec3 veiled(vec3 p, vec3 n) {
    vec3 sum = vec3(0.0);
    float turn = 2.0 * PI * screen_noise(gl_FragCoord.xy, 2.0);
    float here = 0.5 - 0.5 * dot(p - bounds.xyz, sun.xyz) / bounds.w, slack = 0.15 * grid.z / bounds.w;
#ifdef SKY
    const int TAPS = 2;
#else
    const int TAPS = 4;
#endif
    for (int i = 0; i < TAPS; i++) {
        vec4 found = texture(veil_map, (sun_matrix * vec4(beside(p, n, vogel(i, TAPS, turn) * 2.0 * look.y), 1.0)).xy);
        bool behind = found.a > 0.0 && here > found.a + slack;
        float way = abs(found.g) < 0.5 ? max(found.r, 0.0) : 0.0;
        float thrown = mix(1.0, 0.6, smoothstep(0.0, grid.z, way));
        sum += behind ? exp(-extinction * way - found.b) * thrown : vec3(1.0);
    }
    return sum / float(TAPS);
}

void main() {
    float depth = texture(depth_map, uv).r;
    vec3 p = world_at(uv, depth), view = normalize(eye.xyz - p);
    if (depth >= 1.0) {
        out_colour = vec4(background(-view), 1.0);
        return;
    }
    vec4 colour = texture(colour_map, uv), packed_normal = texture(normal_map, uv);
    vec3 n = normalize(packed_normal.xyz);
    float metal = max(packed_normal.w, 0.0), roughness = colour.a;
    float lit = dot(n, sun.xyz) > 0.0 ? sun_visibility(sun_map, p, n, gl_FragCoord.xy) : 0.0;
#ifdef SKY
    float open = sky_visibility(sky_map, p, n, gl_FragCoord.xy);
    float free = 0.25 + 0.75 * open; // one direction says little about the mirrored one
#else
    float open = smooth_occlusion(depth), free = open;
#endif
    vec3 sunlight = sun_colour.rgb * lit * caustic(p, n) * (lit > 0.0 ? veiled(p, n) : vec3(1.0));
    vec3 diffuse = sunlight * max(dot(n, sun.xyz), 0.0) + ambient(n, open);
    vec3 light = colour.rgb * (1.0 - metal) * diffuse;
    if (packed_normal.w < 0.0) {
        // The ground of the studio: only shadows show, and it fades into the wall behind.
        vec3 unshaded = sun_colour.rgb * max(sun.z, 0.0) + vec3(0.80, 0.83, 0.90) * sun_colour.w;
        vec3 shade = diffuse / max(unshaded, vec3(1e-3));
        float away = distance(p.xy, bounds.xy) / bounds.w;
        vec3 near_by = backdrop.rgb * mix(1.30, 0.72, smoothstep(0.3, 3.2, away)) * shade;
        out_colour = vec4(mix(near_by, background(-view), smoothstep(1.8, 6.0, away)), 1.0);
        return;
    }
    float nv = max(dot(n, view), 0.02);
    vec2 share = environment_share(roughness, nv);
    vec3 f0 = mix(vec3(0.04), colour.rgb, metal);
    vec3 mirrored = environment(reflect(-view, n), roughness);
    light += mirrored * (f0 * share.x + share.y) * free;
    light += sunlight * ggx_sun(n, view, roughness, 1.0) * f0;
    out_colour = vec4(light, 1.0);
}
#endif
