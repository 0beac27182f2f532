/* Record streams: overflow and growth, limits, sampling, and what is left out. That records agree with
 * counters is checked of every case. */
#include "tests/device/rig.h"

#include <stdio.h>

#include "warpscope/stage.h"

/* Dispatches of these numbers of groups of 64 threads, each submitted by itself and waited for. */
static void dispatch_each(struct rig *rig, uint32_t count, const uint32_t *groups)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    for (uint32_t i = 0; i < count; i++) {
        VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        rig_begin(commands, 0);
        rig_dispatch(commands, pipeline, groups[i]);
        CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
        rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    }
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void run_the_same_thrice(struct rig *rig)
{
    dispatch_each(rig, 3, (uint32_t[]){300, 300, 300});
}

/* The first of three found too little room, by as much as it says; the others had enough. */
static void check_growth(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 3 && streams->lost == 0);
    CHECK(streams->sufficient > 1024 && streams->missing >= streams->sufficient - 1024);
    CHECK(streams->words + streams->missing == 3 * streams->sufficient);
    CHECK(streams->compared == 2);
    CHECK(streams->warnings == 1);
}

/* Each of them had 1024 words. */
static void check_limit(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 3 && streams->lost == 0);
    CHECK(streams->words + streams->missing == 3 * streams->sufficient);
    CHECK(streams->words <= 3 * 1024 && streams->words > 3 * 1024 - 3 * 300);
    CHECK(streams->compared == 0);
    CHECK(streams->warnings == 1);
}

static void run_limit(struct rig *rig)
{
    const int messages = rig_keep_messages();
    run_the_same_thrice(rig);
    if (rig_records())
        CHECK(rig_count_messages(messages, "--buffer-limit") == 1);
}

/* Without a setting nothing is missing, and a warp's block is 8 bytes more than its entry. */
static void run_ten(struct rig *rig)
{
    dispatch_each(rig, 10, (uint32_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

static void check_ten(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 10 && streams->missing == 0 && streams->lost == 0);
    CHECK(streams->lanes == 55 * 64);
    CHECK(streams->places == streams->entries);
    CHECK(streams->compared == 10);
}

/* One warp in each dispatch has the thread, in those of at least two groups. */
static void check_one_thread(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 10 && streams->lost == 0);
    CHECK(streams->entries == 9 && streams->places == 9);
}

/* Threads 0, 64, 128, ...: the first warp of each group, wherever a subgroup has 64 lanes or fewer. */
static void check_steps(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->entries == 55);
}

/* Groups 0, 2, 4, ... of each: 1 + 1 + 2 + 2 + 3 + 3 + 4 + 4 + 5 + 5 of them, with all of their threads. */
static void check_tiles(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->lanes == 30 * 64);
}

static void check_chosen(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 3);
    CHECK(streams->lanes == (4 + 5 + 6) * 64);
    CHECK(streams->compared == 3);
}

static void check_unrecorded(const struct recorded_streams *streams)
{
    CHECK(streams->launches == 0 && streams->lost == 0);
}

/* Three dispatches in a command buffer, twice in a submission, which is repeated; one of them indirect. */
static void run_again(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    const VkDispatchIndirectCommand size = {6, 2, 3};
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &size, sizeof(size),
                             NULL));
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    rig_dispatch(commands, pipeline, 3);
    vkCmdDispatchIndirect(commands, buffer.buffer, 0);
    rig_dispatch(commands, pipeline, 5);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    for (int i = 0; i < 5; i++)
        rig_submit(rig, 2, (VkCommandBuffer[]){commands, commands}, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
    ws_gpu_buffer_finish(&rig->gpu, &buffer);
}

static void check_again(const struct recorded_streams *streams)
{
    if (!streams->recording)
        return;
    CHECK(streams->launches == 30 && streams->compared == 30);
    CHECK(streams->lanes == 10 * (3 + 36 + 5) * 64);
    CHECK(streams->lost == 0 && streams->missing == 0);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "all", .run = run_ten, .check_streams = check_ten},
        {.name = "again", .run = run_again, .check_streams = check_again},
        {.name = "growth",
         .run = run_the_same_thrice,
         .check_streams = check_growth,
         .setting = "WARPSCOPE_BUFFER_SIZE",
         .value = "4K"},
        {.name = "limit",
         .run = run_limit,
         .check_streams = check_limit,
         .setting = "WARPSCOPE_BUFFER_LIMIT",
         .value = "4K"},
        {.name = "one_thread",
         .run = run_ten,
         .check_streams = check_one_thread,
         .setting = "WARPSCOPE_THREADS",
         .value = "70"},
        {.name = "steps",
         .run = run_ten,
         .check_streams = check_steps,
         .setting = "WARPSCOPE_THREADS",
         .value = "/64"},
        {.name = "pixels",
         .run = run_ten,
         .check_streams = check_one_thread,
         .setting = "WARPSCOPE_PIXELS",
         .value = "70,0"},
        {.name = "tiles",
         .run = run_ten,
         .check_streams = check_tiles,
         .setting = "WARPSCOPE_TILE",
         .value = "64x1/2"},
        {.name = "launch_range",
         .run = run_ten,
         .check_streams = check_chosen,
         .setting = "WARPSCOPE_LAUNCHES",
         .value = "3-5"},
        {.name = "trigger",
         .run = run_ten,
         .check_streams = check_unrecorded,
         .setting = "WARPSCOPE_TRIGGER",
         .value = "/nonexistent/trigger"},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
