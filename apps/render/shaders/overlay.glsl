// Flat colours over the picture: surfaces by a colour per vertex, and lines.
#ifdef VERTEX
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 colour;
uniform float towards_eye; // share of the distance by which it is drawn nearer, so that lines lie on their surfaces
out vec4 v_colour;
void main() {
    v_colour = colour;
    gl_Position = view_proj * vec4(mix(position, eye.xyz, towards_eye), 1.0);
}
#else
in vec4 v_colour;
layout(location = 0) out vec4 out_colour;
void main() {
    out_colour = v_colour;
}
#endif
