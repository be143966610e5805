// Flat colours over the picture: surfaces by a colour per vertex, and lines.
#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 colour;
layout(location = 2) in float depth; // m of liquid below
uniform float towards_eye; // share of the distance by which it is drawn nearer, so that lines lie on their surfaces
out vec4 v_colour;
out vec3 v_position;
out float v_depth;
void main() {
    v_colour = colour;
    v_position = position;
    v_depth = depth;
    gl_Position = view_proj * vec4(mix(position, eye.xyz, towards_eye), 1.0);
}
#else
in vec4 v_colour;
in vec3 v_position;
in float v_depth;
uniform float threads; // 1: what runs over an edge is drawn as the threads it is, with what is behind between them
layout(location = 0) out vec4 out_colour;
void main() {
    vec3 face = cross(dFdx(v_position), dFdy(v_position));
    if (threads > 0.5 && thread(v_position, face, v_depth) <= 0.0) discard;
    out_colour = v_colour;
}
#endif
