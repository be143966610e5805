/* Runs a world on the program's own threads instead of the library's: the same bits as on one thread.
 *
 * A game has a job system already. It gives Rill one function that runs `count` tasks and returns when all are done;
 * here that is a few POSIX threads which take the next task from an atomic counter. */
#include <rill/rill.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 3 };

typedef struct job {
    rill_task *task;
    void *context;
    int32_t count;
    atomic_int next;
} job;

static void *work(void *argument) {
    job *all = argument;
    for (int32_t i = atomic_fetch_add(&all->next, 1); i < all->count; i = atomic_fetch_add(&all->next, 1))
        all->task(all->context, i);
    return NULL;
}

/* Called by Rill, several times per sub-step. A real scheduler keeps its threads; starting them is for brevity. */
static void run_tasks(void *user, int32_t count, rill_task *task, void *context) {
    int *calls = user;
    ++*calls;
    job all = { .task = task, .context = context, .count = count };
    pthread_t threads[WORKERS];
    int started = 0;
    while (started < WORKERS && pthread_create(&threads[started], NULL, work, &all) == 0) ++started;
    work(&all); /* the caller helps, and does everything if no thread could be started */
    while (started > 0) pthread_join(threads[--started], NULL);
}

/* A dam break in a tank of 30 x 30 cm, as a hash of the state after a fifth of a second; 0 if something failed. */
static uint64_t dam_break(const rill_tasks *tasks) {
    rill_world_def def = rill_default_world_def();
    def.grid = (rill_grid){ .cells = { 300, 300 }, .cell_size = 0.001 };
    def.runtime.tasks = *tasks;
    rill_world *world = NULL;
    if (rill_world_create(&def, &world, NULL) != RILL_OK) return 0;
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_BOX;
    ground.shape.min[2] = -0.01, ground.shape.max[0] = ground.shape.max[1] = 0.3;
    static double depths[300 * 300];
    for (int i = 0; i < 300 * 300; ++i) depths[i] = i % 300 < 100 ? 0.01 : 0.001;
    rill_solid_id id;
    uint64_t hash = 0;
    if (rill_solid_create(world, &ground, &id) == RILL_OK && rill_bed_build(world) == RILL_OK &&
        rill_world_fill_depths(world, 0, depths, 300 * 300, NULL) == RILL_OK) {
        for (int frame = 0; frame < 12; ++frame) rill_world_step(world, 1.0 / 60.0);
        hash = rill_world_hash(world);
    }
    rill_world_destroy(world);
    return hash;
}

int main(void) {
    int calls = 0;
    const rill_tasks alone = { .threads = 1 };
    const rill_tasks pool = { .threads = 4 }; /* the library's own threads */
    const rill_tasks own = { .parallel_for = run_tasks, .user = &calls, .threads = WORKERS + 1 };
    const uint64_t a = dam_break(&alone), b = dam_break(&pool), c = dam_break(&own);
    printf("one thread     %016llx\nRill's pool    %016llx\nour scheduler  %016llx, called %d times\n",
           (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, calls);
    return a != 0 && a == b && a == c && calls > 0 ? 0 : 1;
}
