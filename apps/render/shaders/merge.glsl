// The scene so far with the depths of a peel in front of it: liquid.glsl then draws where it has the same.
#ifndef VERTEX
uniform highp sampler2D below_map;
uniform highp sampler2D scene_map;
uniform highp sampler2D peel_map; // 0 or 1 where there is none
layout(location = 0) out vec4 out_colour;
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float peel = texelFetch(peel_map, pixel, 0).r;
    out_colour = texelFetch(scene_map, pixel, 0);
    gl_FragDepth = peel > 0.0 && peel < 1.0 ? peel : texelFetch(below_map, pixel, 0).r;
}
#endif
