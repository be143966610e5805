/* bed: the grid, the edges, and what goes for all solids. */
#include <string.h>

#include "read_scene.h"

static const rill_range CELL_SIZE = { 1e-6, 1e4, false, "m" };
static const int64_t CELLS_LIMIT = (int64_t)1 << 28;
enum { CELLS_PER_SIDE = 32768 };

static void read_grid(rill_reader *reader, const rill_node *node, rill_grid *grid) {
    static const char *const keys[] = { "cells", "cell_size", "origin", NULL };
    if (!rill_reader_open(reader, node, "the grid", keys)) return;
    const rill_node *cells = rill_reader_need(reader, node, "the grid", "cells");
    if (rill_reader_list(reader, cells, "whole numbers", 2, 2)) {
        bool good = rill_read_integer(reader, cells->members[0].value, 1, CELLS_PER_SIDE, &grid->cells[0]);
        good &= rill_read_integer(reader, cells->members[1].value, 1, CELLS_PER_SIDE, &grid->cells[1]);
        if (good && (int64_t)grid->cells[0] * grid->cells[1] > CELLS_LIMIT)
            rill_reader_expected(reader, cells, "at most %lld cells in all", (long long)CELLS_LIMIT);
    }
    rill_read_number(reader, rill_reader_need(reader, node, "the grid", "cell_size"), &CELL_SIZE, &grid->cell_size);
    rill_read_numbers(reader, rill_tree_get(node, "origin"), &rill_range_place, grid->origin, 3);
}

static void read_edge(rill_reader *reader, const rill_node *node, rill_edge *edge) {
    static const char *const words[] = { "wall", "open", NULL };
    static const char *const keys[] = { "still", NULL };
    if (node && node->kind == RILL_NODE_MAP) {
        rill_reader_open(reader, node, "an edge", keys);
        edge->kind = RILL_EDGE_STILL;
        rill_read_number(reader, rill_reader_need(reader, node, "an edge", "still"), &rill_range_place, &edge->level);
    } else if (node && node->kind == RILL_NODE_SCALAR && strcmp(node->text, "wall") == 0) {
        edge->kind = RILL_EDGE_WALL;
    } else if (node && node->kind == RILL_NODE_SCALAR && strcmp(node->text, "open") == 0) {
        edge->kind = RILL_EDGE_OPEN;
    } else if (node) {
        rill_hint hint = rill_report_hint(node->kind == RILL_NODE_SCALAR ? node->text : "", words);
        rill_reader_expected(reader, node, "wall, open or { still: level }%s", hint.text);
    }
}

static void read_edges(rill_reader *reader, const rill_node *node, rill_edge edges[4]) {
    static const char *const keys[] = { "west", "east", "south", "north", NULL }; /* in the order of RILL_WEST ... */
    if (!rill_reader_open(reader, node, "the edges", keys)) return;
    for (int side = 0; side < 4; ++side) read_edge(reader, rill_tree_get(node, keys[side]), &edges[side]);
}

void rill_read_bed(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    static const char *const keys[] = { "grid", "headroom", "min_opening", "solids", "edges", NULL };
    if (!rill_reader_open(reader, node, "the bed", keys)) return;
    read_grid(reader, rill_reader_need(reader, node, "the bed", "grid"), &scene->world.grid);
    rill_read_number(reader, rill_tree_get(node, "headroom"), &rill_range_size, &scene->world.headroom);
    rill_read_number(reader, rill_tree_get(node, "min_opening"), &rill_range_height, &scene->world.min_opening);
    rill_read_solids(reader, rill_reader_need(reader, node, "the bed", "solids"), scene);
    read_edges(reader, rill_tree_get(node, "edges"), scene->world.edges);
}
