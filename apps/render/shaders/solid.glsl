// Solids into the geometry buffer: colour and roughness, normal and metal. Materials are patterns in the space of the
// solid, so that they move with it. What has been wet is darker and glossier. MATERIAL is a rill_material, or -1: the
// ground.
uniform mat4 model;       // of its vertices: to the world
uniform mat4 object;      // world to the solid's own space
uniform vec4 base_colour; // rgb; w: roughness
uniform highp sampler2DArray wet_map; // base, highest wet point, wetness; one slice per layer

#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
out vec3 v_position;
out vec3 v_normal;
void main() {
    v_position = (model * vec4(position, 1.0)).xyz;
    v_normal = mat3(model) * normal;
    gl_Position = view_proj * vec4(v_position, 1.0);
}
#else
in vec3 v_position;
in vec3 v_normal;
layout(location = 0) out vec4 out_colour;
layout(location = 1) out vec4 out_normal;

struct Look {
    vec3 colour;
    float roughness;
    float metal;
    float bump;       // m: how far the surface goes in and out
    float bump_scale; // 1/m
};

// Rings around the x axis of the solid, with fibres along it.
vec3 wood(vec3 p, vec3 colour, out float grain) {
    vec3 q = p * vec3(4.0, 30.0, 30.0) + vec3(0.0, 7.0, 13.0);
    float wobble = fbm(p * vec3(9.0, 42.0, 42.0));
    float rings = fract(length(q.yz + vec2(wobble * 1.3)) * 2.2 + 0.3 * wobble);
    float late = smoothstep(0.25, 0.95, rings) * (1.0 - smoothstep(0.95, 1.0, rings));
    float fibre = value_noise(p * vec3(120.0, 2600.0, 2600.0));
    grain = late;
    return colour * mix(1.12, 0.62, late * 0.75 + 0.25 * fibre) * mix(vec3(1.0), vec3(1.06, 0.98, 0.88), wobble);
}

Look look_of(vec3 p, float unit) {
    Look m = Look(base_colour.rgb, base_colour.w, 0.0, 0.0, 1.0);
    float n = 0.0, grain = 0.0;
    vec3 q = p / unit; // materials without a scale of their own follow the scene
#if MATERIAL == 1 // bone
    n = fbm(q * 42.0);
    m.colour *= mix(0.80, 1.08, smoothstep(0.2, 0.7, n));
    m.colour = mix(m.colour, m.colour * vec3(0.86, 0.66, 0.50), 0.55 * smoothstep(0.50, 0.78, fbm(q * 13.0 + 3.0)));
    m.bump = 0.0035 * unit, m.bump_scale = 75.0 / unit;
    m.roughness *= 0.85 + 0.4 * n;
#elif MATERIAL == 2 // wood
    m.colour = wood(p / unit * 0.24, m.colour, grain);
    m.roughness *= 1.0 + 0.25 * grain;
#elif MATERIAL == 3 // ceramic
    m.colour *= 0.97 + 0.05 * fbm(q * 30.0);
#elif MATERIAL == 4 // steel, brushed along x
    m.metal = 1.0;
    m.roughness *= 0.85 + 0.3 * value_noise(q * vec3(30.0, 900.0, 900.0));
#elif MATERIAL == 5 // tissue
    n = fbm(q * 24.0);
    m.colour = mix(m.colour * vec3(0.66, 0.50, 0.50), m.colour * vec3(1.12, 1.10, 1.05), smoothstep(0.22, 0.72, n));
    m.colour = mix(m.colour, vec3(0.86, 0.62, 0.40), 0.5 * smoothstep(0.56, 0.72, fbm(q * 9.0 + 5.0)));
    m.bump = 0.0022 * unit, m.bump_scale = 50.0 / unit;
#elif MATERIAL == 7 // stone
    n = fbm(q * 20.0);
    m.colour *= mix(0.72, 1.15, n * 1.3) * mix(0.90, 1.05, value_noise(q * 260.0));
    m.colour *= mix(vec3(1.0), vec3(1.06, 1.0, 0.90), fbm(q * 6.0 + 9.0));
    m.bump = 0.006 * unit, m.bump_scale = 50.0 / unit;
#elif MATERIAL == 8 // chalk
    m.colour *= 0.94 + 0.10 * value_noise(q * 420.0);
    m.bump = 0.0006 * unit, m.bump_scale = 420.0 / unit;
#endif
    return m;
}

vec3 bumped(vec3 n, vec3 p, Look m) {
#if MATERIAL == 1 || MATERIAL == 5 || MATERIAL == 7 || MATERIAL == 8
    vec3 q = p * m.bump_scale;
    vec3 gradient = noise_gradient(q) + noise_gradient(q * 2.03 + 7.1) + 0.9 * noise_gradient(q * 4.1 + 3.3);
    gradient *= 0.5 * m.bump * m.bump_scale;
    gradient = transpose(mat3(object)) * gradient;
    n = normalize(n - (gradient - n * dot(n, gradient)));
#endif
    return n;
}

// `above`: how far the floor may rise between columns, in cells.
float column_wetness(ivec2 cell, float z, float slack, float above) {
    float wet = 0.0;
    for (int layer = 0; layer < int(grid.w); layer++) {
        vec4 column = texelFetch(wet_map, ivec3(cell, layer), 0);
        float inside = smoothstep(-slack, -0.5 * slack, z - column.x) *
                       (1.0 - smoothstep(0.1, 0.35, (z - column.y) / grid.z - above));
        wet = max(wet, column.z * inside);
    }
    return wet;
}

// A point is wet where a column has been wet up to it: on its floor, and on walls beside it.
float wetness(vec3 p, vec3 n) {
    float cell = grid.z;
    vec2 at = (p.xy + n.xy * 0.7 * cell - grid.xy) / cell - 0.5;
    ivec2 low = ivec2(floor(at)), most = textureSize(wet_map, 0).xy - 1;
    vec2 f = at - vec2(low);
    float steep = sqrt(max(1.0 - n.z * n.z, 0.0)) / max(abs(n.z), 0.35), slack = cell * (0.35 + 1.2 * steep);
    float above = 0.8 * steep * smoothstep(0.2, 0.5, n.z); // not on walls: there it ends where the liquid does
    if (any(lessThan(at, vec2(-1.0))) || any(greaterThan(at, vec2(most) + 1.0))) return 0.0;
    float sum = 0.0;
#ifdef SKY
    // One of the four neighbours, by chance: the mean of many samples is bilinear.
    float chance = screen_noise(gl_FragCoord.xy, 1.0), other = screen_noise(gl_FragCoord.xy, 2.0);
    sum = column_wetness(clamp(low + ivec2(chance < f.x, other < f.y), ivec2(0), most), p.z, slack, above);
#else
    for (int corner = 0; corner < 4; corner++) {
        ivec2 d = ivec2(corner & 1, corner >> 1);
        vec2 w = mix(1.0 - f, f, vec2(d));
        sum += w.x * w.y * column_wetness(clamp(low + d, ivec2(0), most), p.z, slack, above);
    }
#endif
    return n.z < -0.2 ? 0.0 : sum; // ceilings stay dry
}

void main() {
    vec3 n = normalize(v_normal);
    // Meshes come in either orientation: the side that is seen is outside.
    vec3 face = cross(dFdx(v_position), dFdy(v_position));
    vec3 to_eye = eye.xyz - v_position;
    if (dot(face, to_eye) < 0.0) face = -face;
    if (dot(n, face) < 0.0) n = -n;
#if MATERIAL < 0
    out_colour = vec4(backdrop.rgb, 0.85);
    out_normal = vec4(0.0, 0.0, 1.0, -1.0);
#else
    vec3 p = (object * vec4(v_position, 1.0)).xyz;
    Look m = look_of(p, bounds.w);
    float wet = grid.w > 0.0 ? wetness(v_position, n) : 0.0;
    n = normalize(mix(bumped(n, p, m), n, 0.7 * wet)); // liquid fills what is rough
    // Pores filled with liquid scatter light forwards: darker, and the film on top is smooth.
#if MATERIAL == 3
    float porous = 0.15;
#else
    float porous = 1.0 - m.metal;
#endif
    m.colour = mix(m.colour, pow(m.colour, vec3(1.35)) * 0.72, wet * porous);
    m.roughness = mix(m.roughness, min(m.roughness, 0.14), 0.85 * wet * porous); // glazes hold no film
    out_colour = vec4(m.colour, m.roughness);
    out_normal = vec4(n, m.metal);
#endif
}
#endif
