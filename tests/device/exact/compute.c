/* Compute shaders whose every count is known in closed form, for any subgroup size. In each formula, n is how
 * many lanes a warp has (fewer than the subgroup size in a workgroup's last warp), all from lane 0 up. */
#include <stdio.h>
#include <string.h>

#include "tests/device/exact/harness.h"

#define BLOCKS_MAX 16
#define GROUPS     3 /* workgroups in a dispatch */

/* A warp of a case: n lanes of `size`; and the case's specialization constant. */
struct warp {
    uint32_t n;
    uint32_t size;
    uint32_t choice;
};

/* Active lanes in the block's execution number `i` by a warp; 0 where there is no such execution. */
typedef uint32_t lanes_function(const struct warp *warp, uint32_t i);

struct block {
    const char *name;
    lanes_function *lanes;
};

struct compute_case {
    const char *shader;
    const char *entry;
    uint32_t choice;
    struct block blocks[BLOCKS_MAX];
    uint32_t block_count;
};

/* Each case runs with both: whole warps for subgroups of up to 64 lanes, and partial ones. */
static const uint32_t workgroups[] = {64, 60};

static uint32_t all(const struct warp *warp, uint32_t i)
{
    return i == 0 ? warp->n : 0;
}

static uint32_t none(const struct warp *warp, uint32_t i)
{
    (void)warp;
    (void)i;
    return 0;
}

static uint32_t even(const struct warp *warp, uint32_t i)
{
    return i == 0 ? (warp->n + 1) / 2 : 0;
}

static uint32_t odd(const struct warp *warp, uint32_t i)
{
    return i == 0 ? warp->n / 2 : 0;
}

/* Even blocks of `choice` lanes: those of whole pairs of blocks, and of what is left at most one block. */
static uint32_t even_block(const struct warp *warp, uint32_t i)
{
    const uint32_t pairs = warp->n / (2 * warp->choice);
    const uint32_t rest = warp->n % (2 * warp->choice);

    return i == 0 ? pairs * warp->choice + (rest < warp->choice ? rest : warp->choice) : 0;
}

/* for (i = 0; i < lane; i++): the condition is met by all lanes, then by those from lane 1 up, then 2, … */
static uint32_t loop_condition(const struct warp *warp, uint32_t i)
{
    return i < warp->n ? warp->n - i : 0;
}

/* Its body has one lane fewer each time: lane i has left. */
static uint32_t loop_body(const struct warp *warp, uint32_t i)
{
    return i + 1 < warp->n ? warp->n - i - 1 : 0;
}

/* One lane after the other breaks. */
static uint32_t loop_break(const struct warp *warp, uint32_t i)
{
    return i < warp->n ? 1 : 0;
}

/* Of the bodies, every other, from the first on; and from the second on. */
static uint32_t loop_odd(const struct warp *warp, uint32_t i)
{
    return loop_body(warp, 2 * i);
}

static uint32_t loop_even(const struct warp *warp, uint32_t i)
{
    return loop_body(warp, 2 * i + 1);
}

static uint32_t upper_half(const struct warp *warp, uint32_t i)
{
    return i == 0 && warp->n > warp->size / 2 ? warp->n - warp->size / 2 : 0;
}

static uint32_t lower_half(const struct warp *warp, uint32_t i)
{
    return all(warp, i) - upper_half(warp, i);
}

/* Lanes below n that are `first` modulo `step`. */
static uint32_t every(uint32_t n, uint32_t step, uint32_t first)
{
    return (n + step - 1 - first) / step;
}

static uint32_t case_0(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 4, 0) : 0;
}

/* Case 0 falls through into case 1. */
static uint32_t case_0_and_1(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 4, 0) + every(warp->n, 4, 1) : 0;
}

static uint32_t case_2(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 4, 2) : 0;
}

static uint32_t case_2_even(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 8, 2) : 0;
}

static uint32_t case_2_odd(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 8, 6) : 0;
}

static uint32_t case_3(const struct warp *warp, uint32_t i)
{
    return i == 0 ? every(warp->n, 4, 3) : 0;
}

/* A function called first by the odd lanes, then by all. */
static uint32_t called(const struct warp *warp, uint32_t i)
{
    return i == 0 ? warp->n / 2 : i == 1 ? warp->n : 0;
}

/* Where its argument is above 2: of the odd lanes all but lane 1; then all lanes but 0, 1 and 2, because lane
 * 1's argument is still 1, and lane 3's is 6. */
static uint32_t called_above(const struct warp *warp, uint32_t i)
{
    const uint32_t odd_lanes = warp->n / 2;

    if (i == 0)
        return odd_lanes > 1 ? odd_lanes - 1 : 0;
    return i == 1 && warp->n > 3 ? warp->n - 3 : 0;
}

static uint32_t called_below(const struct warp *warp, uint32_t i)
{
    return called(warp, i) - called_above(warp, i);
}

static const struct compute_case cases[] = {
    {"lane.comp", "main", 0, {{"entry", all}, {"even", even}, {"odd", odd}, {"end", all}}, 4},
    {"block.comp", "main", 1, {{"entry", all}, {"even block", even_block}, {"end", all}}, 3},
    {"block.comp", "main", 2, {{"entry", all}, {"even block", even_block}, {"end", all}}, 3},
    {"block.comp", "main", 4, {{"entry", all}, {"even block", even_block}, {"end", all}}, 3},
    {"loop.comp",
     "main",
     0,
     {{"entry", all},
      {"header", loop_condition},
      {"condition", loop_condition},
      {"body", loop_body},
      {"step", loop_body},
      {"end", all}},
     6},
    {"break.comp",
     "main",
     0,
     {{"entry", all},
      {"header", loop_condition},
      {"condition", loop_condition},
      {"body", loop_condition},
      {"break", loop_break},
      {"after the break", loop_body},
      {"continue", loop_odd},
      {"rest", loop_even},
      {"step", loop_body},
      {"end", all}},
     10},
    {"return.comp", "main", 0, {{"entry", all}, {"return", upper_half}, {"end", lower_half}}, 3},
    {"switch.comp",
     "main",
     0,
     {{"entry", all},
      {"default", case_3},
      {"case 0", case_0},
      {"case 1", case_0_and_1},
      {"case 2", case_2},
      {"case 2, default", case_2_odd},
      {"case 2, case 0", case_2_even},
      {"after the inner switch", case_2},
      {"end", all}},
     9},
    {"function.comp",
     "main",
     0,
     {{"entry", all},
      {"odd", odd},
      {"end", all},
      {"function", called},
      {"function, above 2", called_above},
      {"function, below 3", called_below}},
     6},
    /* One module, three specializations. */
    {"choice.comp",
     "main",
     0,
     {{"entry", all},
      {"1", none},
      {"else", all},
      {"2", none},
      {"joined", all},
      {"odd", none},
      {"after", all},
      {"end", all}},
     8},
    {"choice.comp",
     "main",
     1,
     {{"entry", all},
      {"1", all},
      {"else", none},
      {"2", none},
      {"joined", none},
      {"odd", none},
      {"after", none},
      {"end", all}},
     8},
    {"choice.comp",
     "main",
     2,
     {{"entry", all},
      {"1", none},
      {"else", all},
      {"2", all},
      {"joined", all},
      {"odd", odd},
      {"after", all},
      {"end", all}},
     8},
    /* One module, two entry points, one function of both. */
    {"entries", "first", 0, {{"entry", all}, {"even", even}, {"end", all}, {"shared", even}}, 4},
    {"entries", "second", 0, {{"entry", all}, {"shared", all}}, 2},
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

static void label_of(const struct compute_case *one, uint32_t workgroup, char *label, size_t size)
{
    snprintf(label, size, "%s:%s, choice %u, workgroups of %u", one->shader, one->entry, one->choice,
             workgroup);
}

/* The workgroup's size is in the assembly of this one. */
static bool fixed_workgroup(const struct compute_case *one)
{
    return strcmp(one->shader, "entries") == 0;
}

static bool dispatch(struct ws_harness *harness, const struct compute_case *one, uint32_t workgroup,
                     const struct ws_gpu_bindings *bindings, struct ws_error *error)
{
    struct ws_gpu *gpu = &harness->gpu;
    const uint32_t values[] = {workgroup, one->choice};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo specialization = {2, entries, sizeof(values), values};
    struct ws_gpu_shader shader =
        ws_harness_shader(harness, one->shader, VK_SHADER_STAGE_COMPUTE_BIT, &specialization);
    VkPipeline pipeline;
    VkCommandBuffer commands;
    char label[128];
    bool done = false;

    shader.entry = one->entry;
    pipeline = ws_gpu_compute_pipeline(gpu, bindings, &shader, error);
    commands = pipeline != VK_NULL_HANDLE ? ws_gpu_begin(gpu, error) : VK_NULL_HANDLE;
    if (commands != VK_NULL_HANDLE) {
        label_of(one, workgroup, label, sizeof(label));
        ws_gpu_label(gpu, commands, label);
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, bindings);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        ws_gpu_label_end(gpu, commands);
        done = ws_gpu_submit(gpu, commands, error);
    }
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    return done;
}

static bool run(struct ws_harness *harness, struct ws_error *error)
{
    struct ws_gpu_buffer results;
    struct ws_gpu_bindings bindings;
    bool done = true;

    if (!ws_gpu_buffer_init(&harness->gpu, &results, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            GROUPS * 64 * 4, error))
        return false;
    const struct ws_gpu_binding binding = {.buffer = &results};
    if (!ws_gpu_bindings_init(&harness->gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0, error)) {
        ws_gpu_buffer_finish(&harness->gpu, &results);
        return false;
    }
    for (size_t i = 0; i < CASES && done; i++) {
        for (size_t w = 0; w < 2 && done; w++)
            if (w == 0 || !fixed_workgroup(&cases[i]))
                done = dispatch(harness, &cases[i], workgroups[w], &bindings, error);
    }
    ws_gpu_bindings_finish(&harness->gpu, &bindings);
    ws_gpu_buffer_finish(&harness->gpu, &results);
    return done;
}

/* Adds what `count` warps do. */
static void expect_warps(struct ws_expected_block *expected, const struct block *block,
                         const struct warp *warp, uint64_t count)
{
    for (uint32_t i = 0; i < 2 * WS_BINS_MAX; i++)
        ws_expect(expected, count, block->lanes(warp, i));
}

static void check(struct ws_harness *harness, const struct compute_case *one, uint32_t workgroup)
{
    struct ws_expected_block expected[BLOCKS_MAX] = {0};
    const struct ws_counted_launch *launch;
    const struct ws_counted_shader *counted;
    char label[128];
    uint32_t size;

    label_of(one, workgroup, label, sizeof(label));
    launch = ws_harness_launch(harness, label);
    counted = launch != NULL ? ws_harness_counted(harness, launch, one->shader, one->entry) : NULL;
    if (counted == NULL)
        return;
    size = ws_counted_subgroup_size(harness, counted);
    if (size == 0) {
        ws_harness_fail(harness, "%s: it ran with no or several subgroup sizes", label);
        return;
    }
    if (launch->kind != WS_LAUNCH_DISPATCH || launch->size[0] != GROUPS || launch->size[1] != 1 ||
        launch->size[2] != 1 || launch->shader_count != 1)
        ws_harness_fail(harness, "%s: kind, size or number of shaders of the launch is wrong", label);
    const struct warp whole = {size, size, one->choice};
    const struct warp broken = {workgroup % size, size, one->choice};
    for (uint32_t b = 0; b < one->block_count; b++) {
        expected[b].name = one->blocks[b].name;
        expect_warps(&expected[b], &one->blocks[b], &whole, (uint64_t)GROUPS * (workgroup / size));
        expect_warps(&expected[b], &one->blocks[b], &broken, broken.n > 0 ? GROUPS : 0);
    }
    ws_harness_compare(harness, launch, counted, expected, one->block_count, false);
}

int main(int argc, char **argv)
{
    struct ws_harness harness;
    struct ws_error error = {0};
    int status = ws_harness_begin(&harness, "compute", argc, argv, 0, VK_QUEUE_COMPUTE_BIT);

    if (status != WS_TEST_PASSED)
        return status;
    if (!run(&harness, &error)) {
        ws_harness_fail(&harness, "%s", error.message);
    } else if (ws_harness_read(&harness)) {
        for (size_t i = 0; i < CASES; i++) {
            for (size_t w = 0; w < 2; w++)
                if (w == 0 || !fixed_workgroup(&cases[i]))
                    check(&harness, &cases[i], workgroups[w]);
        }
    }
    return ws_harness_finish(&harness);
}
