/* Fragment and vertex shaders with known counts. Which pixels share a subgroup is the driver's affair, so
 * where that matters only the sums of lanes are compared; helper lanes never count. A triangle that covers
 * the whole target without being clipped (a clipped one falls apart into several) makes subgroups of whole
 * squares of four pixels, none a helper, half in odd columns and half in odd rows: so the viewport is twice
 * the target. */
#include <stdio.h>

#include "examples/base/graphics.h"
#include "tests/device/exact/harness.h"

#define WIDTH  64
#define HEIGHT 32
#define RECTANGLE_WIDTH                                                                                      \
    33 /* of covering.vert, where its choice is 1: odd, so that there are helper lanes                       \
        */
#define RECTANGLE_HEIGHT 21

struct graphics_case {
    const char *label;
    const char *fragment;
    uint32_t choice; /* of covering.vert */
    uint32_t vertices;
};

enum { DISCARD, RETURN, ROWS, HELPERS, PASSED, PASSED_HELPERS, PASSED_DISCARD, PASSED_DEMOTE, CASES };

static const struct graphics_case cases[CASES] = {
    [DISCARD] = {"discard", "discard.frag", 0, 3},
    [RETURN] = {"return", "return.frag", 0, 3},
    [ROWS] = {"rows", "rows.frag", 0, 3},
    [HELPERS] = {"helpers", "rows.frag", 1, 6},
    [PASSED] = {"passed", "passed.frag", 0, 3},
    [PASSED_HELPERS] = {"passed, helpers", "passed.frag", 1, 6},
    [PASSED_DISCARD] = {"passed, discard", "passed_discard.frag", 0, 3},
    [PASSED_DEMOTE] = {"passed, demote", "passed_demote.frag", 0, 3},
};

static bool record(struct ws_gpu *gpu, const struct graphics_case *one, const struct ws_gpu_target *target,
                   const struct ws_gpu_bindings *bindings, VkPipeline pipeline, struct ws_error *error)
{
    const float black[4] = {0, 0, 0, 1};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);

    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_label(gpu, commands, one->label);
    ws_gpu_target_begin(commands, target, black);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, bindings);
    vkCmdDraw(commands, one->vertices, 1, 0, 0);
    ws_gpu_target_end(commands, target);
    ws_gpu_label_end(gpu, commands);
    return ws_gpu_submit(gpu, commands, error);
}

static bool draw(struct ws_harness *harness, const struct graphics_case *one, struct ws_error *error)
{
    struct ws_gpu *gpu = &harness->gpu;
    const VkSpecializationMapEntry entry = {1, 0, sizeof(one->choice)};
    const VkSpecializationInfo choice = {1, &entry, sizeof(one->choice), &one->choice};
    const struct ws_gpu_graphics graphics = {
        .vertex = ws_harness_shader(harness, "covering.vert", VK_SHADER_STAGE_VERTEX_BIT, &choice),
        .fragment = ws_harness_shader(harness, one->fragment, VK_SHADER_STAGE_FRAGMENT_BIT, NULL),
        .scale = 2,
    };
    struct ws_gpu_target target;
    struct ws_gpu_bindings bindings = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool done = false;

    if (!ws_gpu_target_init(gpu, &target, WIDTH, HEIGHT, false, error))
        return false;
    if (ws_gpu_bindings_init(gpu, &bindings, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, 0, error))
        pipeline = ws_gpu_graphics_pipeline(gpu, &bindings, &target, &graphics, error);
    if (pipeline != VK_NULL_HANDLE)
        done = record(gpu, one, &target, &bindings, pipeline, error);
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_target_finish(gpu, &target);
    return done;
}

/* Executions of a fragment shader's blocks; each subgroup whole, but for lanes that left. */
static struct ws_expected_block fragments(const char *name, uint32_t pixels, uint32_t lanes)
{
    struct ws_expected_block expected = {.name = name};

    ws_expect(&expected, pixels / lanes, lanes);
    return expected;
}

static void check(struct ws_harness *harness, const struct graphics_case *one,
                  const struct ws_expected_block *blocks, uint32_t count, bool sums)
{
    const struct ws_counted_launch *launch = ws_harness_launch(harness, one->label);
    const struct ws_counted_shader *fragment;
    const struct ws_counted_shader *vertex;
    struct ws_expected_block vertex_blocks[3] = {{.name = "entry"}, {.name = "rectangle"}, {.name = "end"}};

    if (launch == NULL)
        return;
    if (launch->kind != WS_LAUNCH_RENDER_PASS || launch->size[0] != WIDTH || launch->size[1] != HEIGHT ||
        launch->size[2] != 1)
        ws_harness_fail(harness, "%s: kind or size of the launch is wrong", one->label);
    fragment = ws_harness_counted(harness, launch, one->fragment, "main");
    vertex = ws_harness_counted(harness, launch, "covering.vert", "main");
    if (fragment != NULL)
        ws_harness_compare(harness, launch, fragment, blocks, count, sums);
    if (vertex != NULL) { /* without indices nothing is shared among the triangles */
        ws_expect(&vertex_blocks[0], one->vertices, 1);
        ws_expect(&vertex_blocks[1], one->choice == 1 ? one->vertices : 0, 1);
        ws_expect(&vertex_blocks[2], one->vertices, 1);
        ws_harness_compare(harness, launch, vertex, vertex_blocks, 3, true);
    }
}

/* Early returns: one of the entry point itself, and one of a loop's turn. Four lanes of a square are two after the first, in
 * both rows, and one after the second. */
static void check_return(struct ws_harness *harness, uint32_t size, bool sums)
{
    enum { ENTRY, COLUMN, BEFORE, HEADER, CONDITION, TURN, ROW, ADD, NEXT, END, BLOCKS };
    const uint32_t warps = WIDTH * HEIGHT / size;
    const uint32_t half = size / 2;
    const uint32_t quarter = size / 4;
    struct ws_expected_block blocks[BLOCKS] = {
        {.name = "entry"},     {.name = "odd column"}, {.name = "before the loop"}, {.name = "header"},
        {.name = "condition"}, {.name = "turn"},       {.name = "odd row"},         {.name = "add"},
        {.name = "next turn"}, {.name = "end"}};

    ws_expect(&blocks[ENTRY], warps, size);
    ws_expect(&blocks[COLUMN], warps, half);
    ws_expect(&blocks[BEFORE], warps, half);
    for (int i = HEADER; i <= CONDITION; i++) { /* with i = 0 and 1, then with 2 and 3 */
        ws_expect(&blocks[i], 2 * warps, half);
        ws_expect(&blocks[i], 2 * warps, quarter);
    }
    ws_expect(&blocks[TURN], 2 * warps, half);
    ws_expect(&blocks[TURN], warps, quarter);
    ws_expect(&blocks[ROW], warps, quarter);
    for (int i = ADD; i <= NEXT; i++) {
        ws_expect(&blocks[i], warps, half);
        ws_expect(&blocks[i], 2 * warps, quarter);
    }
    ws_expect(&blocks[END], warps, quarter);
    check(harness, &cases[RETURN], blocks, BLOCKS, sums);
}

/* A block of passed.glsl: how often a square runs it with all of its four lanes, with three, two and one. */
struct passed_block {
    const char *name;
    uint32_t four, three, two, one;
};

/* Those of a loop that all pixels begin, and of one that even rows do. What is behind a demotion is a block too. */
static const struct passed_block passed_by_all[] = {
    {"entry", 1, 0, 0, 0},      {"header", 281, 1, 19, 0},  {"condition", 281, 1, 19, 0},
    {"turn", 281, 1, 18, 0},    {"before", 0, 0, 142, 158}, {"merge", 281, 1, 18, 0},
    {"early", 0, 140, 141, 19}, {"late", 0, 0, 142, 158},   {"return", 0, 0, 0, 2},
    {"next", 0, 0, 140, 160},   {"again", 280, 1, 19, 0},   {"end", 0, 0, 1, 0}};
static const struct passed_block passed_by_even_rows[] = {
    {"entry", 1, 0, 0, 0},   {"go", 0, 0, 1, 0},        {"gone", 0, 0, 0, 0},
    {"go on", 0, 0, 1, 0},   {"header", 0, 0, 281, 20}, {"condition", 0, 0, 281, 20},
    {"turn", 0, 0, 281, 19}, {"before", 0, 0, 0, 291},  {"merge", 0, 0, 281, 19},
    {"early", 0, 0, 0, 290}, {"late", 0, 0, 0, 291},    {"return", 0, 0, 0, 1},
    {"next", 0, 0, 0, 290},  {"again", 0, 0, 280, 20},  {"end", 0, 0, 0, 1}};

static uint32_t expect_passed(struct ws_expected_block *blocks, int index, uint32_t size)
{
    const bool all = index == PASSED;
    const struct passed_block *list = all ? passed_by_all : passed_by_even_rows;
    const uint32_t list_count =
        all ? sizeof(passed_by_all) / sizeof(*list) : sizeof(passed_by_even_rows) / sizeof(*list);
    const uint32_t warps = WIDTH * HEIGHT / size;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list_count; i++) {
        struct ws_expected_block *block = &blocks[count];
        if (list[i].four + list[i].three + list[i].two + list[i].one == 0 && index != PASSED_DEMOTE)
            continue;
        *block = (struct ws_expected_block){.name = list[i].name};
        ws_expect(block, list[i].four * warps, size);
        ws_expect(block, list[i].three * warps, 3 * size / 4);
        ws_expect(block, list[i].two * warps, size / 2);
        ws_expect(block, list[i].one * warps, size / 4);
        count++;
    }
    return count;
}

/* Of a rectangle, how often pixels of even rows run each block, and those of odd rows in even and odd columns. */
static uint32_t expect_passed_helpers(struct ws_expected_block *blocks)
{
    static const struct {
        const char *name;
        uint32_t even_row, even_column, odd_column;
    } passed[] = {{"entry", 1, 1, 1},       {"header", 301, 281, 282}, {"condition", 301, 281, 282},
                  {"turn", 300, 281, 282},  {"before", 150, 71, 71},   {"merge", 300, 281, 282},
                  {"early", 150, 210, 211}, {"late", 150, 71, 71},     {"return", 0, 1, 1},
                  {"next", 150, 70, 70},    {"again", 300, 280, 281},  {"end", 1, 0, 0}};
    const uint32_t count = sizeof(passed) / sizeof(passed[0]);
    const uint32_t odd_rows = RECTANGLE_HEIGHT / 2;
    const uint32_t odd_columns = RECTANGLE_WIDTH / 2;
    for (uint32_t i = 0; i < count; i++)
        blocks[i] = fragments(passed[i].name,
                              passed[i].even_row * (RECTANGLE_HEIGHT - odd_rows) * RECTANGLE_WIDTH +
                                  odd_rows * (passed[i].even_column * (RECTANGLE_WIDTH - odd_columns) +
                                              passed[i].odd_column * odd_columns),
                              1);
    return count;
}

/* Blocks that lanes pass by in a loop. */
static void check_passed(struct ws_harness *harness, uint32_t size, bool sums)
{
    enum { BEFORE = 4, LATE = 7, BLOCKS_MAX = 16 };
    struct ws_expected_block blocks[BLOCKS_MAX];
    for (int i = PASSED; i <= PASSED_DEMOTE; i++) {
        const uint32_t count =
            i == PASSED_HELPERS ? expect_passed_helpers(blocks) : expect_passed(blocks, i, size);
        check(harness, &cases[i], blocks, count, sums || i == PASSED_HELPERS);
    }
    const struct ws_counted_launch *launch = ws_harness_launch(harness, cases[PASSED_HELPERS].label);
    const struct ws_counted_shader *counted =
        launch != NULL ? ws_harness_counted(harness, launch, cases[PASSED_HELPERS].fragment, "main") : NULL;
    if (counted != NULL && !ws_counted_alike(harness, counted, BEFORE, LATE))
        ws_harness_fail(harness, "%s: what the same lanes run has other counts", launch->label);
}

static void check_all(struct ws_harness *harness, uint32_t subgroup_size)
{
    /* A subgroup of fewer lanes than a square of four has no known half: sums are as if it had four. */
    const bool sums = subgroup_size < 4;
    const uint32_t size = sums ? 4 : subgroup_size;
    const uint32_t all = WIDTH * HEIGHT;
    const uint32_t covered = RECTANGLE_WIDTH * RECTANGLE_HEIGHT;
    const struct ws_expected_block discard[3] = {
        fragments("entry", all, size),
        fragments("discard", all / 2, size / 2),
        fragments("end", all / 2, size / 2),
    };
    const struct ws_expected_block rows[3] = {
        fragments("entry", all, size),
        fragments("odd row", all / 2, size / 2),
        fragments("end", all, size),
    };
    const struct ws_expected_block helpers[3] = {
        fragments("entry", covered, 1),
        fragments("odd row", RECTANGLE_HEIGHT / 2 * RECTANGLE_WIDTH, 1),
        fragments("end", covered, 1),
    };

    check(harness, &cases[DISCARD], discard, 3, sums);
    check_return(harness, size, sums);
    check(harness, &cases[ROWS], rows, 3, sums);
    check(harness, &cases[HELPERS], helpers, 3, true);
    check_passed(harness, size, sums);
}

int main(int argc, char **argv)
{
    struct ws_harness harness;
    struct ws_error error = {0};
    int status = ws_harness_begin(&harness, "graphics", argc, argv, 0, VK_QUEUE_GRAPHICS_BIT);
    bool done = true;

    if (status != WS_TEST_PASSED)
        return status;
    const uint32_t size = harness.gpu.subgroup_size;
    for (int i = 0; i < CASES && done; i++)
        done = draw(&harness, &cases[i], &error);
    if (!done)
        ws_harness_fail(&harness, "%s", error.message);
    else if (ws_harness_read(&harness))
        check_all(&harness, size);
    return ws_harness_finish(&harness);
}
