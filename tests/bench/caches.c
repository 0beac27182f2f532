/* How fast caches are simulated: `bench_caches ROUNDS` prints for each simulator its name, the CPU seconds that it took for a
 * trace, and those of a plain pass over the same trace that hashes each line: medians over the rounds, in which they alternate.
 *
 * The trace has runs of up to eight neighbouring lines. They begin at line n with a probability of about 1 / n (Zipf's law), as
 * the nodes of a tree are visited: half of them at the first 512 of 2^18 lines. The local one has runs of sixteen, of 2^9. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/memory/cache/cache_shape.h"
#include "analysis/memory/cache/set_stacks.h"
#include "analysis/memory/cache/stack_distance.h"

enum { ACCESSES = 1 << 22, MULTIPROCESSORS = 68, ROUNDS_MAX = 99 };

static uint64_t trace[ACCESSES];
static uint64_t sum; /* what is computed is used */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void make_trace(bool is_local)
{
    uint64_t state = 1;
    uint32_t line = 0, left = 0;
    for (uint32_t i = 0; i < ACCESSES; ++i, --left) {
        const uint64_t random = ws_cache_mix(state += 0x9e3779b97f4a7c15u);
        const double share = (double)(random >> 11) * 0x1p-53;
        if (left == 0) {
            left = is_local ? 16 : 1 + (uint32_t)(random & 7);
            line = (uint32_t)exp2(share * (is_local ? 9 : 18));
        }
        trace[i] = line++;
    }
}

static void hash_lines(void)
{
    for (uint32_t i = 0; i < ACCESSES; ++i)
        sum += ws_cache_mix(trace[i]);
}

/* ---- simulators: each gets what it was created with ---- */

static void run_cache(void *simulator)
{
    for (uint32_t i = 0; i < ACCESSES; ++i)
        sum += ws_cache_access(simulator, trace[i], 1, WS_CACHE_LOAD);
}

/* Runs of 16 accesses are dealt to the multiprocessors. */
static void run_l1s(void *simulator)
{
    struct ws_cache **l1s = simulator;
    for (uint32_t i = 0; i < ACCESSES; ++i)
        sum += ws_cache_access(l1s[i / 16 % MULTIPROCESSORS], trace[i], 15, WS_CACHE_LOAD);
}

static void run_stacks(void *simulator)
{
    for (uint32_t i = 0; i < ACCESSES; ++i)
        ws_set_stacks_access(simulator, trace[i]);
}

static void run_distances(void *simulator)
{
    ws_stack_distance_run(simulator, trace, ACCESSES, NULL);
    sum += ws_stack_distance_lines(simulator);
}

struct simulator {
    const char *name;
    void (*run)(void *simulator);
    void *simulator;
};

static int compare(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static void measure(const struct simulator *simulator, const char *trace_name, int rounds)
{
    double plain[ROUNDS_MAX], simulated[ROUNDS_MAX];
    for (int round = 0; round < rounds; ++round) {
        const double begin = cpu_seconds();
        hash_lines();
        const double hashed = cpu_seconds();
        simulator->run(simulator->simulator);
        plain[round] = hashed - begin;
        simulated[round] = cpu_seconds() - hashed;
    }
    qsort(plain, (size_t)rounds, sizeof(plain[0]), compare);
    qsort(simulated, (size_t)rounds, sizeof(simulated[0]), compare);
    printf("%s%s\t%.6f\t%.6f\n", simulator->name, trace_name, simulated[rounds / 2], plain[rounds / 2]);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    struct ws_error error = {{0}};
    struct ws_cache_shape paper, listed;
    struct ws_cache *l1s[MULTIPROCESSORS];
    if (rounds < 1 || rounds > ROUNDS_MAX || !ws_cache_shape_load("rtx2080ti", &paper, &error) ||
        !ws_cache_shape_load("rtx2080ti-2022", &listed, &error))
        goto error;
    for (uint32_t i = 0; i < MULTIPROCESSORS; ++i)
        if ((l1s[i] = ws_cache_create(&paper.l1, "l1", &error)) == NULL)
            goto error;
    const struct simulator simulators[] = {
        {"LRU, 16 ways", run_cache, ws_cache_create(&paper.l2, "l2", &error)},
        {"LRU, 64 ways", run_cache, ws_cache_create(&listed.l1, "l1", &error)},
        {"tree pseudo-LRU, 68 L1s", run_l1s, l1s},
        {"stacks, 16 ways", run_stacks,
         ws_set_stacks_create((const uint32_t[]){4096}, 1, 16, WS_CACHE_MODULO, &error)},
        {"stacks, 4 x 16 ways", run_stacks,
         ws_set_stacks_create((const uint32_t[]){1024, 2048, 4096, 8192}, 4, 16, WS_CACHE_MODULO, &error)},
        {"exact distances", run_distances, ws_stack_distance_create(1)},
        {"distances, 1 of 16", run_distances, ws_stack_distance_create(16)},
    };
    for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); ++i)
        if (simulators[i].simulator == NULL)
            goto error;
    for (uint32_t is_local = 0; is_local < 2; ++is_local) {
        make_trace(is_local != 0);
        for (size_t i = 0; i < sizeof(simulators) / sizeof(simulators[0]); ++i)
            measure(&simulators[i], is_local != 0 ? ", local" : "", rounds);
    }
    return sum == 0;
error:
    fprintf(stderr, "usage: bench_caches ROUNDS, 1 to %d. %s\n", ROUNDS_MAX, error.message);
    return 2;
}
