/* Programs that end in the middle of it, and disks that are full: the capture holds all up to there, the
 * report says that it was cut short, and nothing else happens to the program. */
#include "tests/device/rig.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "warpscope/stage.h"

#define FILLED 0x12345678u

/* What the program itself sees of its work. */
struct work {
    VkPipeline pipeline;
    struct ws_gpu_buffer buffer;
};

static void work_init(struct rig *rig, struct work *work)
{
    work->pipeline = rig_count_pipeline(rig, 64);
    CHECK(ws_gpu_buffer_init(&rig->gpu, &work->buffer, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL, 4, NULL));
}

static void work_finish(struct rig *rig, struct work *work)
{
    vkDestroyPipeline(rig->gpu.device, work->pipeline, NULL);
    ws_gpu_buffer_finish(&rig->gpu, &work->buffer);
}

static void submit(struct rig *rig, struct work *work, uint32_t groups)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    rig_dispatch(commands, work->pipeline, groups);
    vkCmdFillBuffer(commands, work->buffer.buffer, 0, 4, FILLED + groups);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
}

/* Dispatches of 1, 2, ... groups, each waited for. */
static void do_work(struct rig *rig, struct work *work, uint32_t first, uint32_t last)
{
    for (uint32_t groups = first; groups <= last; groups++) {
        uint32_t filled;
        submit(rig, work, groups);
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
        memcpy(&filled, work->buffer.data, sizeof(filled));
        CHECK(filled == FILLED + groups);
    }
}

/* The capture has the dispatches of 1 to `last` groups, and nothing else. */
static void check_work(const struct recorded *recorded, uint32_t last)
{
    CHECK(recorded->count == last && recorded->skipped == 0);
    for (uint32_t i = 0; i < last; i++) {
        const struct recorded_shader *shader = recorded_shader(&recorded->launches[i], WS_STAGE_COMPUTE);
        CHECK(recorded->launches[i].size[0] == i + 1);
        CHECK(shader != NULL && recorded_lanes(shader) == 64 * ((uint64_t)i + 1));
    }
}

static void check_three(const struct recorded *recorded)
{
    check_work(recorded, 3);
    CHECK(rig_report_says("cut short"));
}

static void run_killed(struct rig *rig)
{
    struct work work;
    work_init(rig, &work);
    do_work(rig, &work, 1, 3);
    raise(SIGKILL);
}

/* With one submission under way and another command buffer open. */
static void stop_in_the_middle(struct rig *rig)
{
    struct work work;
    work_init(rig, &work);
    do_work(rig, &work, 1, 3);
    VkCommandBuffer open = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(open, 0);
    rig_dispatch(open, work.pipeline, 5);
    submit(rig, &work, 4);
}

static void run_aborted(struct rig *rig)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    stop_in_the_middle(rig);
    abort();
}

static void run_left(struct rig *rig)
{
    stop_in_the_middle(rig);
    _exit(0);
}

/* A limit on the size of files is met as a full disk is. The driver's own cache would meet it too. */
static void run_full(struct rig *none)
{
    struct rig rig;
    struct work work;
    struct stat file;
    (void)none;
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    rig_init(&rig, NULL);
    work_init(&rig, &work);
    do_work(&rig, &work, 1, 3);
    const int messages = rig_keep_messages();
    CHECK(stat(rig_capture(), &file) == 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)file.st_size + 20, RLIM_INFINITY});
    do_work(&rig, &work, 4, 8);
    work_finish(&rig, &work);
    rig_finish(&rig);
    CHECK(rig_count_messages(messages, "cannot write the capture") == 1);
}

/* No room even for the beginning of a capture. */
static void run_no_capture(struct rig *none)
{
    struct rig rig;
    struct work work;
    (void)none;
    const int messages = rig_keep_messages();
    rig_init(&rig, NULL);
    work_init(&rig, &work);
    do_work(&rig, &work, 1, 3);
    work_finish(&rig, &work);
    rig_finish(&rig);
    CHECK(rig_count_messages(messages, "cannot write the capture") == 1);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "killed", .run = run_killed, .check = check_three, .end = RIG_KILLED},
        {.name = "aborted", .run = run_aborted, .check = check_three, .end = RIG_KILLED},
        {.name = "left", .run = run_left, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "full", .run = run_full, .check = check_three, .end = RIG_UNFINISHED, .own_rigs = true},
        {.name = "no_capture",
         .run = run_no_capture,
         .setting = "WARPSCOPE_OUTPUT",
         .value = "/dev/full",
         .end = RIG_UNRECORDED,
         .own_rigs = true},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
