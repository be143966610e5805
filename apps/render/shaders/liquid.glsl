// One peel of liquid over the scene so far: what lies below is seen through a refracting, absorbing body
// (Beer-Lambert along the refracted ray, plus the way of the light down to the bottom), and the surface mirrors the
// scene and the lamps. GLASS is defined for solids of glass, which do the same without a body.
#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 amounts; // m of liquid below; wetness, or 2 for sides
uniform mat4 model;                   // of vertices: to the world
uniform float lean;                   // m: see nearer() in common.glsl
invariant gl_Position;
out vec3 v_position;
out vec3 v_normal;
out vec3 v_own;
out vec2 v_amounts;
void main() {
    v_position = (model * vec4(position, 1.0)).xyz;
    v_normal = mat3(model) * normal;
    v_own = position;
    v_amounts = amounts;
    gl_Position = view_proj * vec4(nearer(v_position, v_normal, lean), 1.0);
}
#else
in vec3 v_position;
in vec3 v_normal;
in vec3 v_own;
in vec2 v_amounts;
uniform highp sampler2D below_map; // depth of the scene so far
uniform highp sampler2D peel_map;  // of the peel
uniform highp sampler2D scene_map; // its colours
uniform highp sampler2DShadow sun_map;
uniform highp sampler2DShadow sky_map;
uniform vec3 extinction; // 1/m
uniform vec4 body;       // rgb: colour of a deep pool; w: index of refraction
uniform vec4 glass_look; // rgb: what a pane lets through; w: roughness
uniform float film;      // m: depth below which a shore fades; glass: how far it shifts what is behind
layout(location = 0) out vec4 out_colour;

vec2 project(vec3 p, out float depth) {
    vec4 s = view_proj * vec4(p, 1.0);
    depth = s.z / s.w * 0.5 + 0.5;
    return s.xy / s.w * 0.5 + 0.5;
}

// The scene so far, of one pixel alone: what was found there by its depth must not mix with what is in front of it.
vec3 scene_at(vec2 at) {
    return texelFetch(scene_map, ivec2(at * size.xy), 0).rgb;
}

// Moves a place of the picture across the way from `from` to it, until nothing nearer than `depth` is there.
bool beside_hidden(vec2 from, float depth, inout vec2 at) {
    vec2 way = (at - from) * size.xy, across = vec2(-way.y, way.x) / max(length(way), 1e-3) * size.zw;
    float pixels = 0.003 * size.x;
#ifdef SKY
    pixels *= 0.8 + 0.4 * screen_noise(gl_FragCoord.xy, 4.0);
#endif
    for (int i = 0; i < 16; i++) {
        vec2 other = at + across * ((i & 1) == 1 ? -pixels : pixels);
        if (all(greaterThan(other, size.zw)) && all(lessThan(other, 1.0 - size.zw)) &&
            texture(below_map, other).r >= depth) {
            at = other;
            return true;
        }
        if ((i & 1) == 1) pixels *= 1.6;
    }
    return false;
}

// The scene in the mirror, as far as it is on the picture; w: how sure that is.
vec4 mirrored(vec3 p, vec3 r, float noise, bool wanted) {
#ifdef SKY
    const int STEPS = 12;
#else
    const int STEPS = 22;
#endif
    float reach = 1.6 * bounds.w, before = 0.0;
    for (int i = 0; i < STEPS && wanted; i++) {
        float t = reach * pow((float(i) + 0.35 + 0.65 * noise) / float(STEPS), 2.0);
        vec3 q = p + r * t;
        float depth;
        vec2 at = project(q, depth);
        if (any(lessThan(at, vec2(0.0))) || any(greaterThanEqual(at, vec2(1.0))) || depth >= 1.0) break;
        float found = texture(below_map, at).r;
        if (found < depth && found < 1.0) {
            vec3 hit = world_at(at, found);
            float gap = distance(eye.xyz, q) - distance(eye.xyz, hit);
            if (gap < 2.5 * (t - before) + 0.01 * bounds.w) {
                vec2 border = smoothstep(vec2(0.0), vec2(0.06), at) * smoothstep(vec2(0.0), vec2(0.06), 1.0 - at);
                return vec4(scene_at(at), border.x * border.y);
            }
        }
        before = t;
    }
    return vec4(0.0);
}

void main() {
    if (gl_FragCoord.z != texelFetch(peel_map, ivec2(gl_FragCoord.xy), 0).r) discard;
    vec2 uv = gl_FragCoord.xy * size.zw;
    float depth = gl_FragCoord.z, below = texelFetch(below_map, ivec2(gl_FragCoord.xy), 0).r;
    vec3 p = v_position, view = normalize(eye.xyz - p), n = normalize(v_normal), face = cross(dFdx(p), dFdy(p));
    if (dot(face, view) < 0.0) face = -face;
    vec3 behind = texelFetch(scene_map, ivec2(gl_FragCoord.xy), 0).rgb;
#ifdef GLASS
    if (dot(n, face) < 0.0) n = -n;
    float thickness = film, index = 1.5;
#else
    float thickness = v_amounts.x, index = body.w, strand = thread(p, face, v_amounts.x);
    bool is_side = v_amounts.y > 1.5;
    if (strand < 1.5 && !is_side) { // round, and as thick as it is wide
        vec3 flat_face = normalize(face), side = normalize(vec3(-flat_face.y, flat_face.x, 0.0));
        vec3 e = side * 0.1 * grid.z, upright = vec3(1, 0, 0);
        float slope = thread(p + e, upright, v_amounts.x) - thread(p - e, upright, v_amounts.x);
        n = normalize(flat_face - side * slope * 2.0 + vec3(0, 0, 0.15));
        thickness = 0.7 * grid.z * strand;
    }
#endif
    float facing = dot(n, view);
    if (facing < 0.04) n = normalize(n + view * (0.04 - facing)); // meniscus normals may lean away from the eye
    vec3 ray = refract(-view, n, 1.0 / index);

    // Where the refracted ray meets the bottom: first by the depth of the column, then by what is drawn there.
    float guess = thickness / clamp(-ray.z, 0.2, 1.0), at_depth;
#ifndef GLASS
    if (is_side) guess = min(distance(p, world_at(uv, below)), bounds.w); // there is no telling how far it reaches
#endif
    vec2 at = clamp(project(p + ray * guess, at_depth), 0.5 * size.zw, 1.0 - 0.5 * size.zw);
    float bottom = texture(below_map, at).r;
    // Something in front of the liquid hides what is seen. The best guess is what lies as far down beside that thing; if
    // it is too wide, what lies just beside it on the same way or, spread a little, before that.
    if (bottom < depth && beside_hidden(uv, depth, at)) {
        bottom = texture(below_map, at).r;
    } else if (bottom < depth) {
        vec2 shift = at - uv;
        float near = 0.0, far = 1.0;
        for (int i = 0; i < 7; i++) {
            float part = 0.5 * (near + far);
            if (texture(below_map, uv + shift * part).r < depth) far = part;
            else near = part;
        }
#ifdef SKY
        near *= 1.0 - 0.4 * screen_noise(gl_FragCoord.xy, 4.0);
#endif
        near -= 1.5 * length(size.zw) / length(shift); // off its smoothed edge
        at = uv + shift * max(near, 0.0);
        bottom = texture(below_map, at).r;
        if (bottom < depth) at = uv, bottom = below;
    }
    float path = clamp(dot(world_at(at, bottom) - p, ray), 0.0, 1.6 * guess);
    path = mix(guess, path, 0.5) + 1.1 * thickness;
    vec3 seen = scene_at(at);

    float lit = sun_visibility(sun_map, p, n, gl_FragCoord.xy);
#ifdef SKY
    float open = sky_visibility(sky_map, p, n, gl_FragCoord.xy), free = 0.35 + 0.65 * open;
#else
    float open = 0.85, free = 0.9;
#endif
#ifdef GLASS
    // Frosted glass, and ice: the rougher, the more light is scattered in it, in clouds.
    float clouds = smoothstep(0.3, 0.7, fbm(v_own / bounds.w * 14.0));
    float frost = clamp(glass_look.w * 2.0 - 0.1, 0.0, 1.0) * (0.2 + 0.8 * clouds);
    vec3 scattered = vec3(0.80, 0.88, 0.93) * (sun_colour.rgb * lit * (0.35 + 0.3 * dot(n, sun.xyz)) + ambient(n, open));
    vec3 through = mix(seen * glass_look.rgb * 0.985, scattered, frost);
    float f0 = 0.04, cover = 1.0, shine = 1.0;
#else
    vec3 light = sun_colour.rgb * lit * max(dot(n, sun.xyz), 0.0) + ambient(n, open);
    vec3 left = exp(-extinction * path);
    vec3 through = seen * left + body.rgb * light * (1.0 - left);
    float f0 = pow((index - 1.0) / (index + 1.0), 2.0), cover = is_side ? 1.0 : smoothstep(0.0, film, thickness);
    // What is left behind as a film ends anywhere, by columns: a mirror would show their stairs. Drops end steeply.
    float shine = is_side ? 1.0 : smoothstep(film, 6.0 * film, thickness);
#endif
    float fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(n, view), 0.0), 5.0);
    vec3 r = reflect(-view, n);
    vec4 near = mirrored(p + n * 0.003 * bounds.w, r, screen_noise(gl_FragCoord.xy, 3.0), fresnel > 0.025);
    vec3 gloss = mix(environment(r, 0.02) * free, near.rgb, near.a * smoothstep(0.025, 0.05, fresnel)) * fresnel;
    gloss += sun_colour.rgb * lit * ggx_sun(n, view, 0.09, f0);
    out_colour = vec4(mix(behind, mix(through, through * (1.0 - fresnel) + gloss, shine), cover), 1.0);
}
#endif
