/* Random programs whose records are predicted and written as captures of 8, 32 and 64 lanes, which the
 * analyses read: their numbers against those of the naive definitions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "encode.h"

#define EVENTS_MAX 6000

static const char *const all_passes[] = {"simt_efficiency", "execution_trace", "divergence",
                                         "thread_compaction", "warp_entry_exit"};

struct check {
    struct model_program program;
    struct model_run run;
    struct model_module modules[MODEL_SHADERS];
    struct model_warps warps;
    struct model_visits visits;
    const char *passes[5];
    uint32_t pass_count;
    char path[64]; /* of the capture */
    uint64_t programs;
    uint64_t records;
    uint64_t too_long;
};

static void choose_passes(struct check *check, struct model_random *random)
{
    const uint32_t chosen = model_random_chance(random, 1, 2) ? 31 : 1 + model_random_below(random, 31);
    check->pass_count = 0;
    for (uint32_t i = 0; i < 5; i++) {
        if ((chosen >> i & 1) != 0) {
            check->passes[check->pass_count++] = all_passes[i];
        }
    }
}

static bool check_lanes(struct check *check, uint32_t lanes, struct model_random *random)
{
    const struct model_warps_options options = {
        .seed = model_random_next(random),
        .lanes = lanes,
        .assignment = (enum model_assignment)model_random_below(random, 3),
        .regroups = model_random_chance(random, 1, 2),
        .shuffles = model_random_chance(random, 1, 2),
    };
    if (!model_warps_make(&check->warps, &check->program, &check->run, check->modules, &options)) {
        return false;
    }
    check->records += check->warps.record_count;
    return model_capture_write(check->path, &check->warps, check->modules, check->passes,
                               check->pass_count) &&
           model_compare(check->path, &check->warps, check->modules, &check->visits, check->passes,
                         check->pass_count);
}

static bool run_lanes(struct check *check, struct model_random *random)
{
    static const uint32_t sizes[] = {8, 32, 64};
    for (uint32_t i = 0; i < 3; i++) {
        if (!check_lanes(check, sizes[i], random)) {
            printf("%u lanes\n", sizes[i]);
            return false;
        }
    }
    return true;
}

static bool check_program(struct check *check, uint64_t seed)
{
    struct model_random random = {seed};
    model_random_next(&random);
    model_random_next(&random);
    const bool rays = model_random_chance(&random, 2, 3);
    const struct model_options options = {
        .seed = model_random_next(&random),
        .events_max = EVENTS_MAX,
        .cases_meet = model_random_chance(&random, 1, 2),
        .reports_end = model_random_chance(&random, 1, 2),
        .orders = model_random_chance(&random, 1, 2),
        .splits = model_random_chance(&random, 1, 3),
    };
    model_program_make(&check->program, seed, rays, 1 + model_random_below(&random, MODEL_THREADS));
    choose_passes(check, &random);
    model_interpret(&check->program, &options, &check->run);
    if (check->run.too_long) {
        check->too_long++;
        return true;
    }
    model_visits_make(&check->visits, &check->program, &check->run);
    bool agrees = true;
    uint32_t made = 0;
    for (; made < check->program.shader_count && agrees; made++) {
        agrees =
            model_module_init(&check->modules[made], &check->program, made, check->passes, check->pass_count);
        if (!agrees) {
            printf("shader %u\n", made);
        }
    }
    agrees = agrees && run_lanes(check, &random);
    for (uint32_t i = 0; i < made; i++) {
        model_module_finish(&check->modules[i]);
    }
    check->programs++;
    return agrees;
}

int main(int argc, char **argv)
{
    static struct check check;
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    bool agrees = true;
    snprintf(check.path, sizeof(check.path), "/tmp/warpscope-model-%ld.wscope", (long)getpid());
    for (uint64_t seed = first; seed < first + count && agrees; seed++) {
        agrees = check_program(&check, seed);
        if (!agrees) {
            model_program_print(&check.program);
            for (uint32_t i = 0; i < check.pass_count; i++) {
                printf("%s ", check.passes[i]);
            }
            printf("\n");
        }
    }
    printf("%" PRIu64 " programs, %" PRIu64 " records; %" PRIu64 " more programs were too long\n",
           check.programs, check.records, check.too_long);
    unlink(check.path);
    model_run_finish(&check.run);
    model_warps_finish(&check.warps);
    model_visits_finish(&check.visits);
    return agrees ? 0 : 1;
}
