/* Textures and framebuffers. Colours in between are 16-bit floats, sums 32-bit; GLES needs EXT_color_buffer_float
 * for both, which whatever runs WebGL2 has. */
#include <stdio.h>
#include <string.h>

#include "render_internal.h"

static GLuint make_texture(GLenum format, int32_t width, int32_t height, GLenum filter) {
    GLuint texture;
    bool depth = format == GL_DEPTH_COMPONENT32F;
    GLenum type = format == GL_RGBA8 ? GL_UNSIGNED_BYTE : format == GL_RGBA16F ? GL_HALF_FLOAT : GL_FLOAT;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, depth ? GL_DEPTH_COMPONENT : GL_RGBA, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static GLuint make_depth(int32_t width, int32_t height) {
    return make_texture(GL_DEPTH_COMPONENT32F, width, height, GL_NEAREST);
}

/* Binds what the target has to a new framebuffer. */
static bool assemble(rill_target *target) {
    static const GLenum both[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 };
    static const GLenum none = GL_NONE;
    glGenFramebuffers(1, &target->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    GLsizei count = 0;
    for (; count < 2 && target->colours[count]; ++count)
        glFramebufferTexture2D(GL_FRAMEBUFFER, both[count], GL_TEXTURE_2D, target->colours[count], 0);
    if (target->depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target->depth, 0);
    glDrawBuffers(count ? count : 1, count ? both : &none);
    if (!count) glReadBuffer(GL_NONE);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static bool make_shadow(rill_target *target) {
    target->depth = make_texture(GL_DEPTH_COMPONENT32F, RILL_SHADOW_SIZE, RILL_SHADOW_SIZE, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return assemble(target);
}

bool rill_targets_create(rill_targets *targets, int32_t width, int32_t height, rill_message *message) {
    memset(targets, 0, sizeof *targets);
    while (glGetError() != GL_NO_ERROR) {}
    bool good = make_shadow(&targets->sun) && make_shadow(&targets->sky);
    targets->lid.depth = make_depth(RILL_HULL_SIZE, RILL_HULL_SIZE);
    targets->keel.depth = make_depth(RILL_HULL_SIZE, RILL_HULL_SIZE);
    targets->caustic.colours[0] = make_texture(GL_RGBA16F, RILL_CAUSTIC_SIZE, RILL_CAUSTIC_SIZE, GL_LINEAR);
    targets->veil.colours[0] = make_texture(GL_RGBA16F, RILL_CAUSTIC_SIZE, RILL_CAUSTIC_SIZE, GL_NEAREST);
    targets->geometry.colours[0] = make_texture(GL_RGBA8, width, height, GL_NEAREST);
    targets->geometry.colours[1] = make_texture(GL_RGBA16F, width, height, GL_NEAREST);
    targets->geometry.depth = make_depth(width, height);
    targets->occlusion.colours[0] = make_texture(GL_RGBA8, width, height, GL_NEAREST);
    targets->peel.depth = make_depth(width, height);
    for (int i = 0; i < 2; ++i) {
        targets->scene[i].colours[0] = make_texture(GL_RGBA16F, width, height, GL_LINEAR);
        targets->scene[i].depth = make_depth(width, height);
        targets->sum[i].colours[0] = make_texture(GL_RGBA32F, width, height, GL_NEAREST);
        good = good && assemble(&targets->scene[i]) && assemble(&targets->sum[i]);
    }
    targets->tone.colours[0] = make_texture(GL_RGBA16F, width, height, GL_NEAREST);
    targets->tone.depth = make_depth(width, height);
    targets->picture.colours[0] = make_texture(GL_RGBA8, width, height, GL_NEAREST);
    good = good && assemble(&targets->lid) && assemble(&targets->keel) && assemble(&targets->veil);
    good = good && assemble(&targets->geometry) && assemble(&targets->caustic) && assemble(&targets->occlusion) &&
           assemble(&targets->peel) && assemble(&targets->tone) && assemble(&targets->picture);
    GLenum error = glGetError();
    if (!good || error != GL_NO_ERROR) {
        rill_targets_destroy(targets);
        snprintf(message->text, sizeof message->text,
                 "the graphics system cannot draw pictures of %d x %d pixels (error 0x%04x)", width, height,
                 (unsigned)error);
        return false;
    }
    return true;
}

static void destroy(rill_target *target) {
    glDeleteFramebuffers(1, &target->frame);
    glDeleteTextures(2, target->colours);
    glDeleteTextures(1, &target->depth);
}

void rill_targets_destroy(rill_targets *targets) {
    rill_target *all[] = { &targets->sun,      &targets->sky,      &targets->geometry, &targets->occlusion,
                           &targets->scene[0], &targets->scene[1], &targets->peel,     &targets->tone,
                           &targets->sum[0],   &targets->sum[1],   &targets->picture,  &targets->caustic,
                           &targets->lid,      &targets->keel,     &targets->veil };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) destroy(all[i]);
    memset(targets, 0, sizeof *targets);
}

/* ---------------------------------------------------------------------------------------------------------- batches */

bool rill_batch_fill(rill_batch *batch, const float *vertices, size_t vertex_count, const int *attributes,
                     const uint32_t *indices, size_t index_count) {
    int floats = 0;
    for (const int *size = attributes; *size; ++size) floats += *size;
    if (!batch->array) {
        glGenVertexArrays(1, &batch->array);
        glGenBuffers(1, &batch->vertices);
        glGenBuffers(1, &batch->indices);
    }
    while (glGetError() != GL_NO_ERROR) {}
    glBindVertexArray(batch->array);
    glBindBuffer(GL_ARRAY_BUFFER, batch->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(vertex_count * (size_t)floats * sizeof(float)), vertices,
                 GL_DYNAMIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, batch->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(index_count * sizeof *indices), indices, GL_DYNAMIC_DRAW);
    size_t offset = 0;
    for (GLuint i = 0; attributes[i]; ++i) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, attributes[i], GL_FLOAT, GL_FALSE, (GLsizei)((size_t)floats * sizeof(float)),
                              (const void *)(offset * sizeof(float)));
        offset += (size_t)attributes[i];
    }
    glBindVertexArray(0);
    batch->count = (GLsizei)index_count;
    return glGetError() == GL_NO_ERROR;
}

void rill_batch_draw(const rill_batch *batch, GLenum mode) {
    if (batch->count > 0) {
        glBindVertexArray(batch->array);
        glDrawElements(mode, batch->count, GL_UNSIGNED_INT, NULL);
    }
}

void rill_batch_free(rill_batch *batch) {
    glDeleteVertexArrays(1, &batch->array);
    glDeleteBuffers(1, &batch->vertices);
    glDeleteBuffers(1, &batch->indices);
    memset(batch, 0, sizeof *batch);
}

void rill_render_cover(const rill_render *render) {
    glBindVertexArray(render->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
