// Depths seen from the sun or from a piece of sky.
uniform mat4 light_proj;
uniform mat4 model; // own space to world
#ifdef VERTEX
layout(location = 0) in vec3 position;
void main() {
    gl_Position = light_proj * (model * vec4(position, 1.0));
}
#else
void main() {
}
#endif
