/* See the header. */
#include "thumbnails.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/gl.h"
#include "render/picture.h"
#include "scene/files.h"

static const size_t SCENE_LIMIT = (size_t)1 << 24;
static const char *const KIND = "1"; /* another number when thumbnails are drawn otherwise */

static void cache_folder(char *out, size_t room) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *out = 0;
    if (cache && cache[0] == '/')
        snprintf(out, room, "%s/rill/thumbnails", cache);
    else if (home && *home)
        snprintf(out, room, "%s/.cache/rill/thumbnails", home);
}

/* The picture's name has a hash of the scene's text and of the program's version in it. */
static void name_cache(rill_gallery_entry *entry) {
    char folder[900], *text = NULL;
    size_t size = 0;
    rill_message message;
    cache_folder(folder, sizeof folder);
    if (!*folder || rill_file_read(entry->path, SCENE_LIMIT, &text, &size, &message) != RILL_OK) return;
    uint64_t hash = 0xcbf29ce484222325u;
    const char *parts[] = { text, rill_version(), KIND };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        for (const char *p = parts[i]; *p; ++p) hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
    free(text);
    const char *leaf = rill_file_leaf(entry->path);
    snprintf(entry->cache, sizeof entry->cache, "%s/%.60s-%016" PRIx64 ".png", folder, leaf, hash);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const rill_gallery_entry *)a)->name, ((const rill_gallery_entry *)b)->name);
}

static bool add(rill_gallery *gallery, const char *folder, const char *leaf) {
    size_t room = strlen(folder) + strlen(leaf) + 2;
    rill_gallery_entry *more = realloc(gallery->entries, (gallery->count + 1) * sizeof *more);
    char *path = malloc(room);
    gallery->entries = more ? more : gallery->entries;
    if (!more || !path) {
        free(path);
        return false;
    }
    rill_gallery_entry *entry = &gallery->entries[gallery->count++];
    memset(entry, 0, sizeof *entry);
    snprintf(path, room, "%s/%s", folder, leaf);
    entry->path = path;
    snprintf(entry->name, sizeof entry->name, "%.*s", (int)(rill_file_ending(leaf) - leaf), leaf);
    for (char *p = entry->name; *p; ++p) *p = *p == '_' ? ' ' : *p;
    entry->name[0] = (char)toupper((unsigned char)entry->name[0]);
    name_cache(entry);
    return true;
}

bool rill_gallery_list(rill_gallery *gallery, const char *folder) {
    DIR *directory = opendir(folder);
    bool good = true;
    for (struct dirent *item; directory && good && (item = readdir(directory));)
        if (rill_file_ends(item->d_name, ".yaml")) good = add(gallery, folder, item->d_name);
    if (directory) closedir(directory);
    if (gallery->count) qsort(gallery->entries, gallery->count, sizeof *gallery->entries, by_name);
    return good;
}

void rill_gallery_free(rill_gallery *gallery) {
    for (size_t i = 0; i < gallery->count; ++i) {
        free(gallery->entries[i].path);
        glDeleteTextures(1, &gallery->entries[i].texture);
    }
    free(gallery->entries);
    *gallery = (rill_gallery){ 0 };
}

static void make_texture(rill_gallery_entry *entry, const uint8_t *pixels) {
    glGenTextures(1, &entry->texture);
    glBindTexture(GL_TEXTURE_2D, entry->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, RILL_THUMBNAIL_WIDTH, RILL_THUMBNAIL_HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixels);
    glGenerateMipmap(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, 0);
}

static bool read_picture(const char *path, uint8_t *pixels) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path)) return false;
    image.format = PNG_FORMAT_RGBA;
    bool good = image.width == RILL_THUMBNAIL_WIDTH && image.height == RILL_THUMBNAIL_HEIGHT &&
                png_image_finish_read(&image, NULL, pixels, 0, NULL);
    png_image_free(&image);
    return good;
}

void rill_gallery_load(rill_gallery *gallery) {
    uint8_t *pixels = malloc((size_t)4 * RILL_THUMBNAIL_WIDTH * RILL_THUMBNAIL_HEIGHT);
    for (size_t i = 0; pixels && i < gallery->count; ++i) {
        rill_gallery_entry *entry = &gallery->entries[i];
        if (!entry->texture && entry->cache[0] && read_picture(entry->cache, pixels)) make_texture(entry, pixels);
    }
    free(pixels);
}

void rill_gallery_put(rill_gallery_entry *entry, const uint8_t *pixels) {
    char folder[1024];
    rill_message message;
    make_texture(entry, pixels);
    if (!entry->cache[0]) return;
    /* Without a cache it is drawn again next time: no more than that is lost. */
    snprintf(folder, sizeof folder, "%.*s", (int)(rill_file_leaf(entry->cache) - entry->cache), entry->cache);
    if (rill_file_make_folders(folder, &message))
        rill_picture_write(entry->cache, pixels, RILL_THUMBNAIL_WIDTH, RILL_THUMBNAIL_HEIGHT, &message);
}
