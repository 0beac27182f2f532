/* What the layer keeps when the application has destroyed everything: nothing, but for a bounded cache of
 * modules. Counts the allocations of the layer's own code that are alive, while instances, devices, pipelines
 * and command buffers are made and destroyed again and again. */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/device/rig.h"

/* Where the layer's code lies. It is loaded from the start, so that it stays in its place. */
static uintptr_t code_begin, code_end;

/* Allocations of the layer that are alive: an open hash table of their addresses. */
#define PLACES (1u << 20)
static _Atomic uintptr_t places[PLACES];
static _Atomic int64_t alive, bytes;

#define GONE ((uintptr_t)1) /* an address that was freed */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static bool is_layers(const void *caller)
{
    return (uintptr_t)caller >= code_begin && (uintptr_t)caller < code_end;
}

static void note(const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    if (memory == NULL)
        return;
    for (size_t i = address >> 4;; i++) {
        uintptr_t present = places[i % PLACES];
        if ((present == 0 || present == GONE) &&
            atomic_compare_exchange_strong(&places[i % PLACES], &present, address)) {
            alive++;
            bytes += (int64_t)malloc_usable_size((void *)memory);
            return;
        }
    }
}

static void forget(const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    for (size_t i = address >> 4; memory != NULL && places[i % PLACES] != 0; i++) {
        uintptr_t expected = address;
        if (atomic_compare_exchange_strong(&places[i % PLACES], &expected, GONE)) {
            alive--;
            bytes -= (int64_t)malloc_usable_size((void *)memory);
            return;
        }
    }
}

/* These take the place of the C library's in the whole process. */
void *malloc(size_t size)
{
    void *memory = __libc_malloc(size);
    if (is_layers(__builtin_return_address(0)))
        note(memory);
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = __libc_calloc(count, size);
    if (is_layers(__builtin_return_address(0)))
        note(memory);
    return memory;
}

void *realloc(void *memory, size_t size)
{
    if (is_layers(__builtin_return_address(0)))
        forget(memory);
    void *moved = __libc_realloc(memory, size);
    if (is_layers(__builtin_return_address(0)))
        note(moved);
    return moved;
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    if (is_layers(__builtin_return_address(0)))
        forget(memory);
    void *moved = __libc_realloc(memory, count * size);
    if (is_layers(__builtin_return_address(0)))
        note(moved);
    return moved;
}

void free(void *memory)
{
    forget(memory);
    __libc_free(memory);
}

static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (strstr(info->dlpi_name, "VkLayer_warpscope_capture") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0)
            continue;
        code_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        code_end = code_begin + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

/* What a program does between two frames, at most: a pipeline of its own, recorded, submitted, destroyed. */
static void run_pipeline(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    rig_dispatch(commands, pipeline, 5);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    VkFence fence = rig_fence(rig);
    rig_submit(rig, 1, &commands, fence);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, fence, NULL);
    vkFreeCommandBuffers(rig->gpu.device, rig->gpu.pool, 1, &commands);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

/* Chunks of records wait for a thread of the layer's, which frees them: at a time of its own, later on a busy machine. */
#define LOOK_EVERY ((struct timespec){.tv_nsec = 10000000})
#define LOOKS_SAME 20   /* it has nothing to do: it sleeps for 10 milliseconds at most while chunks wait */
#define LOOKS_MAX  3000 /* a leak is told after half a minute */

/* What is alive once the thread has come to its end, as far as can be told. */
static int64_t settle(void)
{
    int64_t last = alive;
    for (uint32_t looks = 0, same = 0; looks < LOOKS_MAX && same < LOOKS_SAME; looks++) {
        nanosleep(&LOOK_EVERY, NULL);
        const int64_t now = alive;
        same = now == last ? same + 1 : 0;
        last = now;
    }
    return last;
}

/* Whether no more is alive than was before, at once or soon. */
static bool falls_to(int64_t before, const char *what)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX && alive > before; looks++)
        nanosleep(&LOOK_EVERY, NULL);
    const int64_t kept = alive - before;
    if (kept > 0)
        printf("%lld allocations are kept of %s\n", (long long)kept, what);
    return kept <= 0;
}

static void run_device(void)
{
    struct rig rig;
    rig_init(&rig, NULL);
    run_pipeline(&rig);
    rig_finish(&rig);
}

/* The first ones make what stays: the capture, and lists at their full length. */
static void run_devices(struct rig *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 3; i++)
        run_device();
    const int64_t before = settle();
    CHECK(before > 0); /* the layer is there, and is seen */
    for (uint32_t i = 0; i < 12; i++)
        run_device();
    CHECK(falls_to(before, "12 devices"));
}

static void run_pipelines(struct rig *rig)
{
    for (uint32_t i = 0; i < 20; i++)
        run_pipeline(rig);
    const int64_t before = settle();
    CHECK(before > 0);
    for (uint32_t i = 0; i < 200; i++)
        run_pipeline(rig);
    CHECK(falls_to(before, "200 pipelines"));
}

/* Pipelines of modules that are all different. A module is kept, in case it comes again, but not what was
 * needed to instrument it: that is ten times as much. */
#define MODULES      40
#define MODULE_BYTES 65536 /* of the application's and the instrumented words, and what describes them */

static void run_modules(struct rig *rig)
{
    uint32_t words[4096];
    int64_t before = 0;
    CHECK(rig_count.size <= sizeof(words));
    memcpy(words, rig_count.words, rig_count.size);
    for (uint32_t i = 0; i < MODULES + 1; i++) {
        words[2] = i; /* the generator, which means nothing */
        struct ws_gpu_shader shader = rig_count;
        shader.words = words;
        VkPipeline pipeline = ws_gpu_compute_pipeline(&rig->gpu, &rig->empty, &shader, NULL);
        CHECK(pipeline != VK_NULL_HANDLE);
        vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
        before = i == 0 ? bytes : before;
    }
    if (bytes - before > MODULES * MODULE_BYTES)
        printf("%lld bytes are kept for each module\n", (long long)(bytes - before) / MODULES);
    CHECK(bytes - before <= MODULES * MODULE_BYTES);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "devices", .run = run_devices, .own_rigs = true},
        {.name = "pipelines", .run = run_pipelines},
        {.name = "modules", .run = run_modules},
    };
    const char *library = getenv("WS_TEST_LAYER");
    if (library == NULL || dlopen(library, RTLD_NOW) == NULL || dl_iterate_phdr(find_code, NULL) == 0) {
        printf("no layer: WS_TEST_LAYER must name its library\n");
        return 1;
    }
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
