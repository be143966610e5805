// What every program shares: the frame's uniforms, noise, the environment, shadows. Lengths are metres, colours are
// linear. SKY is defined in programs for many samples (see ambient). One text for GLSL 3.30 and GLSL ES 3.00: the
// version line and the precisions come from shader.c.

layout(std140) uniform Frame {
    mat4 view_proj;     // with the sub-pixel shift of this sample
    mat4 inv_view_proj;
    mat4 sun_matrix;    // world to the sun's shadow map, 0 to 1
    mat4 sky_matrix;    // world to the shadow map of this sample's piece of sky
    vec4 eye;           // xyz; w: number of the sample
    vec4 sun;           // xyz: direction to the sun; w: how soft its shadows are, m per m
    vec4 sun_colour;    // rgb: irradiance; w: irradiance of the sky, as a factor
    vec4 sky;           // xyz: direction to the piece of sky; w: 1 when it is used, 0: ambient occlusion instead
    vec4 size;          // width, height of the picture, and their reciprocals
    vec4 bounds;        // xyz: centre of the scene; w: its radius
    vec4 backdrop;      // rgb: colour of ground and background; w: z of the ground
    vec4 grid;          // xy: south-west corner; z: cell size; w: layers of the wetness map
    vec4 studio;        // xy: level direction away from the scene's own camera, where the large lamp hangs
    vec4 look;          // x: exposure; y: size of a texel of the shadow map, m; z: 1: caustics; w: texels per side
};

const float PI = 3.14159265;

// Upright panes are drawn a bit nearer to the eye: the stairs of cells along a round wall reach into it, and the liquid in
// them must all come out on the same side of the glass.
vec3 nearer(vec3 p, vec3 n, float way) {
    return p + normalize(eye.xyz - p) * way * (1.0 - abs(n.z));
}

// --------------------------------------------------------------------------------------------------------------- noise

float hash(vec3 p) {
    p = fract(p * 0.3183099 + vec3(0.71, 0.113, 0.419));
    p *= 17.0;
    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}

float value_noise(vec3 x) {
    vec3 i = floor(x), f = fract(x);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1, 0, 0)), f.x),
                   mix(hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)), f.x), f.y),
               mix(mix(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), f.x),
                   mix(hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}

// The gradient of the same noise, without evaluating it again.
vec3 noise_gradient(vec3 x) {
    vec3 i = floor(x), f = fract(x), u = f * f * (3.0 - 2.0 * f), du = 6.0 * f * (1.0 - f);
    float a = hash(i), b = hash(i + vec3(1, 0, 0)), c = hash(i + vec3(0, 1, 0)), d = hash(i + vec3(1, 1, 0));
    float e = hash(i + vec3(0, 0, 1)), g = hash(i + vec3(1, 0, 1));
    float h = hash(i + vec3(0, 1, 1)), k = hash(i + vec3(1, 1, 1));
    vec3 ones = vec3(b, c, e) - a;
    float xy = a - b - c + d, yz = a - c - e + h, zx = a - b - e + g, all = -a + b + c - d + e - g - h + k;
    return du * (ones + vec3(xy, yz, zx) * u.yzx + vec3(zx, xy, yz) * u.zxy + all * u.yzx * u.zxy);
}

float fbm(vec3 p) {
    float sum = 0.0, weight = 0.5;
    for (int i = 0; i < 4; i++) {
        sum += weight * value_noise(p);
        p = p * 2.03 + vec3(11.3, 5.7, 8.1);
        weight *= 0.5;
    }
    return sum; // about 0.15 to 0.8
}

// Interleaved gradient noise (Jimenez 2014). From sample to sample it goes on by the golden ratio, so that a pixel sees
// evenly spread values; `k` picks one of several that have nothing to do with each other.
float screen_noise(vec2 pixel, float k) {
    pixel += vec2(37.0, 17.0) * k;
    float advance = k < 0.5 ? 0.61803399 : k < 1.5 ? 0.75487767 : k < 2.5 ? 0.56984029 : 0.81917251;
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))) + eye.w * advance);
}

// --------------------------------------------------------------------------------------------------------- environment

// A soft light of rectangular shape, seen in a direction.
float soft_box(vec3 d, vec3 towards, vec3 side, vec2 half_size, float blur) {
    vec3 up = cross(towards, side);
    float depth = dot(d, towards);
    if (depth <= 0.01) return 0.0;
    vec2 p = abs(vec2(dot(d, side), dot(d, up)) / depth) / half_size;
    vec2 edge = 1.0 - smoothstep(vec2(1.0 - blur), vec2(1.0 + blur), p);
    return edge.x * edge.y;
}

// The smooth part, which lights solids: bright above, dim at the sides, and the ground's reflection below.
vec3 sky_light(vec3 d) {
    vec3 above = mix(vec3(0.80, 0.82, 0.84), vec3(0.86, 0.93, 1.06), smoothstep(0.0, 0.9, d.z));
    above *= 0.55 + 0.45 * smoothstep(-0.1, 0.8, d.z);
    vec3 below = backdrop.rgb * 0.9;
    return mix(below, above, smoothstep(-0.12, 0.12, d.z)) * sun_colour.w;
}

// The backdrop of a studio: the ground goes over into a wall.
vec3 background(vec3 d) {
    return backdrop.rgb * mix(0.72, 0.40, smoothstep(-0.35, 0.5, d.z));
}

// A strip of the large lamp, from its middle on to either side.
float lamp_strip(float x, float middle, float half_width, float soft) {
    return 1.0 - smoothstep(half_width - soft, half_width + soft, abs(x - middle));
}

// The large lamp: strips of light in a ceiling over the far side, graded, with dark flags between them. Level liquid mirrors
// them as straight bands, which bend where it is not level.
vec3 ceiling_lamp(vec3 d, float blur) {
    if (d.z < 0.05 || dot(studio.xy, studio.xy) < 0.5) return vec3(0.0);
    vec2 p = vec2(dot(d.xy, vec2(studio.y, -studio.x)), dot(d.xy, studio.xy)) / d.z; // in heights of the ceiling
    vec2 soft = (0.05 + blur) * (1.0 + 0.6 * abs(p));
    float across = lamp_strip(p.x, -0.40, 0.15, soft.x) + lamp_strip(p.x, 0.16, 0.20, soft.x) +
                   0.7 * (lamp_strip(p.x, 0.85, 0.18, soft.x) + lamp_strip(p.x, -1.05, 0.20, soft.x));
    float along = lamp_strip(p.y, 0.48, 0.62, soft.y) + lamp_strip(p.y, 2.30, 1.00, soft.y);
    // Level liquid mirrors little of what is high above: there the lamp is brighter. What is rough sees the dark ceiling, too.
    float bright = mix(6.5, 2.2, smoothstep(0.2, 2.6, length(p))) * mix(1.0, 0.35, smoothstep(0.08, 0.5, blur));
    return vec3(1.0, 0.985, 0.955) * (min(across, 1.0) * along * bright);
}

// What a mirror sees: what is behind the scene, a dim ceiling, and the lamps.
vec3 environment(vec3 d, float roughness) {
    float blur = 0.10 + 1.2 * roughness;
    vec3 light = mix(background(d), 1.1 * sky_light(d), smoothstep(0.10, 0.45, d.z)) + ceiling_lamp(d, roughness);
    vec3 key = normalize(vec3(sun.xy, sun.z * 0.8));
    vec3 side = normalize(cross(vec3(0, 0, 1), key));
    // A window of four panes beside the sun, and a long strip on the other side.
    vec3 window = normalize(key + side * 0.55);
    vec3 window_side = normalize(cross(vec3(0, 0, 1), window));
    float panes = soft_box(d, window, window_side, vec2(0.30, 0.36), blur);
    float bar = max(soft_box(d, window, window_side, vec2(0.012, 0.4), 0.3),
                    soft_box(d, window, window_side, vec2(0.34, 0.014), 0.3));
    light += vec3(1.0, 0.97, 0.92) * (14.0 * panes * (1.0 - 0.85 * bar * (1.0 - min(1.0, 4.0 * roughness))));
    vec3 strip = normalize(vec3(-sun.xy, 0.55) + side * 0.35);
    vec3 strip_side = normalize(cross(vec3(0, 0, 1), strip));
    light += vec3(0.82, 0.90, 1.0) * 5.0 * soft_box(d, strip, strip_side, vec2(0.85, 0.16), 0.25 + blur);
    return light;
}

// ------------------------------------------------------------------------------------------------------------- shadows

vec2 vogel(int i, int count, float turn) {
    float r = sqrt((float(i) + 0.5) / float(count)), a = float(i) * 2.39996323 + turn;
    return r * vec2(cos(a), sin(a));
}

// A point beside a point, on the surface through it: shadows are blurred along the surface, so that it does not meet
// its own.
vec3 beside(vec3 position, vec3 normal, vec2 offset) {
    vec3 side = normalize(abs(normal.z) < 0.9 ? vec3(normal.y, -normal.x, 0.0) : vec3(0.0, normal.z, -normal.y));
    return position + side * offset.x + cross(normal, side) * offset.y;
}

float shadow_at(highp sampler2DShadow map, mat4 matrix, vec3 p) {
    vec4 q = matrix * vec4(p, 1.0);
    bool outside = any(lessThan(q.xyz, vec3(0.0))) || any(greaterThan(q.xyz, vec3(1.0)));
    return outside ? 1.0 : texture(map, q.xyz);
}

float sun_visibility(highp sampler2DShadow map, vec3 position, vec3 normal, vec2 pixel) {
    float slope = 1.0 - abs(dot(normal, sun.xyz));
    vec3 p = position + normal * look.y * (1.2 + 2.5 * slope);
    float turn = 2.0 * PI * screen_noise(pixel, 0.0), sum = 0.0;
#ifdef SKY
    const int TAPS = 2;
#else
    const int TAPS = 8;
#endif
    // Texels: wide when one sample has to do for the whole lamp, else as far as it is from one point of the lamp to the next.
    float radius = sun.w > 0.0 ? 4.0 : 2.6;
    for (int i = 0; i < TAPS; i++) {
        sum += shadow_at(map, sun_matrix, beside(p, normal, vogel(i, TAPS, turn) * radius * look.y));
    }
    return sum / float(TAPS);
}

// Each piece of sky is a few degrees wide: the edge of its shadow is scattered over some texels.
float sky_visibility(highp sampler2DShadow map, vec3 position, vec3 normal, vec2 pixel) {
    float slope = 1.0 - abs(dot(normal, sky.xyz));
    float turn = 2.0 * PI * screen_noise(pixel, 2.0), radius = 12.0 * look.y * sqrt(screen_noise(pixel, 1.0));
    vec3 p = position + normal * look.y * (2.0 + 4.0 * slope);
    return shadow_at(map, sky_matrix, beside(p, normal, radius * vec2(cos(turn), sin(turn))));
}

// Irradiance (over pi) of the sky on a surface. With many samples each brings one direction and its shadow map; their
// mean is the sky's light with all shadows. Otherwise the closed form with ambient occlusion.
vec3 ambient(vec3 normal, float visibility) {
    vec3 bounce = backdrop.rgb * 0.16 * (0.6 - 0.4 * normal.z) * sun_colour.w;
#ifdef SKY
    return sky_light(sky.xyz) * (2.0 * max(dot(normal, sky.xyz), 0.0) * visibility) + bounce;
#else
    float up = 0.5 + 0.5 * normal.z;
    return mix(backdrop.rgb * 0.2, vec3(0.80, 0.83, 0.90), up) * sun_colour.w * visibility + bounce;
#endif
}

// ---------------------------------------------------------------------------------------------------------- reflection

float ggx_sun(vec3 normal, vec3 view, float roughness, float f0) {
    vec3 half_way = normalize(view + sun.xyz);
    float nh = max(dot(normal, half_way), 0.0), nl = max(dot(normal, sun.xyz), 0.0), nv = max(dot(normal, view), 0.05);
    float a2 = pow(max(roughness, 0.03), 4.0);
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
    float g = 1.0 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    float f = f0 + (1.0 - f0) * pow(1.0 - max(dot(half_way, view), 0.0), 5.0);
    return min(a2 / (PI * d * d) * g * f * nl * 0.25, 60.0);
}

// Share of the environment that is reflected (Karis 2014).
vec2 environment_share(float roughness, float nv) {
    vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
    return vec2(-1.04, 1.04) * a + r.zw;
}

// Where liquid runs over an edge its surface goes straight down. There it is no sheet but threads: 0 between them, up
// to 1 in their middle; 2 where it is an ordinary surface.
float thread(vec3 position, vec3 face, float depth) {
    if (abs(face.z) > 0.02 * length(face)) return 2.0;
    vec2 across = position.xy / grid.z;
    float n = 0.65 * value_noise(vec3(across * 0.55, 3.0));
    n += 0.35 * value_noise(vec3(across * 1.7, position.z / grid.z * 0.02));
    float least = mix(0.48, 0.05, smoothstep(0.4, 1.2, depth / grid.z)); // much liquid falls as a sheet
    return clamp((n - least) * 6.0, 0.0, 1.0);
}

vec3 world_at(vec2 uv, float depth) {
    vec4 p = inv_view_proj * vec4(vec3(uv, depth) * 2.0 - 1.0, 1.0);
    return p.xyz / p.w;
}
