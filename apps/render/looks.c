/* Tables: what materials and liquids look like. Colours are linear reflectances; extinctions are tuned so that films
 * and pools have the colours one knows, with measured orders of magnitude (whole blood lets green through for about
 * 0.1 mm, water absorbs red over metres: its tint is exaggerated, or it would not show in a tray). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

/* ---------------------------------------------------------------------------------------------------------- liquids */

typedef struct named_optics {
    const char *name;
    rill_optics optics;
} named_optics;

static const named_optics liquids[] = {
    { "water", { { 14.0f, 4.5f, 3.0f }, { 0.010f, 0.045f, 0.055f }, 1.333f } },
    { "blood", { { 900.0f, 7000.0f, 6200.0f }, { 0.105f, 0.0030f, 0.0045f }, 1.36f } },
    { "coffee", { { 210.0f, 560.0f, 1400.0f }, { 0.026f, 0.0095f, 0.0035f }, 1.34f } },
    { "milk", { { 2600.0f, 2700.0f, 2900.0f }, { 0.88f, 0.86f, 0.79f }, 1.35f } },
    { "paint", { { 9000.0f, 8000.0f, 7000.0f }, { 0.020f, 0.13f, 0.48f }, 1.48f } },
    { "olive oil", { { 16.0f, 26.0f, 210.0f }, { 0.18f, 0.15f, 0.012f }, 1.47f } },
    { "glycerol", { { 5.0f, 4.0f, 5.5f }, { 0.06f, 0.065f, 0.06f }, 1.473f } },
    { "honey", { { 22.0f, 75.0f, 480.0f }, { 0.42f, 0.17f, 0.010f }, 1.49f } },
    { "wine", { { 130.0f, 1500.0f, 950.0f }, { 0.060f, 0.0025f, 0.0065f }, 1.345f } },
    { "apple juice", { { 14.0f, 55.0f, 230.0f }, { 0.34f, 0.155f, 0.016f }, 1.345f } },
    { "milk tea", { { 1300.0f, 1600.0f, 2300.0f }, { 0.46f, 0.27f, 0.13f }, 1.345f } },
    { "ink", { { 5200.0f, 4300.0f, 2600.0f }, { 0.0035f, 0.0055f, 0.020f }, 1.34f } },
    { "saline", { { 14.0f, 4.5f, 3.0f }, { 0.010f, 0.045f, 0.055f }, 1.335f } },
};

bool rill_optics_preset(const char *name, rill_optics *out) {
    for (size_t i = 0; i < sizeof liquids / sizeof liquids[0]; ++i) {
        if (strcmp(liquids[i].name, name) == 0) {
            *out = liquids[i].optics;
            return true;
        }
    }
    return false;
}

/* -------------------------------------------------------------------------------------------------------- materials */

/* In the order of rill_material. */
static const rill_render_material materials[] = {
    { RILL_MATERIAL_AUTO, { 0.50f, 0.49f, 0.47f }, 0.5f },   { RILL_MATERIAL_BONE, { 0.74f, 0.64f, 0.48f }, 0.42f },
    { RILL_MATERIAL_WOOD, { 0.38f, 0.20f, 0.095f }, 0.38f }, { RILL_MATERIAL_CERAMIC, { 0.80f, 0.79f, 0.76f }, 0.12f },
    { RILL_MATERIAL_STEEL, { 0.66f, 0.66f, 0.67f }, 0.26f }, { RILL_MATERIAL_TISSUE, { 0.46f, 0.125f, 0.10f }, 0.36f },
    { RILL_MATERIAL_GLASS, { 0.95f, 0.98f, 0.97f }, 0.02f }, { RILL_MATERIAL_STONE, { 0.44f, 0.41f, 0.36f }, 0.72f },
    { RILL_MATERIAL_CHALK, { 0.88f, 0.87f, 0.84f }, 0.85f },
};

/* Words in names, looked for in this order. */
static const struct {
    const char *word;
    rill_material kind;
} hints[] = {
    { "bone", RILL_MATERIAL_BONE },       { "vertebra", RILL_MATERIAL_BONE }, { "skull", RILL_MATERIAL_BONE },
    { "tissue", RILL_MATERIAL_TISSUE },   { "skin", RILL_MATERIAL_TISSUE },   { "dura", RILL_MATERIAL_TISSUE },
    { "organ", RILL_MATERIAL_TISSUE },    { "muscle", RILL_MATERIAL_TISSUE }, { "glass", RILL_MATERIAL_GLASS },
    { "pane", RILL_MATERIAL_GLASS },      { "spoon", RILL_MATERIAL_STEEL },   { "handle", RILL_MATERIAL_STEEL },
    { "steel", RILL_MATERIAL_STEEL },     { "gate", RILL_MATERIAL_STEEL },    { "knife", RILL_MATERIAL_STEEL },
    { "press", RILL_MATERIAL_STEEL },     { "piston", RILL_MATERIAL_STEEL },  { "cup", RILL_MATERIAL_CERAMIC },
    { "saucer", RILL_MATERIAL_CERAMIC },  { "bowl", RILL_MATERIAL_CERAMIC },  { "plate", RILL_MATERIAL_CERAMIC },
    { "sugar", RILL_MATERIAL_CHALK },     { "chalk", RILL_MATERIAL_CHALK },   { "table", RILL_MATERIAL_WOOD },
    { "bead", RILL_MATERIAL_WOOD },       { "leg", RILL_MATERIAL_WOOD },      { "wood", RILL_MATERIAL_WOOD },
    { "plank", RILL_MATERIAL_WOOD },      { "boat", RILL_MATERIAL_WOOD },     { "tray", RILL_MATERIAL_WOOD },
    { "rock", RILL_MATERIAL_STONE },      { "stone", RILL_MATERIAL_STONE },   { "ground", RILL_MATERIAL_STONE },
    { "landscape", RILL_MATERIAL_STONE }, { "terrain", RILL_MATERIAL_STONE }, { "block", RILL_MATERIAL_STONE },
    { "beam", RILL_MATERIAL_STONE },      { "roof", RILL_MATERIAL_STONE },    { "quay", RILL_MATERIAL_STONE },
    { "pier", RILL_MATERIAL_STONE },      { "foot", RILL_MATERIAL_STONE },    { "rim", RILL_MATERIAL_WOOD },
    { "post", RILL_MATERIAL_WOOD },
};

/* Tells whether a word is in a name, whatever its case. */
static bool has_word(const char *name, const char *word) {
    for (; *name; ++name) {
        size_t i = 0;
        while (word[i] && tolower((unsigned char)name[i]) == word[i]) ++i;
        if (!word[i]) return true;
    }
    return false;
}

static rill_material guess(const char *name, rill_shape shape) {
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i)
        if (has_word(name, hints[i].word)) return hints[i].kind;
    return shape == RILL_SHAPE_HEIGHTMAP ? RILL_MATERIAL_STONE : RILL_MATERIAL_AUTO;
}

rill_render_material rill_material_for(const rill_scene_material *said, const char *name, rill_shape shape) {
    rill_material kind = said->kind == RILL_MATERIAL_AUTO ? guess(name ? name : "", shape) : said->kind;
    rill_render_material material = materials[kind];
    for (int k = 0; said->coloured && k < 3; ++k) material.colour[k] = (float)said->colour[k];
    if (said->roughness >= 0) material.roughness = (float)said->roughness;
    return material;
}

rill_render_material *rill_materials_of(const rill_scene *scene, rill_render_options *options) {
    size_t solids = scene->solid_count, bodies = scene->body_count;
    rill_render_material *all = malloc((solids + bodies + 1) * sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < solids; ++i) {
        const rill_scene_solid *solid = &scene->solids[i];
        all[i] = rill_material_for(&solid->material, solid->def.name, solid->def.shape.type);
    }
    for (size_t i = 0; i < bodies; ++i) {
        const rill_scene_body *body = &scene->bodies[i];
        all[solids + i] = rill_material_for(&body->material, body->def.name, RILL_SHAPE_MESH);
    }
    options->materials = all;
    options->material_count = solids;
    options->body_materials = all + solids;
    options->body_material_count = bodies;
    return all;
}
