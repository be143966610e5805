/* Compiling and linking, and setting uniforms. The two languages differ in their first lines only. */
#include "shader.h"

#include <stdio.h>
#include <string.h>

#include "shader_texts.h"

static bool is_es(void) {
    const char *version = (const char *)glGetString(GL_VERSION);
    return version && strstr(version, "OpenGL ES") != NULL;
}

static const char *find_text(const char *name) {
    for (const rill_shader_text *entry = rill_shader_texts; entry->name; ++entry)
        if (strcmp(entry->name, name) == 0) return entry->text;
    return "";
}

static GLuint compile(GLenum stage, const char *name, const char *defines, bool screen, rill_message *message) {
    static const char *const es_head = "#version 300 es\nprecision highp float;\nprecision highp int;\n"
                                       "precision highp sampler2D;\nprecision highp sampler2DShadow;\n"
                                       "precision highp sampler2DArray;\n";
    static const char *const head = "#version 330 core\n";
    const char *texts[] = { is_es() ? es_head : head,
                            stage == GL_VERTEX_SHADER ? "#define VERTEX\n" : "",
                            defines,
                            find_text("common"),
                            screen ? find_text("screen") : "",
                            find_text(name) };
    GLuint shader = glCreateShader(stage);
    GLint good = 0;
    glShaderSource(shader, sizeof texts / sizeof texts[0], texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[200] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        snprintf(message->text, sizeof message->text, "the shader '%s' was refused: %s", name, log);
        glDeleteShader(shader);
        return 0;
    }
    return shader;
}

GLuint rill_shader_build(const char *name, const char *defines, bool screen, rill_message *message) {
    GLuint vertex = compile(GL_VERTEX_SHADER, name, defines, screen, message);
    GLuint fragment = vertex ? compile(GL_FRAGMENT_SHADER, name, defines, screen, message) : 0;
    GLuint program = 0;
    if (vertex && fragment) {
        GLint good = 0;
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good) {
            char log[200] = "";
            glGetProgramInfoLog(program, sizeof log, NULL, log);
            snprintf(message->text, sizeof message->text, "the program '%s' was refused: %s", name, log);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLuint block = program ? glGetUniformBlockIndex(program, "Frame") : GL_INVALID_INDEX;
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, 0);
    return program;
}

void rill_shader_set_matrix(GLuint program, const char *name, const float *matrix) {
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, matrix);
}

void rill_shader_set_floats(GLuint program, const char *name, const float *values, int count) {
    GLint at = glGetUniformLocation(program, name);
    switch (count) {
    case 1: glUniform1fv(at, 1, values); break;
    case 2: glUniform2fv(at, 1, values); break;
    case 3: glUniform3fv(at, 1, values); break;
    default: glUniform4fv(at, 1, values); break;
    }
}

void rill_shader_set_pair(GLuint program, const char *name, int x, int y) {
    glUniform2i(glGetUniformLocation(program, name), x, y);
}

void rill_shader_set_texture(GLuint program, const char *name, int unit, GLenum target, GLuint texture) {
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(target, texture);
    glUniform1i(glGetUniformLocation(program, name), unit);
}
