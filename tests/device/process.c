/* Programs that do with their process what the layer would not expect: they close what they do not know, begin
 * without standard streams, fork, and end in the middle of a write. Their own files stay their own, they end,
 * and what the capture has of them can be read. */
#include "layer/core/vulkan_newer.h"
#include "tests/device/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warpscope/stage.h"

/* What happens in the next write into the capture. The layer's calls of write come here, because the program
 * exports its own. */
static void (*_Atomic in_write)(void);

static bool is_capture(int descriptor)
{
    struct stat file, capture;
    return fstat(descriptor, &file) == 0 && stat(rig_capture(), &capture) == 0 &&
           file.st_dev == capture.st_dev && file.st_ino == capture.st_ino;
}

__attribute__((visibility("default"))) ssize_t write(int descriptor, const void *data, size_t size)
{
    if (atomic_load(&in_write) != NULL && is_capture(descriptor)) {
        void (*act)(void) = atomic_exchange(&in_write, NULL);
        const long half = syscall(SYS_write, descriptor, data, size / 2);
        if (half > 0)
            act();
        return half;
    }
    return syscall(SYS_write, descriptor, data, size);
}

/* A process that hangs is ended, and fails its case; one that waits for a processor is not. */
#define PATIENCE 200 /* seconds */

/* Dispatches of 1, 2, ... groups, each waited for. */
static void do_work(struct rig *rig, uint32_t first, uint32_t last)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    for (uint32_t groups = first; groups <= last; groups++) {
        VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        rig_begin(commands, 0);
        rig_dispatch(commands, pipeline, groups);
        CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
        rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
        CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    }
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
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
}

static void check_eight(const struct recorded *recorded)
{
    check_work(recorded, 8);
}

/* The program's own file, empty. */
static int own_file(void)
{
    char path[] = "/tmp/warpscope-own-XXXXXX";
    const int file = mkstemp(path);
    CHECK(file >= 0 && unlink(path) == 0);
    return file;
}

/* A daemon closes all that it does not know, and opens its own. */
static void run_closed(struct rig *rig)
{
    struct stat status;
    do_work(rig, 1, 3);
    const int messages = rig_keep_messages();
    const int own = own_file();
    for (int number = 3; number < 2000; number++)
        if (number != messages && number != own)
            close(number);
    int files[40];
    for (int i = 0; i < 40; i++)
        CHECK((files[i] = dup(own)) >= 0);
    do_work(rig, 4, 8);
    CHECK(fstat(own, &status) == 0 && status.st_size == 0);
    for (int i = 0; i < 40; i++)
        CHECK(fcntl(files[i], F_GETFD) >= 0);
    rig_finish(rig);
    CHECK(fstat(own, &status) == 0 && status.st_size == 0);
    CHECK(rig_count_messages(messages, "cannot write the capture") == 1);
    exit(0);
}

/* Makes the number of the capture one of the program's own file. */
static void replace_capture(int own)
{
    for (int number = 0; number < 4096; number++)
        if (is_capture(number))
            CHECK(dup2(own, number) == number);
}

/* Its own file under the capture's number. */
static void run_replaced(struct rig *rig)
{
    struct stat status;
    do_work(rig, 1, 3);
    const int messages = rig_keep_messages();
    const int own = own_file();
    replace_capture(own);
    do_work(rig, 4, 8);
    rig_finish(rig);
    CHECK(fstat(own, &status) == 0 && status.st_size == 0);
    CHECK(fcntl(own, F_GETFD) >= 0);
    CHECK(rig_count_messages(messages, "cannot write the capture") == 1);
    exit(0);
}

/* What it prints then does not go into the capture. What it opens then gets the numbers of the streams, and no
 * message. */
static void run_without_streams(struct rig *none)
{
    struct rig rig;
    struct stat status;
    (void)none;
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); /* its files would have the numbers of the streams */
    for (int stream = 0; stream <= 2; stream++)
        close(stream);
    rig_init(&rig, NULL);
    do_work(&rig, 1, 3);
    for (int stream = 0; stream <= 2; stream++)
        if (is_capture(stream))
            _exit(1);
    const int own = own_file();
    for (int file = own; file < 2;)
        file = dup(own);
    if (fstat(2, &status) != 0)
        _exit(1);
    replace_capture(own);
    do_work(&rig, 4, 8);
    rig_finish(&rig);
    if (fstat(own, &status) != 0 || status.st_size != 0)
        _exit(1);
}

static void run_few_descriptors(struct rig *none)
{
    struct rig rig;
    (void)none;
    CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16}) == 0);
    rig_init(&rig, NULL);
    do_work(&rig, 1, 8);
    rig_finish(&rig);
}

/* The child's calls are in nobody's capture, and it does not write its parent's to the end. A device cannot be
 * used after a fork, but to name a thing is a call of the layer alone. */
static void run_forked(struct rig *rig)
{
    struct stat before, after;
    alarm(PATIENCE);
    do_work(rig, 1, 3);
    CHECK(stat(rig_capture(), &before) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const VkDebugUtilsObjectNameInfoEXT name = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
            .objectType = VK_OBJECT_TYPE_QUEUE,
            .objectHandle = (uint64_t)(uintptr_t)rig->gpu.queue,
            .pObjectName = "a queue of the child",
        };
        _exit(vkSetDebugUtilsObjectNameEXT(rig->gpu.device, &name) == VK_SUCCESS ? 0 : 1);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(stat(rig_capture(), &after) == 0 && after.st_size == before.st_size);
    do_work(rig, 4, 8);
}

static void leave(int signal_number)
{
    (void)signal_number;
    exit(0);
}

static void interrupt(void)
{
    raise(SIGUSR1);
}

/* A signal comes while the layer writes, and its handler ends the program. */
static void run_interrupted(struct rig *rig)
{
    alarm(PATIENCE);
    signal(SIGUSR1, leave);
    do_work(rig, 1, 3);
    atomic_store(&in_write, interrupt);
    do_work(rig, 4, 8);
    _exit(1); /* not reached */
}

static struct rig *cleaned;

static void clean(void)
{
    rig_finish(cleaned);
}

/* The same in a program that cleans up at its end. */
static void run_interrupted_cleans(struct rig *rig)
{
    alarm(PATIENCE);
    cleaned = rig;
    atexit(clean);
    signal(SIGUSR1, leave);
    do_work(rig, 1, 3);
    atomic_store(&in_write, interrupt);
    do_work(rig, 4, 8);
    _exit(1); /* not reached */
}

/* It ends while another of its threads is in the layer, and stays there. */
static pthread_barrier_t stopped;

static void stop(void)
{
    pthread_barrier_wait(&stopped);
    for (;;)
        pause();
}

static void *work(void *argument)
{
    atomic_store(&in_write, stop);
    do_work(argument, 4, 8);
    return NULL;
}

static void run_other_thread(struct rig *rig)
{
    pthread_t thread;
    alarm(PATIENCE);
    do_work(rig, 1, 3);
    CHECK(pthread_barrier_init(&stopped, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, work, rig) == 0);
    pthread_barrier_wait(&stopped);
    exit(0);
}

static void run_quickly(struct rig *rig)
{
    alarm(PATIENCE);
    do_work(rig, 1, 3);
    quick_exit(0);
}

/* All is destroyed by a function that atexit has been given. */
static void run_at_exit(struct rig *rig)
{
    alarm(PATIENCE);
    cleaned = rig;
    atexit(clean);
    do_work(rig, 1, 8);
    exit(0);
}

/* Nobody but its user reads what a capture says of the program. */
static void run_masked(struct rig *none)
{
    struct rig rig;
    struct stat status;
    (void)none;
    umask(0);
    rig_init(&rig, NULL);
    do_work(&rig, 1, 8);
    CHECK(stat(rig_capture(), &status) == 0 && (status.st_mode & 07777) == 0600);
    rig_finish(&rig);
}

/* Does the work of `launches` dispatches with an instance that asks for these passes. */
static void work_with(const char *passes, uint32_t launches)
{
    const VkLayerSettingEXT setting = {
        .pLayerName = "VK_LAYER_WARPSCOPE_capture",
        .pSettingName = "passes",
        .type = VK_LAYER_SETTING_TYPE_STRING_EXT,
        .valueCount = 1,
        .pValues = &passes,
    };
    const VkLayerSettingsCreateInfoEXT settings = {
        .sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
        .settingCount = 1,
        .pSettings = &setting,
    };
    const struct rig_request request = {.instance_chain = &settings};
    struct rig rig;
    rig_init(&rig, &request);
    do_work(&rig, launches, launches);
    rig_finish(&rig);
}

/* The capture has one launch of each of these sizes, each counted by every pass. */
static void check_launches(const char *path, const uint32_t *sizes, uint32_t count)
{
    struct recorded recorded;
    CHECK(recorded_read(&recorded, path));
    CHECK(recorded.done && recorded.errors == 0 && recorded.skipped == 0 && recorded.count == count);
    for (uint32_t i = 0; i < count; i++) {
        const struct recorded_shader *shader = recorded_shader(&recorded.launches[i], WS_STAGE_COMPUTE);
        CHECK(recorded.launches[i].size[0] == sizes[i]);
        CHECK(shader != NULL && recorded_lanes(shader) == 64 * (uint64_t)sizes[i]);
    }
    recorded_finish(&recorded);
}

/* Two ask for the same, one for something else: it has a capture of its own, which a message names. */
static void run_instances(struct rig *none)
{
    static const uint32_t first[] = {1, 3, 4}, second[] = {2};
    char other[128];
    (void)none;
    unsetenv("WARPSCOPE_PASSES");
    const int messages = rig_keep_messages();
    work_with("simt_efficiency", 1);
    work_with("warp_entry_exit,simt_efficiency", 2);
    work_with("simt_efficiency", 3);
    work_with("simt_efficiency", 4);
    snprintf(other, sizeof(other), "%.*s.%d.wscope", (int)strcspn(rig_capture(), "."), rig_capture(),
             (int)getpid());
    CHECK(rig_count_messages(messages, other) == 1);
    check_launches(rig_capture(), first, 3);
    check_launches(other, second, 1);
    unlink(other);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "closed", .run = run_closed, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "replaced", .run = run_replaced, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "without_streams",
         .run = run_without_streams,
         .check = check_three,
         .end = RIG_UNFINISHED,
         .own_rigs = true},
        {.name = "few_descriptors", .run = run_few_descriptors, .check = check_eight, .own_rigs = true},
        {.name = "forked", .run = run_forked, .check = check_eight},
        {.name = "interrupted", .run = run_interrupted, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "interrupted_cleans",
         .run = run_interrupted_cleans,
         .check = check_three,
         .end = RIG_UNFINISHED},
        {.name = "other_thread", .run = run_other_thread, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "quickly", .run = run_quickly, .check = check_three, .end = RIG_UNFINISHED},
        {.name = "at_exit", .run = run_at_exit, .check = check_eight},
        {.name = "instances", .run = run_instances, .own_rigs = true},
        {.name = "masked", .run = run_masked, .check = check_eight, .own_rigs = true},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
