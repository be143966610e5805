/* Sparse pipes in surface tension: what kernels do for the faces of sheets, one by one and in their order.
 *
 * A pipe is linked only where both of its ends hold more than a film that is closed: they are swept then, whatever else
 * is. Slopes across it are not looked for. */
#include "waves/tension_internal.h"

#include "flow/viscosity.h"
#include "waves/tension_link.h"

static bool acts(const rill_tension_planes *planes, int32_t place) {
    return planes->acting[place] > 0.0f;
}

static bool is_linked(const rill_tension_work *work, const rill_pipe *pipe, const rill_face *face) {
    const rill_tension_state *tension = work->tension;
    const rill_tension_planes *planes = &tension->planes;
    const int32_t Hl = planes->H[pipe->l], Hr = planes->H[pipe->r];
    if (!tension->swept[pipe->l] || !tension->swept[pipe->r] || rill_min_i(Hl, Hr) <= work->constants.least)
        return false;
    if (planes->acting[pipe->l] < 0.0f || planes->acting[pipe->r] < 0.0f) return false;
    return rill_min_i(face->l, face->r) >= rill_drive_clip(face, work->constants.five_dx) &&
           rill_max_i(planes->b[pipe->l] + Hl, planes->b[pipe->r] + Hr) <= rill_min_i(pipe->cl, pipe->cr);
}

static rill_face face_of(const rill_tension_planes *planes, const rill_pipe *pipe) {
    return rill_face_at(planes->b[pipe->l], planes->b[pipe->r], planes->H[pipe->l], planes->H[pipe->r]);
}

/* Adds what the surface's slope over a pipe does to the pressures at its ends, or its end at a brink to the upper one. */
static void press(const rill_tension_work *work, rill_tension_pipe *joint, const rill_face *face, bool linked) {
    const rill_tension_planes *planes = &work->tension->planes;
    const rill_tension_constants *constants = &work->constants;
    if (linked) {
        const float s = (float)(face->r - face->l) * constants->slope, a = 1.0f / __builtin_sqrtf(1.0f + s * s);
        joint->a = acts(planes, joint->l) && acts(planes, joint->r) ? a : 0.0f;
        planes->potential[joint->l] -= constants->bend * (joint->a * s);
        planes->potential[joint->r] += constants->bend * (joint->a * s);
        return;
    }
    const int32_t upper = face->step > 0 ? joint->l : joint->r;
    const float up = (float)planes->H[upper] * constants->slope;
    if (acts(planes, upper) && work->tension->swept[upper])
        planes->potential[upper] += constants->bend * (up / __builtin_sqrtf(1.0f + up * up));
}

void rill_tension_link_pipes(const rill_tension_work *work) {
    rill_tension_state *tension = work->tension;
    const rill_sparse *sparse = work->flow->sparse;
    tension->pipe_count = 0;
    for (int32_t i = 0; i < sparse->active_count; ++i) {
        const int32_t index = sparse->active[i];
        const rill_pipe *pipe = &sparse->pipes[index];
        const rill_face face = face_of(&tension->planes, pipe);
        rill_tension_pipe joint = { .index = index, .l = pipe->l, .r = pipe->r };
        const bool linked = is_linked(work, pipe, &face);
        if (rill_max_i(tension->planes.H[pipe->l], tension->planes.H[pipe->r]) > RILL_DRY)
            press(work, &joint, &face, linked);
        if (linked) tension->pipes[tension->pipe_count++] = joint;
    }
}

static float eased(float square, const rill_tension_constants *constants) {
    return square * constants->keep / (square + constants->drag + 1.0f);
}

/* Takes gravity out of a linked pipe's velocity and finds what it may move. */
static void set_free(const rill_tension_work *work, rill_tension_pipe *joint) {
    const rill_tension_planes *planes = &work->tension->planes;
    const rill_tension_constants *constants = &work->constants;
    const rill_pipe *pipe = &work->flow->sparse->pipes[joint->index];
    float *u = &work->flow->pipe_u[joint->index];
    const rill_face face = face_of(planes, pipe);
    const int32_t tilt = constants->tilt[pipe->axis];
    const float twice = (float)rill_viscosity_depth(&face, planes->H[joint->l] + planes->H[joint->r]),
                square = twice * twice;
    const int32_t levels = rill_drive_upright(face.l - face.r, constants->upright);
    const float level = constants->drive * (float)(levels + tilt), before = eased(square, constants);
    const float head = constants->pushed
                           ? level + constants->drive * (float)(planes->field[joint->l] - planes->field[joint->r])
                           : level;
    const float pull = constants->push * (planes->potential[joint->r] - planes->potential[joint->l]);
    const float guess = *u - before * (head + pull);
    const int32_t open = rill_tension_opening(&face, guess);
    const float al = rill_min_f(before, eased(rill_tension_climbing(&face, guess, open), constants));
    const float free = *u * (before > 0.0f ? al / before : 1.0f) - al * head;
    const bool flows = open > constants->least;
    joint->gain = flows ? al * constants->push : 0.0f;
    joint->m = joint->gain * (constants->reach * (float)open);
    joint->free = flows ? constants->reach * (float)open * free : 0.0f;
    *u = flows ? free : 0.0f;
}

/* Holds back liquid at an edge between sheets, as kernels do at others. */
static void hold(const rill_tension_work *work, int32_t index) {
    rill_tension_state *tension = work->tension;
    const rill_tension_planes *planes = &tension->planes;
    const rill_pipe *pipe = &work->flow->sparse->pipes[index];
    const rill_face face = face_of(planes, pipe);
    const bool from_l = face.step > 0;
    const rill_tension_edge edge = { .upper = from_l ? pipe->l : pipe->r,
                                     .lower = from_l ? pipe->r : pipe->l,
                                     .behind = from_l ? tension->pipe_behind[index] : pipe->beyond_r };
    float *u = &work->flow->pipe_u[index];
    if (!tension->swept[edge.upper] || !acts(planes, edge.upper) || planes->acting[edge.lower] < 0.0f ||
        is_linked(work, pipe, &face))
        return;
    if (planes->H[edge.upper] > 0 &&
        rill_tension_holds(planes, &work->constants, &edge, *u, tension->pipe_flowing[index]))
        *u = 0.0f;
    tension->pipe_flowing[index] = *u != 0.0f;
}

void rill_tension_free_pipes(const rill_tension_work *work) {
    rill_tension_state *tension = work->tension;
    const rill_sparse *sparse = work->flow->sparse;
    for (int32_t i = 0; i < tension->pipe_count; ++i) set_free(work, &tension->pipes[i]);
    for (int32_t i = 0; i < sparse->active_count; ++i) hold(work, sparse->active[i]);
}

void rill_tension_keep_pipes(rill_tension_state *tension) {
    const rill_tension_planes *planes = &tension->planes;
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        rill_tension_pipe *pipe = &tension->pipes[i];
        const int32_t ends[2] = { pipe->l, pipe->r };
        for (int k = 0; k < 2; ++k) {
            pipe->potential[k] = planes->potential[ends[k]];
            pipe->change[k] = planes->change[ends[k]];
        }
    }
}

void rill_tension_pipes_start(rill_tension_state *tension, rill_tension_outcome *started) {
    const rill_tension_planes *planes = &tension->planes;
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        const int32_t ends[2] = { pipe->l, pipe->r };
        for (int k = 0; k < 2 && pipe->m > 0.0f; ++k) {
            planes->potential[ends[k]] = pipe->potential[k];
            planes->change[ends[k]] = pipe->change[k];
            started->most[1] = rill_max_f(started->most[1], __builtin_fabsf(pipe->change[k]));
            started->most[2] = rill_max_f(started->most[2], __builtin_fabsf(pipe->potential[k]));
        }
        planes->moved[pipe->l] -= pipe->free;
        planes->moved[pipe->r] += pipe->free;
    }
}

void rill_tension_pipes_stiffen(const rill_tension_state *tension, float stiff, const float *moved, float *out) {
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        const float part = stiff * (pipe->a * (moved[pipe->l] - moved[pipe->r]));
        out[pipe->l] += part;
        out[pipe->r] -= part;
    }
}

float rill_tension_pipes_move(const rill_tension_state *tension, const float *in, float *out, float most) {
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        const float part = pipe->m * (in[pipe->l] - in[pipe->r]);
        out[pipe->l] += part;
        out[pipe->r] -= part;
    }
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        most = rill_max_f(most, rill_max_f(__builtin_fabsf(out[pipe->l]), __builtin_fabsf(out[pipe->r])));
    }
    return most;
}

int64_t rill_tension_pipes_sum(const rill_tension_state *tension, float stiff, const float *a, const float *b,
                               double scale) {
    int64_t sum = 0;
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        const float factor = stiff > 0.0f ? stiff * pipe->a : pipe->m;
        sum += (int64_t)((double)(factor * (a[pipe->l] - a[pipe->r])) * (double)(b[pipe->l] - b[pipe->r]) * scale);
    }
    return sum;
}

void rill_tension_drive_pipes(const rill_tension_work *work) {
    const float *pressure = work->tension->planes.change;
    const rill_tension_state *tension = work->tension;
    const float cap = work->constants.top_speed;
    for (int32_t i = 0; i < tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &tension->pipes[i];
        float *u = &work->flow->pipe_u[pipe->index];
        *u = rill_max_f(rill_min_f(*u - pipe->gain * (pressure[pipe->r] - pressure[pipe->l]), cap), -cap);
    }
}
