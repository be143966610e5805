/* Rows of measurements and their three printed forms: aligned text, Markdown, CSV. */
#include "validation_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One row as text, column by column. */
enum { COLUMN_CASE, COLUMN_MODE, COLUMN_WHAT, COLUMN_VALUE, COLUMN_TARGET, COLUMN_BAR, COLUMN_VERDICT, COLUMN_COUNT };
enum { CELL_SIZE = 112 };
typedef char text_row[COLUMN_COUNT][CELL_SIZE];

static const char *const headings[COLUMN_COUNT] = { "case",   "mode",       "measured", "value",
                                                    "target", "public bar", "verdict" };

/* Written so that a value that is not a number never passes. */
static bool judge(const rill_check *check) {
    double error = fabs(check->value - check->target);
    switch (check->relation) {
    case RILL_NOTE: return true;
    case RILL_ZERO: return check->value == 0;
    case RILL_AT_MOST: return check->value <= check->target;
    case RILL_AT_LEAST: return check->value >= check->target;
    case RILL_NEAR: return error <= check->tolerance * fabs(check->target);
    case RILL_WITHIN: return error <= check->tolerance;
    }
    return false;
}

static rill_row *new_row(rill_validation *validation) {
    if (validation->row_count == validation->row_capacity) {
        size_t capacity = validation->row_capacity ? 2 * validation->row_capacity : 64;
        rill_row *rows = realloc(validation->rows, capacity * sizeof *rows);
        if (!rows) {
            validation->out_of_memory = true;
            return NULL;
        }
        validation->rows = rows;
        validation->row_capacity = capacity;
    }
    rill_row *row = &validation->rows[validation->row_count++];
    memset(row, 0, sizeof *row);
    row->number = validation->number;
    return row;
}

void rill_validation_add(rill_validation *validation, const rill_check *check, const char *what, ...) {
    rill_row *row = new_row(validation);
    if (!row) return;
    row->check = *check;
    row->pass = judge(check);
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(row->what, sizeof row->what, what, arguments);
    va_end(arguments);
}

void rill_validation_broken(rill_validation *validation, const char *why) {
    rill_validation_add(validation, &(rill_check){ .mode = "-", .relation = RILL_ZERO, .value = NAN }, "not run: %s",
                        why);
}

size_t rill_validation_failures(const rill_validation *validation) {
    size_t failures = 0;
    for (size_t i = 0; i < validation->row_count; ++i) failures += !validation->rows[i].pass;
    return failures;
}

void rill_validation_free(rill_validation *validation) {
    free(validation->rows);
    validation->rows = NULL;
    validation->row_count = validation->row_capacity = 0;
}

static void describe_target(const rill_check *check, char text[CELL_SIZE]) {
    const char *unit = check->unit ? check->unit : "";
    const char *gap = check->unit ? " " : "";
    switch (check->relation) {
    case RILL_NOTE: snprintf(text, CELL_SIZE, "-"); break;
    case RILL_ZERO: snprintf(text, CELL_SIZE, "exactly 0"); break;
    case RILL_AT_MOST: snprintf(text, CELL_SIZE, "<= %.6g%s%s", check->target, gap, unit); break;
    case RILL_AT_LEAST: snprintf(text, CELL_SIZE, ">= %.6g%s%s", check->target, gap, unit); break;
    case RILL_NEAR:
        snprintf(text, CELL_SIZE, "%.6g%s%s +- %.3g %%", check->target, gap, unit, 100 * check->tolerance);
        break;
    case RILL_WITHIN: snprintf(text, CELL_SIZE, "%.6g +- %.3g%s%s", check->target, check->tolerance, gap, unit); break;
    }
}

static void describe(const rill_row *row, text_row text) {
    const rill_check *check = &row->check;
    snprintf(text[COLUMN_CASE], CELL_SIZE, "%d", row->number);
    snprintf(text[COLUMN_MODE], CELL_SIZE, "%s", check->mode);
    snprintf(text[COLUMN_WHAT], CELL_SIZE, "%s", row->what);
    snprintf(text[COLUMN_VALUE], CELL_SIZE, "%.6g%s%s", check->value, check->unit ? " " : "",
             check->unit ? check->unit : "");
    describe_target(check, text[COLUMN_TARGET]);
    snprintf(text[COLUMN_BAR], CELL_SIZE, "%s", check->bar ? check->bar : "-");
    const char *verdict = check->relation == RILL_NOTE ? "-" : row->pass ? "pass" : "FAIL";
    snprintf(text[COLUMN_VERDICT], CELL_SIZE, "%s", verdict);
}

static void measure_columns(const rill_validation *validation, int widths[COLUMN_COUNT]) {
    for (int c = 0; c < COLUMN_COUNT; ++c) widths[c] = (int)strlen(headings[c]);
    for (size_t i = 0; i < validation->row_count; ++i) {
        text_row text;
        describe(&validation->rows[i], text);
        for (int c = 0; c < COLUMN_COUNT; ++c) {
            int width = (int)strlen(text[c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

/* Prints one line of the table; the last column is not padded. */
static void print_line(FILE *file, const char *left, const char *between, const char *right,
                       const int widths[COLUMN_COUNT], text_row text) {
    fputs(left, file);
    for (int c = 0; c < COLUMN_COUNT; ++c) {
        bool last = c == COLUMN_COUNT - 1;
        fprintf(file, "%-*s%s", last && !*right ? 0 : widths[c], text[c], last ? right : between);
    }
    fputc('\n', file);
}

static void print_rule(FILE *file, const char *left, const char *between, const char *right,
                       const int widths[COLUMN_COUNT]) {
    fputs(left, file);
    for (int c = 0; c < COLUMN_COUNT; ++c) {
        for (int i = 0; i < widths[c]; ++i) fputc('-', file);
        fputs(c == COLUMN_COUNT - 1 ? right : between, file);
    }
    fputc('\n', file);
}

static void print_with(const rill_validation *validation, FILE *file, const char *left, const char *between,
                       const char *right) {
    int widths[COLUMN_COUNT];
    measure_columns(validation, widths);
    text_row text;
    for (int c = 0; c < COLUMN_COUNT; ++c) snprintf(text[c], CELL_SIZE, "%s", headings[c]);
    print_line(file, left, between, right, widths, text);
    print_rule(file, left, between, right, widths);
    for (size_t i = 0; i < validation->row_count; ++i) {
        describe(&validation->rows[i], text);
        print_line(file, left, between, right, widths, text);
    }
}

void rill_validation_print(const rill_validation *validation, FILE *file) {
    print_with(validation, file, "", "  ", "");
}

void rill_validation_print_markdown(const rill_validation *validation, FILE *file) {
    print_with(validation, file, "| ", " | ", " |");
}

/* Text for CSV: quoted, quotes doubled. */
static void print_quoted(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void rill_validation_print_csv(const rill_validation *validation, FILE *file) {
    fputs("case,mode,measured,value,unit,target,public_bar,verdict\n", file);
    for (size_t i = 0; i < validation->row_count; ++i) {
        const rill_row *row = &validation->rows[i];
        text_row text;
        describe(row, text);
        fprintf(file, "%d,%s,", row->number, row->check.mode);
        print_quoted(file, row->what);
        fprintf(file, ",%.17g,", row->check.value);
        print_quoted(file, row->check.unit ? row->check.unit : "");
        fputc(',', file);
        print_quoted(file, text[COLUMN_TARGET]);
        fputc(',', file);
        print_quoted(file, row->check.bar ? row->check.bar : "");
        fprintf(file, ",%s\n", text[COLUMN_VERDICT]);
    }
}
