/* Random programs whose records are predicted and written as captures of 8, 32 and 64 lanes, which the
 * analyses read: their numbers against those of the naive definitions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/model/capture/encode.h"
#include "tests/model/figures/compare.h"
#include "tests/model/figures/compare_rays.h"
#include "tests/model/figures/compare_sampled.h"

#define EVENTS_MAX 6000
#define COUNTERS   0x11 /* of the passes, those without records */

static const char *const all_passes[] = {"simt_efficiency",   "execution_trace", "divergence",
                                         "thread_compaction", "warp_entry_exit", "ray_events",
                                         "warp_time"};

#define PASSES (sizeof(all_passes) / sizeof(all_passes[0]))

struct check {
    struct model_program program;
    struct model_run run;
    struct model_module modules[MODEL_SHADERS];
    struct model_warps warps;
    struct model_visits visits;
    struct model_rays rays;
    struct model_paths paths;
    struct model_reorder reorder;
    bool reorders; /* it is compared */
    struct model_sampled sampled;
    struct model_warps estimates;
    bool reports_end;
    uint32_t sample; /* one warp in so many counts; 0 = all */
    const char *passes[PASSES];
    uint32_t pass_count;
    char path[64]; /* of the capture */
    uint64_t programs;
    uint64_t records;
    uint64_t rays_compared;
    uint64_t objects;              /* of them: traced into hit objects, */
    uint64_t executed;             /* and of these: a shader ran */
    uint64_t sampled_programs;     /* those of each number of lanes */
    uint64_t joined, turns, steps; /* records of paths, of turns, and the units that they stand for */
    uint64_t sites;                /* call sites whose threads are sorted, */
    uint64_t partings;             /* and branches and loops */
    uint64_t continued;            /* contexts that continue others */
    uint64_t too_long;
};

static void choose_passes(struct check *check, struct model_random *random)
{
    static const uint32_t samples[] = {2, 3, 4, 7, 16, 1000};
    uint32_t chosen = model_random_chance(random, 1, 2) ? 63 : 1 + model_random_below(random, 63);
    check->sample = 0;
    chosen |= model_random_chance(random, 1, 3) ? 64 : 0;
    if (model_random_chance(random, 1, 6)) {
        chosen = COUNTERS;
        check->sample = samples[model_random_below(random, 6)];
    }
    check->pass_count = 0;
    for (uint32_t i = 0; i < PASSES; i++)
        if ((chosen >> i & 1) != 0)
            check->passes[check->pass_count++] = all_passes[i];
}

static bool has_pass(const struct check *check, const char *name)
{
    for (uint32_t i = 0; i < check->pass_count; i++)
        if (strcmp(check->passes[i], name) == 0)
            return true;
    return false;
}

static bool compare_rays(struct check *check)
{
    if (!has_pass(check, "ray_events"))
        return true;
    check->rays_compared += check->rays.count;
    for (uint32_t i = 0; i < check->rays.count; i++) {
        check->objects += check->rays.rays[i].object;
        check->executed += check->rays.rays[i].object && check->rays.rays[i].ran != MODEL_NONE;
    }
    for (uint32_t workers = 0; workers < 2; workers++)
        if (!model_compare_rays(check->path, &check->warps, check->modules, &check->rays, !check->reports_end,
                                workers))
            return false;
    return true;
}

/* Sampled counters: what the warps that are drawn count, the estimates and their errors. */
static bool check_sampled(struct check *check)
{
    model_sampled_make(&check->sampled, &check->warps, check->sample);
    model_sampled_estimate(&check->sampled, &check->estimates);
    for (uint32_t s = 0; s < check->program.shader_count; s++) {
        if (check->modules[s].instrumented->entries[0].sampled != (check->sampled.weights[s] > 0)) {
            printf("shader %u: that it is sampled is said wrongly\n", s);
            return false;
        }
    }
    check->sampled_programs++;
    model_paths_make(&check->paths, &check->warps, check->modules, false, 0);
    return model_capture_write(check->path, &check->warps, check->modules, check->passes, check->pass_count,
                               &check->paths, &check->sampled) &&
           model_compare(check->path, &check->estimates, check->modules, &check->visits, NULL, check->passes,
                         check->pass_count) &&
           model_sampled_compare_errors(check->path, &check->sampled, check->modules);
}

/* How many records there are: a shader without an entry record has none. */
static void count_appended(struct check *check)
{
    const struct model_paths *paths = &check->paths;
    for (uint32_t i = 0; i < paths->count; i++)
        check->warps.appended +=
            paths->list[i].unit == MODEL_NONE || check->warps.units[paths->list[i].unit].site != MODEL_NONE;
    check->joined += paths->paths;
    check->turns += paths->turns;
    check->steps += paths->steps;
}

static bool check_lanes(struct check *check, uint32_t lanes, struct model_random *random)
{
    const struct model_warps_options options = {
        .seed = model_random_next(random),
        .lanes = lanes,
        .assignment = (enum model_assignment)model_random_below(random, 3),
        .regroups = model_random_chance(random, 1, 2),
        .moves = model_random_chance(random, 1, 2) && check->sample == 0,
        .shuffles = model_random_chance(random, 1, 2),
    };
    if (!model_warps_make(&check->warps, &check->program, &check->run, check->modules, &options))
        return false;
    if (check->sample > 0)
        return check_sampled(check);
    check->records += check->warps.record_count;
    for (uint32_t i = 0; i < check->warps.context_count; i++)
        check->continued += check->warps.contexts[i].continues;
    const bool joins = model_random_chance(random, 1, 2);
    model_paths_make(&check->paths, &check->warps, check->modules, joins, options.seed);
    count_appended(check);
    model_warps_stamp(&check->warps, check->modules, options.seed);
    return model_capture_write(check->path, &check->warps, check->modules, check->passes, check->pass_count,
                               &check->paths, NULL) &&
           model_compare(check->path, &check->warps, check->modules, &check->visits,
                         check->reorders ? &check->reorder : NULL, check->passes, check->pass_count) &&
           compare_rays(check);
}

static bool run_lanes(struct check *check, struct model_random *random)
{
    static const uint32_t others[] = {4, 16, 128};
    const uint32_t sizes[] = {8, 32, 64, others[model_random_below(random, 3)]};
    for (uint32_t i = 0; i < 4; i++) {
        if (!check_lanes(check, sizes[i], random)) {
            printf("%u lanes\n", sizes[i]);
            return false;
        }
    }
    return true;
}

/* Checks the program that there is, with what else the seed decides. */
static bool check_made(struct check *check, struct model_random random)
{
    const struct model_options options = {
        .seed = model_random_next(&random),
        .events_max = EVENTS_MAX,
        .cases_meet = model_random_chance(&random, 1, 2),
        .reports_end = model_random_chance(&random, 1, 2),
        .hits_run = model_random_chance(&random, 1, 2),
        .orders = model_random_chance(&random, 1, 2),
        .splits = model_random_chance(&random, 1, 3),
    };
    choose_passes(check, &random);
    model_interpret(&check->program, &options, &check->run);
    if (check->run.too_long) {
        check->too_long++;
        return true;
    }
    model_visits_make(&check->visits, &check->program, &check->run);
    model_rays_make(&check->rays, &check->program, &check->run);
    check->reports_end = options.reports_end;
    bool agrees = true;
    uint32_t made = 0;
    for (; made < check->program.shader_count && agrees; made++) {
        agrees = model_module_init(&check->modules[made], &check->program, made, check->passes,
                                   check->pass_count, check->sample);
        if (!agrees)
            printf("shader %u\n", made);
    }
    const bool compute = check->program.shaders[0].stage == WS_STAGE_COMPUTE;
    check->reorders = agrees && (check->program.rays || compute) && has_pass(check, "divergence");
    if (check->reorders)
        model_reorder_make(&check->reorder, &check->program, &check->run, check->modules);
    if (check->reorders)
        *(compute ? &check->partings : &check->sites) += check->reorder.site_count;
    agrees = agrees && run_lanes(check, &random);
    for (uint32_t i = 0; i < made; i++)
        model_module_finish(&check->modules[i]);
    return agrees;
}

/* Whether the program still fails; if not, `kept` is put back. */
static bool still_fails(struct check *check, struct model_random random, const struct model_program *kept)
{
    if (!check_made(check, random))
        return true;
    check->program = *kept;
    return false;
}

/* Makes a program that fails smaller, as long as it fails: fewer threads, fewer actions, fewer branches. */
static void shrink(struct check *check, struct model_random random)
{
    static struct model_program kept;
    for (uint32_t i = 0; i < 3; i++) {
        do {
            kept = check->program;
            check->program.size[i] -= check->program.group[i];
        } while (check->program.size[i] > 0 && still_fails(check, random, &kept));
        check->program = kept;
    }
    for (uint32_t s = 0; s < check->program.shader_count; s++) {
        for (uint32_t b = 0; b < check->program.shaders[s].block_count; b++) {
            struct model_block *block = &check->program.shaders[s].blocks[b];
            for (uint32_t a = block->action_count; a-- > 0;) {
                kept = check->program;
                memmove(&block->actions[a], &block->actions[a + 1],
                        (block->action_count - a - 1) * sizeof(*block->actions));
                block->action_count--;
                const enum model_action_kind kind = kept.shaders[s].blocks[b].actions[a].kind;
                const bool loops = kind == MODEL_LOOP_ZERO || kind == MODEL_LOOP_NEXT;
                if (loops || (kind >= MODEL_INITIALIZE && kind <= MODEL_GENERATE))
                    check->program = kept; /* the loop would not end; a query would not begin */
                else
                    still_fails(check, random, &kept);
            }
            for (uint32_t threshold = 0; threshold <= 65536; threshold += 65536) {
                kept = check->program;
                block->threshold = threshold;
                if (still_fails(check, random, &kept))
                    break;
            }
        }
    }
}

/* Shrinks what failed without a word, and shows it. */
static void explain(struct check *check, struct model_random random)
{
    fflush(stdout);
    const int output = dup(STDOUT_FILENO);
    if (freopen("/dev/null", "w", stdout) == NULL)
        return;
    shrink(check, random);
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    close(output);
    printf("\nwhat is left of it when all is taken away that it fails without:\n");
    check_made(check, random);
    model_program_print(&check->program);
    printf("passes:");
    for (uint32_t i = 0; i < check->pass_count; i++)
        printf(" %s", check->passes[i]);
    printf("\n");
}

static bool check_program(struct check *check, uint64_t seed)
{
    struct model_random random = {seed};
    model_random_next(&random);
    model_random_next(&random);
    static const enum ws_stage stages[] = {WS_STAGE_COMPUTE,  WS_STAGE_VERTEX, WS_STAGE_FRAGMENT,
                                           WS_STAGE_FRAGMENT, WS_STAGE_TASK,   WS_STAGE_MESH};
    /* Every fifth is a compute shader, for the branches and loops that are call sites there alone. */
    const bool compute = seed % 5 == 0, rays = !compute && model_random_chance(&random, 2, 3);
    const enum model_objects objects = (enum model_objects)model_random_below(&random, 3);
    const enum ws_stage stage = compute ? WS_STAGE_COMPUTE
                                : rays  ? WS_STAGE_RAYGEN
                                        : stages[model_random_below(&random, 6)];
    model_program_make(&check->program, seed, stage, 1 + model_random_below(&random, MODEL_THREADS),
                       model_random_chance(&random, 1, 3), objects);
    if (rays && model_random_chance(&random, 1, 3))
        model_program_reorder(&check->program, &random);
    check->program.validates = model_random_chance(&random, 1, 4);
    check->programs++;
    if (check_made(check, random))
        return true;
    printf("seed %" PRIu64 "\n", seed);
    explain(check, random);
    return false;
}

int main(int argc, char **argv)
{
    static struct check check;
    uint64_t count = 300, first = 1;
    bool agrees = true;
    for (int i = 1; i + 1 < argc; i += 2)
        *(strcmp(argv[i], "--first") == 0 ? &first : &count) = strtoull(argv[i + 1], NULL, 10);
    if (argc % 2 == 0) {
        fprintf(stderr, "usage: %s [--count PROGRAMS] [--first SEED]\n", argv[0]);
        return 2;
    }
    snprintf(check.path, sizeof(check.path), "/tmp/warpscope-model-%ld.wscope", (long)getpid());
    for (uint64_t seed = first; seed < first + count && agrees; seed++)
        agrees = check_program(&check, seed);
    printf("%" PRIu64 " programs of 8, 32, 64 and 4, 16 or 128 lanes, %" PRIu64 " records, %" PRIu64
           " continuations, %" PRIu64 " rays, %" PRIu64 " in hit objects, %" PRIu64
           " of them executed, %" PRIu64 " samplings, %" PRIu64 " paths and %" PRIu64 " turns for %" PRIu64
           " records, %" PRIu64 " call sites, %" PRIu64 " branches and loops; %" PRIu64 " were too long\n",
           check.programs, check.records, check.continued, check.rays_compared, check.objects, check.executed,
           check.sampled_programs, check.joined, check.turns, check.steps, check.sites, check.partings,
           check.too_long);
    unlink(check.path);
    model_run_finish(&check.run);
    model_warps_finish(&check.warps);
    model_visits_finish(&check.visits);
    model_rays_finish(&check.rays);
    model_sampled_finish(&check.sampled);
    model_paths_finish(&check.paths);
    model_reorder_finish(&check.reorder);
    return agrees ? 0 : 1;
}
