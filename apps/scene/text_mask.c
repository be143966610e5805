/* Draws text by FreeType: glyph after glyph with kerning, then cut to the ink. */
#include "text_mask.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { LONGEST = 256, WIDEST = 16384 };

/* Fonts for who names none, in the places where systems keep them. */
static const char *const FONTS[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf",
    "/usr/share/fonts/truetype/freefont/FreeSansBold.ttf",
    "/System/Library/Fonts/Helvetica.ttc",
    "/Library/Fonts/Arial Bold.ttf",
    "C:/Windows/Fonts/arialbd.ttf",
};

typedef struct drawing {
    FT_Library library;
    FT_Face face;
    FT_UInt glyphs[LONGEST];
    int32_t glyph_count;
} drawing;

/* Where glyphs are drawn to: a picture whose row 0 is the top, with the baseline `rise` below it. */
typedef struct canvas {
    uint8_t *ink;
    int32_t width, height, rise;
} canvas;

static rill_result fail(rill_message *message, rill_result result, const char *text, const char *what) {
    snprintf(message->text, sizeof message->text, text, what);
    return result;
}

static rill_result open_font(drawing *text, const char *font, rill_message *message) {
    rill_message why;
    if (font && !rill_file_check(font, &why))
        return fail(message, RILL_INVALID_DATA, "found no file %.180s, expected that of a font", font);
    for (size_t i = 0; !font && i < sizeof FONTS / sizeof FONTS[0]; ++i)
        if (rill_file_check(FONTS[i], &why)) font = FONTS[i];
    if (!font)
        return fail(message, RILL_INVALID_DATA, "found no font to draw '%.40s' with, expected the key 'font'", "text");
    if (FT_New_Face(text->library, font, 0, &text->face) || !FT_IS_SCALABLE(text->face))
        return fail(message, RILL_INVALID_DATA, "found no scalable font in %.180s, expected a font file", font);
    return RILL_OK;
}

/* Reads the next character of UTF-8 and steps over it; 0 at the end, or where it is broken. */
static uint32_t next_character(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    const int32_t more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    uint32_t character = more ? at[0] & (0x3fu >> more) : at[0];
    for (int32_t i = 1; i <= more; ++i) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        character = character << 6 | (at[i] & 0x3fu);
    }
    *text += more + (at[0] != 0);
    return character;
}

static rill_result find_glyphs(drawing *text, const char *characters, rill_message *message) {
    const char *at = characters;
    for (uint32_t character; text->glyph_count < LONGEST && (character = next_character(&at));)
        text->glyphs[text->glyph_count++] = FT_Get_Char_Index(text->face, character);
    for (int32_t i = 0; i < text->glyph_count; ++i)
        if (!text->glyphs[i])
            return fail(message, RILL_INVALID_DATA, "found a character in '%.80s' that the font has not", characters);
    return *at ? fail(message, RILL_INVALID_DATA, "found '%.80s...', expected at most 256 characters", characters)
               : RILL_OK;
}

static void draw_glyph(const FT_GlyphSlot glyph, int32_t x, const canvas *onto) {
    for (int32_t row = 0; row < (int32_t)glyph->bitmap.rows; ++row) {
        const int32_t y = onto->rise - glyph->bitmap_top + row;
        for (int32_t column = 0; column < (int32_t)glyph->bitmap.width; ++column) {
            const int32_t to = x + glyph->bitmap_left + column;
            if (to < 0 || to >= onto->width || y < 0 || y >= onto->height) continue;
            const uint8_t ink = glyph->bitmap.buffer[row * glyph->bitmap.pitch + column];
            uint8_t *pixel = &onto->ink[(size_t)y * (size_t)onto->width + (size_t)to];
            if (ink > *pixel) *pixel = ink;
        }
    }
}

/* Returns how far the pen goes, pixels; draws where there is something to draw onto. */
static int32_t draw_line(const drawing *text, const canvas *onto) {
    int32_t pen = onto->rise; /* room for what hangs over to the left */
    for (int32_t i = 0; i < text->glyph_count; ++i) {
        FT_Vector kerning = { 0, 0 };
        if (i > 0) FT_Get_Kerning(text->face, text->glyphs[i - 1], text->glyphs[i], FT_KERNING_DEFAULT, &kerning);
        pen += (int32_t)(kerning.x / 64);
        if (FT_Load_Glyph(text->face, text->glyphs[i], onto->ink ? FT_LOAD_RENDER : FT_LOAD_DEFAULT)) continue;
        if (onto->ink && text->face->glyph->bitmap.pixel_mode == FT_PIXEL_MODE_GRAY)
            draw_glyph(text->face->glyph, pen, onto);
        pen += (int32_t)(text->face->glyph->advance.x / 64);
    }
    return pen + onto->rise;
}

static bool any_in(const canvas *from, int32_t x, int32_t y, int32_t step, int32_t count) {
    bool any = false;
    const uint8_t *at = from->ink + (size_t)y * (size_t)from->width + (size_t)x;
    for (int32_t i = 0; i < count; ++i) any |= at[(size_t)i * (size_t)step] >= 128;
    return any;
}

/* Cuts the ink out, and turns it over. */
static rill_result cut(const canvas *from, const char *characters, rill_text_mask *out, rill_message *message) {
    int32_t left = 0, right = from->width, top = 0, bottom = from->height;
    while (top < bottom && !any_in(from, 0, top, 1, from->width)) ++top;
    while (bottom > top && !any_in(from, 0, bottom - 1, 1, from->width)) --bottom;
    if (top == bottom) return fail(message, RILL_INVALID_DATA, "found no ink in '%.80s', expected letters", characters);
    while (!any_in(from, left, 0, from->width, from->height)) ++left;
    while (!any_in(from, right - 1, 0, from->width, from->height)) --right;
    *out = (rill_text_mask){ .width = right - left, .height = bottom - top };
    out->ink = malloc((size_t)out->width * (size_t)out->height);
    if (!out->ink) return RILL_OUT_OF_MEMORY;
    for (int32_t y = 0; y < out->height; ++y)
        memcpy(out->ink + (size_t)y * (size_t)out->width,
               from->ink + (size_t)(bottom - 1 - y) * (size_t)from->width + (size_t)left, (size_t)out->width);
    return RILL_OK;
}

static rill_result draw(drawing *text, const char *characters, const char *font, int32_t size, rill_text_mask *out,
                        rill_message *message) {
    rill_result result = open_font(text, font, message);
    if (!result) result = find_glyphs(text, characters, message);
    if (result) return result;
    FT_Set_Pixel_Sizes(text->face, 0, (FT_UInt)size);
    canvas onto = { .rise = 2 * size, .height = 3 * size };
    onto.width = draw_line(text, &onto);
    if (onto.width > WIDEST)
        return fail(message, RILL_INVALID_DATA, "found '%.80s', which is too wide for its height", characters);
    onto.ink = calloc((size_t)onto.width, (size_t)onto.height);
    if (!onto.ink) return RILL_OUT_OF_MEMORY;
    draw_line(text, &onto);
    result = cut(&onto, characters, out, message);
    free(onto.ink);
    return result;
}

rill_result rill_text_draw(const char *text, const char *font, int32_t size, rill_text_mask *out,
                           rill_message *message) {
    drawing line = { 0 };
    if (FT_Init_FreeType(&line.library)) return RILL_OUT_OF_MEMORY;
    const rill_result result = draw(&line, text, font, size, out, message);
    if (line.face) FT_Done_Face(line.face);
    FT_Done_FreeType(line.library);
    return result;
}
