/* The pressure solve: against a dense elimination on small problems of every kind, by its number of steps on the
 * shapes that flooded passages have, and bit for bit across instruction sets and across what was solved before. */
#include <math.h>

#include "solve/levels.h"
#include "worlds.h"

enum { NODES = 48000, PATCHES = 64, LINKS = 512, LEVELS = 16 };

static rill_poisson problem;
static test_memory memory;

static int make_problem(void **state) {
    (void)state;
    memory = (test_memory){ 0 };
    const rill_allocator allocator = test_allocator(&memory);
    const rill_poisson_size room = { NODES, PATCHES, LINKS, LEVELS, NODES, NODES, 2 * NODES, 0 }; /* any shapes */
    return rill_poisson_make(&problem, &room, &allocator) ? 0 : 1;
}

static int free_problem(void **state) {
    (void)state;
    const rill_allocator allocator = test_allocator(&memory);
    rill_poisson_free(&problem, &allocator);
    return memory.live == 0 ? 0 : 1;
}

static uint32_t seed;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static double real(double low, double high) {
    return low + (high - low) * (double)next() / 16777216.0;
}
/* Between 10^low and 10^high, as often in each decade. */
static float weight(double low, double high) {
    return (float)pow(10.0, real(low, high));
}

static int32_t node_at(int32_t p, int32_t x, int32_t y) {
    return problem.patches[p].first + y * problem.patches[p].stride + x;
}

/* max |f - A x| over active nodes, and f - A x itself if wanted: the definition, written down again. */
static double residual_of(const rill_poisson *p, double *out) {
    static double r[NODES];
    double largest = 0.0;
    memset(r, 0, sizeof r);
    for (int32_t k = 0; k < p->patch_count; ++k)
        for (int32_t y = 0; y <= p->patches[k].ny; ++y)
            for (int32_t x = 0; x <= p->patches[k].nx; ++x) {
                int32_t i = p->patches[k].first + y * p->patches[k].stride + x, s = i - p->patches[k].stride;
                double flow_x = (double)p->wx[i] * (p->x[i] - p->x[i - 1]);
                double flow_y = (double)p->wy[i] * (p->x[i] - p->x[s]);
                r[i] += p->f[i] - (double)p->extra[i] * p->x[i] - flow_x - flow_y;
                r[i - 1] += flow_x;
                r[s] += flow_y;
            }
    for (int32_t k = 0; k < p->link_count; ++k) {
        double flow = (double)p->links[k].w * (p->x[p->links[k].a] - p->x[p->links[k].b]);
        r[p->links[k].a] -= flow;
        r[p->links[k].b] += flow;
    }
    for (int32_t i = 0; i < p->node_count; ++i) {
        r[i] = p->active[i] > 0.0f ? r[i] : 0.0;
        largest = fmax(largest, fabs(r[i]));
    }
    if (out) memcpy(out, r, sizeof r);
    return largest;
}

/* -------------------------------------------------------------------------------------------- small random problems */

enum { SMALL = 900 };

static struct {
    int32_t count;
    int32_t node[SMALL], component[SMALL], number[NODES];
    double matrix[SMALL][SMALL], x[SMALL];
} dense;

static void join_dense(int32_t a, int32_t b, double w) {
    if (problem.active[a] <= 0.0f && problem.active[b] <= 0.0f) return;
    for (int32_t turn = 0; turn < 2; ++turn) {
        int32_t here = turn ? b : a, there = turn ? a : b;
        if (problem.active[here] <= 0.0f || here == there) continue;
        dense.matrix[dense.number[here]][dense.number[here]] += w;
        if (problem.active[there] > 0.0f) dense.matrix[dense.number[here]][dense.number[there]] -= w;
    }
}

/* The matrix, and the components of its graph. */
static void make_dense(void) {
    dense.count = 0;
    for (int32_t i = 0; i < problem.node_count; ++i)
        if (problem.active[i] > 0.0f) {
            assert_true(dense.count < SMALL);
            dense.node[dense.count] = i;
            dense.component[dense.count] = dense.count;
            dense.number[i] = dense.count++;
        }
    for (int32_t i = 0; i < dense.count; ++i) {
        memset(dense.matrix[i], 0, sizeof dense.matrix[i]);
        dense.matrix[i][i] = (double)problem.extra[dense.node[i]];
    }
    for (int32_t p = 0; p < problem.patch_count; ++p)
        for (int32_t y = 0; y <= problem.patches[p].ny; ++y)
            for (int32_t x = 0; x <= problem.patches[p].nx; ++x) {
                int32_t i = node_at(p, x, y);
                if (problem.wx[i] > 0.0f) join_dense(i, i - 1, (double)problem.wx[i]);
                if (problem.wy[i] > 0.0f) join_dense(i, i - problem.patches[p].stride, (double)problem.wy[i]);
            }
    for (int32_t i = 0; i < problem.link_count; ++i)
        join_dense(problem.links[i].a, problem.links[i].b, (double)problem.links[i].w);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < dense.count; ++i)
            for (int32_t j = 0; j < i; ++j)
                if (dense.matrix[i][j] < 0.0 && dense.component[i] != dense.component[j]) {
                    int32_t low = dense.component[i] < dense.component[j] ? dense.component[i] : dense.component[j];
                    dense.component[i] = dense.component[j] = low;
                    changed = true;
                }
    }
}

/* Whether nothing leads out of a component. */
static bool is_sealed(int32_t component) {
    double out = 0.0, all = 0.0;
    for (int32_t i = 0; i < dense.count; ++i)
        for (int32_t j = 0; j < dense.count && dense.component[i] == component; ++j) {
            out += dense.matrix[i][j];
            all += fabs(dense.matrix[i][j]);
        }
    return out <= 1e-12 * all;
}

/* Takes the mean off a sealed component, of f or of x. */
static void balance(double *values, int32_t component, const int32_t *node) {
    double sum = 0.0, count = 0.0;
    for (int32_t i = 0; i < dense.count; ++i)
        if (dense.component[i] == component) sum += values[node ? node[i] : i], count += 1.0;
    for (int32_t i = 0; i < dense.count; ++i)
        if (dense.component[i] == component) values[node ? node[i] : i] -= sum / count;
}

static void for_sealed(double *values, const int32_t *node) {
    for (int32_t i = 0; i < dense.count; ++i)
        if (dense.component[i] == i && is_sealed(i)) balance(values, i, node);
}

/* Gauss elimination without pivoting: the matrix is semidefinite. The last node of a sealed component is held at
 * zero. */
static void solve_dense(void) {
    static double m[SMALL][SMALL + 1];
    const int32_t n = dense.count;
    for (int32_t i = 0; i < n; ++i) {
        memcpy(m[i], dense.matrix[i], (size_t)n * sizeof m[i][0]);
        m[i][n] = problem.f[dense.node[i]];
    }
    for (int32_t k = 0; k < n; ++k) {
        if (m[k][k] <= 1e-11 * dense.matrix[k][k]) continue;
        for (int32_t i = k + 1; i < n; ++i) {
            double times = m[i][k] / m[k][k];
            for (int32_t j = k; j <= n && times != 0.0; ++j) m[i][j] -= times * m[k][j];
        }
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        double sum = m[k][n];
        for (int32_t j = k + 1; j < n; ++j) sum -= m[k][j] * dense.x[j];
        dense.x[k] = m[k][k] <= 1e-11 * dense.matrix[k][k] ? 0.0 : sum / m[k][k];
    }
}

/* Patches, masks, weights, extras and links at random; sometimes nothing leads out at all. */
static void make_random(uint32_t from, int32_t most_x, int32_t most_y) {
    seed = from * 7919u;
    rill_poisson_clear(&problem);
    int32_t patches = 1 + (int32_t)(next() % 3u), budget = SMALL / patches;
    uint32_t holes = next() % 40u, walls = next() % 30u, leaks = next() % 3u;
    for (int32_t p = 0; p < patches; ++p) {
        int32_t nx = 1 + (int32_t)(next() % (uint32_t)most_x), ny = 1 + (int32_t)(next() % (uint32_t)most_y);
        if (nx * ny > budget) ny = budget / nx;
        rill_poisson_add(&problem, nx, ny);
        for (int32_t y = 0; y < ny; ++y)
            for (int32_t x = 0; x < nx; ++x) {
                int32_t i = node_at(p, x, y);
                problem.active[i] = next() % 100u < holes ? 0.0f : 1.0f;
                problem.wx[i] = x > 0 && next() % 100u >= walls ? weight(-3.0, 0.0) : 0.0f;
                problem.wy[i] = y > 0 && next() % 100u >= walls ? weight(-3.0, 0.0) : 0.0f;
                problem.extra[i] = leaks == 1 && next() % 50u == 0 ? weight(-4.0, 0.0) : 0.0f;
                problem.f[i] = real(-1.0, 1.0);
                if (leaks == 0 && problem.active[i] <= 0.0f) { /* walls instead of open nodes */
                    problem.wx[i] = problem.wy[i] = 0.0f;
                }
            }
    }
    for (int32_t p = 0; p < patches && leaks == 0; ++p)
        for (int32_t y = 0; y < problem.patches[p].ny; ++y)
            for (int32_t x = 0; x < problem.patches[p].nx; ++x) {
                int32_t i = node_at(p, x, y);
                if (problem.active[i - 1] <= 0.0f) problem.wx[i] = 0.0f;
                if (problem.active[i - problem.patches[p].stride] <= 0.0f) problem.wy[i] = 0.0f;
            }
    for (int32_t count = (int32_t)(next() % 3u) * 10; count > 0; --count) {
        int32_t end[2];
        for (int32_t k = 0; k < 2; ++k) {
            int32_t p = (int32_t)(next() % (uint32_t)patches);
            end[k] = node_at(p, (int32_t)(next() % (uint32_t)problem.patches[p].nx),
                             (int32_t)(next() % (uint32_t)problem.patches[p].ny));
        }
        if (leaks == 0 && !(problem.active[end[0]] > 0.0f && problem.active[end[1]] > 0.0f)) continue;
        problem.links[problem.link_count++] = (rill_link){ end[0], end[1], next() % 8u ? weight(-2.0, 0.0) : 0.0f };
    }
}

static void check_random(uint32_t from, int32_t most_x, int32_t most_y, int32_t most_steps) {
    make_random(from, most_x, most_y);
    make_dense();
    for_sealed(problem.f, dense.node);
    for (int32_t i = 0; i < dense.count; ++i)
        if (dense.matrix[i][i] <= 0.0) problem.f[dense.node[i]] = 0.0; /* alone in the world */
    solve_dense();
    rill_poisson_prepare(&problem, false);
    double reached = -1.0;
    int32_t steps = rill_poisson_solve(&problem, false, 1e-9, most_steps, &reached);
    assert_true(reached <= 1e-9);
    assert_true(steps <= most_steps);
    assert_true(fabs(residual_of(&problem, NULL) - reached) <= 1e-12);
    static double x[SMALL];
    double largest = 1.0;
    for (int32_t i = 0; i < dense.count; ++i) x[i] = problem.x[dense.node[i]];
    for_sealed(x, NULL);
    for_sealed(dense.x, NULL);
    for (int32_t i = 0; i < dense.count; ++i) largest = fmax(largest, fabs(dense.x[i]));
    for (int32_t i = 0; i < dense.count; ++i) assert_true(fabs(x[i] - dense.x[i]) <= 1e-4 * largest);
    for (int32_t i = 0; i < problem.node_count; ++i) assert_true(problem.active[i] > 0.0f || problem.x[i] == 0.0);
}

static void agrees_with_dense_elimination(void **state) {
    (void)state;
    for (uint32_t i = 1; i <= 120; ++i) check_random(i, 6, 6, 4);    /* solved directly */
    for (uint32_t i = 1; i <= 30; ++i) check_random(i, 200, 4, 400); /* long */
    for (uint32_t i = 1; i <= 40; ++i) check_random(i, 29, 31, 400); /* by cycles */
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

typedef enum kind { WALL, FULL, OPEN } kind;
typedef kind shape(int32_t x, int32_t y);
typedef float weights(double x, double y);

static kind all_full(int32_t x, int32_t y) {
    (void)x, (void)y;
    return FULL;
}
static kind open_sides(int32_t x, int32_t y) {
    (void)y;
    return x == 0 || x == 101 ? OPEN : FULL;
}
static kind two_mouths(int32_t x, int32_t y) {
    if (x == 0 || x == 101) return y >= 50 && y < 58 ? OPEN : WALL;
    return FULL;
}
static kind along_x(int32_t x, int32_t y) {
    (void)y;
    return x == 0 || x == 401 ? OPEN : FULL;
}
static kind along_y(int32_t x, int32_t y) {
    (void)x;
    return y == 0 || y == 401 ? OPEN : FULL;
}
static kind bend_l(int32_t x, int32_t y) {
    if ((x == 0 && y == 1) || (x == 98 && y == 99)) return OPEN;
    return (y == 1 && x <= 98) || (x == 98 && y >= 1) ? FULL : WALL;
}
static kind bend_s(int32_t x, int32_t y) {
    if ((x == 0 && y == 5) || (x == 199 && y == 50)) return OPEN;
    return (y == 5 && x <= 100) || (x == 100 && y >= 5 && y <= 50) || (y == 50 && x >= 100) ? FULL : WALL;
}
static kind branch_t(int32_t x, int32_t y) {
    if (((x == 0 || x == 199) && y == 5) || (x == 100 && y == 99)) return OPEN;
    return y == 5 || (x == 100 && y >= 5) ? FULL : WALL;
}
static kind manifold(int32_t x, int32_t y) { /* one inlet, five outlets */
    if (x == 0) return y == 8 ? OPEN : WALL;
    if (x == 99) return y % 4 == 0 ? OPEN : WALL;
    return x < 4 || y % 4 == 0 ? FULL : WALL;
}
static kind pitted(int32_t x, int32_t y) { /* every seventh node or so is a wall */
    if (x == 0 || x == 101) return OPEN;
    return ((uint32_t)x * 2654435761u ^ (uint32_t)y * 2246822519u) >> 7 & 7u ? FULL : WALL;
}

static float even(double x, double y) {
    (void)x, (void)y;
    return 0.1f;
}
static float smooth(double x, double y) { /* 0.01 to 0.25 */
    return (float)(0.05 * exp(1.6 * sin(x / 15.0) * cos(y / 11.0)));
}
static float rough(double x, double y) { /* the same at random */
    (void)x, (void)y;
    return weight(-2.0, -0.6);
}
static float in_steps(double x, double y) { /* four decades */
    uint32_t h = ((uint32_t)(x / 13.0) * 7919u + (uint32_t)(y / 13.0) * 104729u) * 2654435761u;
    return (float)pow(10.0, -4.0 * (double)(h >> 8) / 16777216.0);
}

static void add_shape(int32_t nx, int32_t ny, shape *of, weights *with) {
    int32_t p = problem.patch_count;
    rill_poisson_add(&problem, nx, ny);
    for (int32_t y = 0; y < ny; ++y)
        for (int32_t x = 0; x < nx; ++x) {
            int32_t i = node_at(p, x, y);
            kind here = of(x, y), west = x > 0 ? of(x - 1, y) : WALL, south = y > 0 ? of(x, y - 1) : WALL;
            problem.active[i] = here == FULL ? 1.0f : 0.0f;
            problem.wx[i] = here != WALL && west != WALL ? with(x - 0.5, y) : 0.0f;
            problem.wy[i] = here != WALL && south != WALL ? with(x, y - 0.5) : 0.0f;
        }
}

static void fill_f(bool balanced) {
    double sum = 0.0, count = 0.0;
    for (int32_t i = 0; i < problem.node_count; ++i) {
        problem.f[i] = problem.active[i] > 0.0f ? real(-1.0, 1.0) : 0.0;
        sum += problem.f[i];
        count += problem.active[i] > 0.0f ? 1.0 : 0.0;
    }
    for (int32_t i = 0; i < problem.node_count && balanced; ++i)
        if (problem.active[i] > 0.0f) problem.f[i] -= sum / count;
}

/* Solves from x = 0 down to a millionth in at most `most` steps. */
static void takes(int32_t most) {
    double start = residual_of(&problem, NULL), reached;
    rill_poisson_prepare(&problem, false);
    int32_t steps = rill_poisson_solve(&problem, false, 1e-6 * start, 100, &reached);
    if (steps > most) print_message("%d steps, not %d\n", steps, most);
    assert_true(steps <= most);
    assert_true(residual_of(&problem, NULL) <= 1.0000001e-6 * start);
}

static void shape_takes(int32_t nx, int32_t ny, shape *of, weights *with, int32_t most) {
    seed = 5;
    rill_poisson_clear(&problem);
    add_shape(nx, ny, of, with);
    fill_f(of == all_full);
    takes(most);
}

static void slabs_take_few_steps(void **state) {
    (void)state;
    shape_takes(102, 120, open_sides, even, 8);
    shape_takes(102, 120, open_sides, smooth, 9);
    shape_takes(102, 120, open_sides, rough, 14);
    shape_takes(102, 120, open_sides, in_steps, 13);
    shape_takes(102, 120, two_mouths, even, 8);
    shape_takes(102, 120, two_mouths, smooth, 9);
    shape_takes(102, 120, two_mouths, rough, 14);
    shape_takes(100, 120, all_full, smooth, 9); /* sealed */
    shape_takes(102, 120, pitted, smooth, 14);
    shape_takes(402, 5, along_x, smooth, 10);
}

static void tunnels_take_no_iterations_at_all(void **state) {
    (void)state;
    weights *const with[] = { even, smooth, rough, in_steps };
    for (int32_t i = 0; i < 4; ++i) {
        shape_takes(402, 1, along_x, with[i], 1);
        shape_takes(1, 402, along_y, with[i], 1);
        shape_takes(402, 2, along_x, with[i], 1);
        shape_takes(100, 100, bend_l, with[i], 1);
        shape_takes(200, 60, bend_s, with[i], 1);
        shape_takes(200, 100, branch_t, with[i], 1);
        shape_takes(100, 20, manifold, with[i], 1);
    }
}

static void linked_patches_take_few_steps(void **state) {
    (void)state;
    seed = 5;
    rill_poisson_clear(&problem);
    for (int32_t p = 0; p < 2; ++p) add_shape(102, 60, open_sides, smooth);
    for (int32_t x = 1; x < 101; ++x)
        problem.links[problem.link_count++] = (rill_link){ node_at(0, x, 59), node_at(1, x, 0), smooth(x, 59.5) };
    fill_f(false);
    takes(10);

    /* A chain of patches that only the first has a way out of; rows swapped from one to the next. */
    rill_poisson_clear(&problem);
    for (int32_t p = 0; p < 40; ++p) add_shape(20, 6, all_full, smooth);
    for (int32_t p = 0; p < 39; ++p)
        for (int32_t y = 0; y < 6; ++y)
            problem.links[problem.link_count++] = (rill_link){ node_at(p, 19, y), node_at(p + 1, 0, 5 - y), 0.1f };
    problem.extra[node_at(0, 0, 0)] = 0.1f;
    fill_f(false);
    takes(12);
}

/* -------------------------------------------------------------------------------------------------- starts and ends */

static void good_start_is_left_alone(void **state) {
    (void)state;
    static double before[NODES];
    for (int32_t direct = 0; direct < 2; ++direct) {
        seed = 9;
        rill_poisson_clear(&problem);
        add_shape(direct ? 402 : 102, direct ? 1 : 60, direct ? along_x : open_sides, rough);
        fill_f(false);
        rill_poisson_prepare(&problem, false);
        double reached, again;
        int32_t from_nothing = rill_poisson_solve(&problem, false, 1e-5, 100, &reached);
        assert_true(from_nothing > 0);
        memcpy(before, problem.x, sizeof before);
        assert_int_equal(rill_poisson_solve(&problem, false, 1e-5, 100, &again), 0);
        assert_true(again == reached && again <= 1e-5);
        assert_memory_equal(before, problem.x, sizeof before);
        /* A little off, it takes less than from nothing. */
        for (int32_t i = 0; i < problem.node_count; ++i)
            problem.f[i] += problem.active[i] > 0.0f ? real(0.0, 1e-4) : 0.0;
        int32_t steps = rill_poisson_solve(&problem, false, 1e-5, 100, &again);
        assert_true(steps >= 1 && (direct ? steps == 1 : steps < from_nothing) && again <= 1e-5);
    }
}

static void scale_weights(float by) {
    for (int32_t i = 0; i < problem.node_count; ++i) {
        problem.wx[i] *= by;
        problem.wy[i] *= by;
        problem.x[i] = 0.0;
    }
}

static int32_t solve_to(double tolerance) {
    double reached;
    rill_poisson_prepare(&problem, false);
    const int32_t steps = rill_poisson_solve(&problem, false, tolerance, 100, &reached);
    assert_true(residual_of(&problem, NULL) <= 1.0000001 * tolerance);
    return steps;
}

/* A tunnel is factorised once, and again only when its weights are so much others that it does not help any more, or
 * its nodes are others, or it gets links. */
static void old_factors_serve_while_they_help(void **state) {
    (void)state;
    seed = 19;
    rill_poisson_clear(&problem);
    add_shape(62, 1, along_x, smooth);
    for (int32_t x = 40; x < 62; ++x) problem.active[node_at(0, x, 0)] = 0.0f;
    fill_f(false);
    const rill_direct *direct = &problem.levels->direct;
    assert_int_equal(solve_to(1e-9), 1);
    const double first = direct->sky.inverse[10];
    scale_weights(1.001f);
    const int32_t steps = solve_to(1e-9);
    assert_true(steps > 1 && steps < 6 && direct->sky.inverse[10] == first);
    scale_weights(1.5f);
    assert_true(solve_to(1e-9) < 4 && direct->sky.inverse[10] != first);
    for (int32_t x = 1; x < 62; ++x) /* as many, one farther on */
        problem.active[node_at(0, x, 0)] = x >= 2 && x <= 40 ? 1.0f : 0.0f;
    scale_weights(1.0f);
    fill_f(false);
    assert_true(solve_to(1e-9) < 4);
    problem.links[problem.link_count++] = (rill_link){ node_at(0, 5, 0), node_at(0, 35, 0), 0.3f };
    scale_weights(1.0f);
    assert_true(solve_to(1e-9) < 4);
    double reached; /* and it stops by itself where double has no more digits */
    assert_true(rill_poisson_solve(&problem, false, 0.0, 1000, &reached) < 10);
}

static void stops_when_told(void **state) {
    (void)state;
    seed = 11;
    rill_poisson_clear(&problem);
    add_shape(102, 120, two_mouths, rough);
    fill_f(false);
    rill_poisson_prepare(&problem, false);
    double start = residual_of(&problem, NULL), reached;
    assert_int_equal(rill_poisson_solve(&problem, false, 1e-6, 0, &reached), 0);
    assert_true(fabs(reached - start) <= 1e-12);
    assert_int_equal(rill_poisson_solve(&problem, false, 1e-6, 3, &reached), 3);
    assert_true(reached < start && fabs(reached - residual_of(&problem, NULL)) <= 1e-12);
    /* More than double has digits for: it gives up by itself, as near as can be. */
    assert_true(rill_poisson_solve(&problem, false, 0.0, 1000, &reached) < 100);
    assert_true(reached < 1e-10 && fabs(reached - residual_of(&problem, NULL)) <= 1e-12);
    double before = reached;
    assert_true(rill_poisson_solve(&problem, false, 0.0, 1000, &reached) < 50); /* along new directions, not old ones */
    assert_true(reached <= 2.0 * before);                                       /* and again, without making it worse */
}

/* Without a solution x stays in bounds, and what remains is the mean of f. */
static void survives_what_has_no_solution(void **state) {
    (void)state;
    for (int32_t small = 0; small < 2; ++small)
        for (double excess = 1e-8; excess < 1.0; excess *= 10.0) {
            seed = 13;
            rill_poisson_clear(&problem);
            add_shape(small ? 15 : 100, small ? 14 : 90, all_full, smooth);
            fill_f(true);
            for (int32_t i = 0; i < problem.node_count; ++i) problem.f[i] += problem.active[i] > 0.0f ? excess : 0.0;
            rill_poisson_prepare(&problem, false);
            double reached, largest = 0.0;
            rill_poisson_solve(&problem, false, 1e-5, 200, &reached);
            for (int32_t i = 0; i < problem.node_count; ++i) largest = fmax(largest, fabs(problem.x[i]));
            assert_true(largest < 1e4);
            assert_true(reached <= fmax(1e-5, 1.01 * excess));
        }
}

static void survives_infinities(void **state) {
    (void)state;
    const double bad[] = { INFINITY, NAN, 1e300 };
    for (int32_t k = 0; k < 3; ++k) {
        seed = 17;
        rill_poisson_clear(&problem);
        add_shape(102, 60, open_sides, smooth);
        fill_f(false);
        double kept = problem.f[node_at(0, 50, 30)], reached;
        problem.f[node_at(0, 50, 30)] = bad[k];
        rill_poisson_prepare(&problem, false);
        rill_poisson_solve(&problem, false, 1e-6, 100, &reached);
        assert_false(reached <= 1e-6);
        for (int32_t i = 0; i < problem.node_count; ++i) assert_true(problem.x[i] == 0.0);
        problem.f[node_at(0, 50, 30)] = kept;
        takes(9);
    }
}

static void nothing_is_solved_at_once(void **state) {
    (void)state;
    double reached = -1.0;
    rill_poisson_clear(&problem);
    rill_poisson_prepare(&problem, false);
    assert_int_equal(rill_poisson_solve(&problem, false, 1e-6, 10, &reached), 0);
    assert_true(reached == 0.0);
    rill_poisson_add(&problem, 30, 20); /* no node is active */
    rill_poisson_prepare(&problem, false);
    assert_int_equal(rill_poisson_solve(&problem, false, 1e-6, 10, &reached), 0);
    assert_true(reached == 0.0);
}

/* -------------------------------------------------------------------------------------------------------- same bits */

static void make_mixture(uint32_t from) {
    if (from % 4u == 0) {
        seed = from;
        rill_poisson_clear(&problem);
        add_shape(102, 50, open_sides, rough);
        add_shape(70, 33, all_full, rough);
        add_shape(5, 90, all_full, rough);
        for (int32_t y = 0; y < 33; ++y)
            problem.links[problem.link_count++] =
                (rill_link){ node_at(0, 100, y), node_at(1, y, 3), weight(-2.0, -1.0) };
        fill_f(true);
    } else {
        make_random(from, from % 4u == 1 ? 40 : 12, 40);
    }
}

static void every_variant_gives_the_same_bits(void **state) {
    (void)state;
    static double first[NODES];
    const rill_solve_kernels *all[4];
    const int32_t variants = rill_solve_kernels_all(all);
    assert_true(variants >= 2);
    for (uint32_t from = 1; from <= 24; ++from) {
        int32_t steps = 0;
        double reached = 0.0;
        for (int32_t v = 0; v < variants; ++v) {
            make_mixture(from);
            rill_levels_build(&problem, all[v]);
            double now;
            int32_t taken = rill_poisson_solve_by_cg(&problem, all[v], 1e-5, 40, &now);
            if (v == 0) {
                memcpy(first, problem.x, sizeof first);
                steps = taken;
                reached = now;
            }
            assert_int_equal(taken, steps);
            assert_memory_equal(&now, &reached, sizeof now);
            assert_memory_equal(problem.x, first, (size_t)problem.node_count * sizeof *first);
        }
    }
}

/* Memory is used again without being cleared: nothing of a problem may be seen in the next. */
static void the_past_does_not_matter(void **state) {
    (void)state;
    static double first[NODES];
    for (uint32_t from = 1; from <= 24; ++from) {
        double reached[2];
        for (int32_t turn = 0; turn < 2; ++turn) {
            if (turn) {
                make_mixture(from * 31u + 4u);
                for (int32_t i = 0; i < problem.node_count; ++i) problem.f[i] *= -1e6;
                rill_poisson_prepare(&problem, false);
                rill_poisson_solve(&problem, false, 1e-3, 20, &reached[1]);
            } else {
                assert_int_equal(free_problem(state), 0);
                assert_int_equal(make_problem(state), 0);
            }
            make_mixture(from);
            rill_poisson_prepare(&problem, false);
            rill_poisson_solve(&problem, false, 1e-5, 40, &reached[turn]);
            if (!turn) memcpy(first, problem.x, sizeof first);
        }
        assert_memory_equal(&reached[0], &reached[1], sizeof reached[0]);
        assert_memory_equal(problem.x, first, (size_t)problem.node_count * sizeof *first);
    }
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void fails_cleanly_without_memory(void **state) {
    (void)state;
    test_memory scarce = { 0 };
    const rill_allocator allocator = test_allocator(&scarce);
    rill_poisson poisson;
    rill_poisson_size room = { .links = 10 };
    rill_poisson_count(&room, 20, 40);
    long n = 1;
    for (; !(scarce.fail_at = n, scarce.count = 0, rill_poisson_make(&poisson, &room, &allocator)); ++n) {
        assert_int_equal(scarce.live, 0);
        assert_null(poisson.patches);
        assert_null(poisson.levels);
    }
    assert_true(n > 5);
    rill_poisson_free(&poisson, &allocator);
    assert_int_equal(scarce.live, 0);
}

/* Patches of all proportions in exactly the room they are said to take, with every node active and linked. */
static void room_is_enough(void **state) {
    (void)state;
    static const int32_t sizes[][2] = { { 1, 1 },  { 1, 300 }, { 300, 1 },   { 15, 15 }, { 16, 16 },  { 17, 17 },
                                        { 31, 2 }, { 32, 8 },  { 33, 9 },    { 2, 257 }, { 129, 65 }, { 64, 64 },
                                        { 65, 3 }, { 3, 65 },  { 1000, 20 }, { 7, 900 } };
    enum { KINDS = sizeof sizes / sizeof *sizes };
    rill_poisson kept = problem;
    for (int32_t round = 0; round <= KINDS; ++round) {
        test_memory own = { 0 };
        const rill_allocator allocator = test_allocator(&own);
        const bool alone = round < KINDS; /* three of a kind, and at last one of each */
        int32_t first = alone ? round : 0, last = alone ? round : KINDS - 1, copies = alone ? 3 : 1;
        int32_t patches = copies * (last - first + 1);
        rill_poisson_size room = { .links = 2 * patches };
        for (int32_t i = first; i <= last; ++i)
            for (int32_t copy = 0; copy < copies; ++copy) rill_poisson_count(&room, sizes[i][0], sizes[i][1]);
        assert_true(rill_poisson_make(&problem, &room, &allocator));
        const long blocks = own.count;
        seed = 23;
        rill_poisson_clear(&problem);
        for (int32_t i = first; i <= last; ++i)
            for (int32_t copy = 0; copy < copies; ++copy) add_shape(sizes[i][0], sizes[i][1], all_full, rough);
        assert_true(problem.node_count <= room.nodes);
        for (int32_t p = 0; p < patches; ++p) {
            const rill_patch *patch = &problem.patches[p];
            assert_int_equal(patch->stride % 16, 0);
            assert_int_equal(patch->first % 16, 0);
            if (p == 0) continue;
            problem.links[problem.link_count++] = (rill_link){ node_at(p - 1, 0, 0), node_at(p, 0, 0), 0.1f };
            problem.links[problem.link_count++] =
                (rill_link){ node_at(p - 1, problem.patches[p - 1].nx - 1, 0), node_at(p, 0, patch->ny - 1), 0.2f };
        }
        problem.extra[node_at(0, 0, 0)] = 1.0f;
        fill_f(false);
        double reached;
        rill_poisson_prepare(&problem, false);
        rill_poisson_solve(&problem, false, 1e-6, 200, &reached);
        assert_true(reached <= 1e-6);
        assert_int_equal(own.count, blocks);
        rill_poisson_free(&problem, &allocator);
        assert_int_equal(own.live, 0);
    }
    problem = kept;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_dense_elimination),
        cmocka_unit_test(slabs_take_few_steps),
        cmocka_unit_test(tunnels_take_no_iterations_at_all),
        cmocka_unit_test(linked_patches_take_few_steps),
        cmocka_unit_test(good_start_is_left_alone),
        cmocka_unit_test(old_factors_serve_while_they_help),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(survives_what_has_no_solution),
        cmocka_unit_test(survives_infinities),
        cmocka_unit_test(nothing_is_solved_at_once),
        cmocka_unit_test(every_variant_gives_the_same_bits),
        cmocka_unit_test(the_past_does_not_matter),
        cmocka_unit_test(fails_cleanly_without_memory),
        cmocka_unit_test(room_is_enough),
    };
    return cmocka_run_group_tests(tests, make_problem, free_problem);
}
