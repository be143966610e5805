/* The writing of meshes: the shortest text of numbers, and files that are whole or not there. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene/file_writer.h"
#include "scene/files.h"
#include "scene/number_text.h"

#include "test_folder.h"

/* ---------------------------------------------------------------------------------------------------------- numbers */

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static size_t count_digits(const char *text) {
    size_t digits = 0, zeros = 0;
    bool started = false;
    for (; *text && *text != 'e'; ++text) {
        if (*text < '0' || *text > '9') continue;
        started |= *text != '0';
        digits += started ? 1 : 0;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits - (digits ? zeros : 0); /* those at the end only say how large it is */
}

/* Any bits, and the numbers that meshes have: read back the same, with no digit more than printf needs. */
static void floats_are_exact_and_short(void **state) {
    (void)state;
    uint64_t random = 1;
    size_t longer = 0;
    for (int i = 0; i < 200000; ++i) {
        uint32_t bits = next_random(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (i % 4 == 1) value = (float)(bits >> 8) * 0x1p-24f;
        if (i % 4 == 2) value = (float)((int)(bits % 20001) - 10000) / 1000.0f;
        if (i % 4 == 3) value = ldexpf(1, (int)(bits % 277) - 149); /* gaps differ on either side */
        if (!isfinite(value)) continue;
        char text[RILL_NUMBER_TEXT], best[RILL_NUMBER_TEXT];
        size_t length = rill_number_float(value, text);
        assert_int_equal(length, strlen(text));
        float back = strtof(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        int digits = 1;
        do {
            snprintf(best, sizeof best, "%.*e", digits - 1, (double)value);
        } while (strtof(best, NULL) != value && digits++ < 9);
        longer += count_digits(text) > (size_t)digits;
    }
    assert_int_equal(longer, 0);
}

static void assert_float_text(float value, const char *expected) {
    char text[RILL_NUMBER_TEXT];
    rill_number_float(value, text);
    assert_string_equal(text, expected);
}

static void numbers_look_plain(void **state) {
    (void)state;
    assert_float_text(0, "0");
    assert_float_text(-0.0f, "-0");
    assert_float_text(0.1f, "0.1");
    assert_float_text(-12.5f, "-12.5");
    assert_float_text(100, "100");
    assert_float_text(16777216, "16777216");
    assert_float_text(3.4028235e38f, "3.4028235e38");
    assert_float_text(1.4e-45f, "1e-45");
    assert_float_text(1.17549435e-38f, "1.1754944e-38");
    assert_float_text(0.00001f, "0.00001");
    assert_float_text(1.5e-7f, "1.5e-7");
    assert_float_text(NAN, "nan");
    assert_float_text(-INFINITY, "-inf");
    char text[RILL_NUMBER_TEXT];
    rill_number_double(0.1, text);
    assert_string_equal(text, "0.1");
    rill_number_double(1.0 / 3, text);
    assert_true(strtod(text, NULL) == 1.0 / 3);
    rill_number_count(UINT64_MAX, text);
    assert_string_equal(text, "18446744073709551615");
}

/* Where a comma is the decimal point, files keep theirs. Only as good as the locales that are installed. */
static void locales_change_nothing(void **state) {
    (void)state;
    static const char *const comma[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof comma / sizeof comma[0] && !found; ++i)
        found = setlocale(LC_NUMERIC, comma[i]) != NULL && localeconv()->decimal_point[0] != '.';
    char text[RILL_NUMBER_TEXT];
    rill_number_double(-1234.5678, text);
    bool good = strcmp(text, "-1234.5678") == 0;
    rill_number_float(0.125f, text);
    good = good && strcmp(text, "0.125") == 0;
    setlocale(LC_NUMERIC, "C");
    assert_true(good);
    if (!found) print_message("no locale with a decimal comma is installed: tried without\n");
}

/* ----------------------------------------------------------------------------------------------------------- writer */

static void files_are_whole_or_absent(void **state) {
    (void)state;
    rill_writer writer;
    rill_message message;
    char *bytes;
    size_t size;
    const char *path = in_folder("whole");
    assert_true(rill_writer_create(&writer, path, &message));
    for (uint32_t i = 0; i < 50000; ++i) rill_writer_u32(&writer, i); /* several buffers */
    assert_int_equal(access(path, F_OK), -1);
    assert_true(rill_writer_commit(&writer, &message));
    assert_int_equal(rill_file_read(path, 1 << 20, &bytes, &size, &message), RILL_OK);
    assert_int_equal(size, 200000);
    for (uint32_t i = 0; i < 50000; ++i) {
        const unsigned char *b = (const unsigned char *)bytes + 4 * (size_t)i;
        assert_true((b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24) == i);
    }
    free(bytes);
    assert_true(rill_writer_create(&writer, path, &message)); /* another one, given up: the first stays */
    rill_writer_text(&writer, "half");
    rill_writer_abandon(&writer);
    assert_int_equal(access(in_folder("whole.part"), F_OK), -1);
    assert_int_equal(rill_file_read(path, 1 << 20, &bytes, &size, &message), RILL_OK);
    assert_int_equal(size, 200000);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

static void full_disks_are_noticed(void **state) {
    (void)state;
    rill_writer writer;
    rill_message message = { "" };
    assert_int_equal(symlink("/dev/full", in_folder("full.part")), 0);
    assert_true(rill_writer_create(&writer, in_folder("full"), &message));
    for (int i = 0; i < 100000; ++i) rill_writer_text(&writer, "text");
    assert_false(rill_writer_commit(&writer, &message));
    assert_string_equal(message.text, "No space left on device");
    assert_int_equal(access(in_folder("full"), F_OK), -1);
    assert_int_equal(access(in_folder("full.part"), F_OK), -1);
    assert_false(rill_writer_create(&writer, in_folder("none/file"), &message));
    assert_string_equal(message.text, "No such file or directory");
}

static void files_are_gone_on_with(void **state) {
    (void)state;
    rill_writer writer;
    rill_message message;
    char *bytes;
    size_t size;
    const char *path = in_folder("grows");
    assert_true(rill_writer_append(&writer, path, 0, &message));
    rill_writer_text(&writer, "firstlost");
    assert_true(rill_writer_sync(&writer, &message));
    rill_writer_abandon(&writer);
    assert_true(rill_writer_append(&writer, path, 5, &message));
    rill_writer_u64(&writer, 0);
    rill_writer_text(&writer, "end");
    rill_writer_patch_u64(&writer, 5, 0x6867666564636261u);
    rill_writer_text(&writer, "!");
    assert_int_equal(writer.size, 17);
    assert_true(rill_writer_commit(&writer, &message));
    assert_int_equal(rill_file_read(path, 100, &bytes, &size, &message), RILL_OK);
    assert_string_equal(bytes, "firstabcdefghend!");
    free(bytes);
    assert_false(rill_writer_append(&writer, path, 18, &message));
    assert_string_equal(message.text, "it is shorter than it was");
    assert_int_equal(unlink(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_exact_and_short), cmocka_unit_test(numbers_look_plain),
        cmocka_unit_test(locales_change_nothing),     cmocka_unit_test(files_are_whole_or_absent),
        cmocka_unit_test(full_disks_are_noticed),     cmocka_unit_test(files_are_gone_on_with),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
