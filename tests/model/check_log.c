/* Random programs that write down themselves, on the device, which lanes are in which block: what the model's
 * interpreter says, thread by thread. Warpscope has no part in it.
 *
 * In compute shaders the lanes are compared too, on Mesa's software device, where the warps of a workgroup
 * are its threads in order. Of rays and fragments Vulkan leaves open who runs together; there the ways of
 * the threads are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/device.h"
#include "tests/model/run/interpret.h"

#define LOG_WORDS  (1u << 22)
#define EVENTS_MAX 20000

struct check {
    struct model_device device;
    struct model_program program;
    struct model_run run;
    uint32_t next[MODEL_THREADS]; /* per thread: entry of the log that is next, by an index in `order` */
    uint32_t *order;              /* entries of the log by thread, in order */
    bool lanes;                   /* lanes are compared */
    uint32_t checked;
    uint32_t too_long;
};

static const uint32_t *entry_at(const struct check *check, uint32_t index)
{
    return (const uint32_t *)check->device.log.data + 4 + 4 * (size_t)check->order[index];
}

/* Sorts the log's entries by thread. */
static bool sort_log(struct check *check)
{
    const uint32_t *log = check->device.log.data;
    const uint32_t count = log[0] / 4;
    uint32_t counts[MODEL_THREADS + 1] = {0};
    if (log[0] + 4 > LOG_WORDS) {
        printf("the log is too small: %u words\n", log[0]);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t thread = log[4 + 4 * (size_t)i];
        if (thread >= MODEL_THREADS) {
            printf("there is no thread %u\n", thread);
            return false;
        }
        counts[thread + 1]++;
    }
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        counts[t + 1] += counts[t];
        check->next[t] = counts[t];
    }
    for (uint32_t i = 0; i < count; i++)
        check->order[check->next[log[4 + 4 * (size_t)i]]++] = i;
    memcpy(check->next, counts, sizeof(check->next));
    return true;
}

/* The number of a thread within its workgroup, and of that. */
static uint32_t local_index(const struct model_program *program, uint32_t thread, uint32_t *group)
{
    const uint32_t x = thread % program->size[0];
    const uint32_t y = thread / program->size[0] % program->size[1];
    const uint32_t z = thread / program->size[0] / program->size[1];
    const uint32_t *size = program->group;
    const uint32_t columns = program->size[0] / size[0], rows = program->size[1] / size[1];
    *group = (z / size[2] * rows + y / size[1]) * columns + x / size[0];
    return (z % size[2] * size[1] + y % size[1]) * size[0] + x % size[0];
}

/* Which lanes of the thread's warp are in the set. */
static uint32_t lanes_of(const struct check *check, const struct model_set *set, uint32_t thread)
{
    const uint32_t size = check->device.gpu.subgroup_size;
    uint32_t group, other, lanes = 0;
    const uint32_t local = local_index(&check->program, thread, &group);
    for (uint32_t t = 0; t < model_program_threads(&check->program); t++) {
        const uint32_t index = local_index(&check->program, t, &other);
        if (model_set_has(set, t) && other == group && index / size == local / size)
            lanes |= 1u << (index % size);
    }
    return lanes;
}

/* Whether a block begins, and not a later part of one: a program logs at the beginning of its blocks only. */
static bool begins_block(const struct model_event *event)
{
    return event->kind == MODEL_EVENT_BLOCK && event->action == 0;
}

/* A thread's way, expected and found. */
static void show(const struct check *check, uint32_t thread, const uint32_t ends[])
{
    const uint32_t first = thread > 0 ? ends[thread - 1] : 0;
    printf("expected:");
    for (uint32_t i = 0; i < check->run.event_count; i++) {
        const struct model_event *event = &check->run.events[i];
        if (begins_block(event) && model_set_has(&event->set, thread))
            printf(" %u:%u", check->run.executions[event->execution].shader, event->block);
    }
    printf("\nfound:   ");
    for (uint32_t i = first; i < ends[thread]; i++)
        printf(" %u:%u", entry_at(check, i)[1] >> 16, entry_at(check, i)[1] & 0xffff);
    printf("\n");
}

static bool compare_event(struct check *check, const struct model_event *event, const uint32_t ends[])
{
    const uint32_t expected = check->run.executions[event->execution].shader << 16 | event->block;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (!model_set_has(&event->set, t))
            continue;
        const uint32_t *entry = check->next[t] < ends[t] ? entry_at(check, check->next[t]) : NULL;
        check->next[t]++;
        if (entry == NULL || entry[1] != expected) {
            printf("thread %u: shader %u block %u expected, there is shader %d block %d\n", t, expected >> 16,
                   event->block, entry != NULL ? (int)(entry[1] >> 16) : -1,
                   entry != NULL ? (int)(entry[1] & 0xffff) : -1);
            show(check, t, ends);
            return false;
        }
        const uint32_t lanes = check->lanes ? lanes_of(check, &event->set, t) : entry[2];
        if (entry[2] != lanes) {
            printf("thread %u: shader %u block %u: lanes 0x%x expected, there are 0x%x\n", t, expected >> 16,
                   event->block, lanes, entry[2]);
            return false;
        }
    }
    return true;
}

static bool compare(struct check *check)
{
    uint32_t ends[MODEL_THREADS];
    if (!sort_log(check))
        return false;
    const uint32_t total = *(const uint32_t *)check->device.log.data / 4;
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        ends[t] = t + 1 < MODEL_THREADS ? check->next[t + 1] : total;
    for (uint32_t i = 0; i < check->run.event_count; i++) {
        const struct model_event *event = &check->run.events[i];
        if (begins_block(event) && !compare_event(check, event, ends))
            return false;
    }
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        if (check->next[t] != ends[t]) {
            printf("thread %u: goes on to shader %u block %u\n", t, entry_at(check, check->next[t])[1] >> 16,
                   entry_at(check, check->next[t])[1] & 0xffff);
            return false;
        }
    }
    return true;
}

static bool check_program(struct check *check, uint64_t seed, enum ws_stage stage)
{
    struct ws_error error = {0};
    const struct model_options options = {.seed = seed, .events_max = EVENTS_MAX, .cases_meet = true};
    model_program_make(&check->program, seed, stage, MODEL_THREADS, stage != WS_STAGE_RAYGEN && seed % 4 == 0,
                       MODEL_OBJECTS_NONE);
    model_interpret(&check->program, &options, &check->run);
    check->lanes = stage == WS_STAGE_COMPUTE;
    if (check->run.too_long) {
        check->too_long++;
        return true;
    }
    check->checked++;
    if (!model_device_run(&check->device, &check->program, true, "model", &error)) {
        printf("seed %" PRIu64 ": %s\n", seed, error.message);
        return false;
    }
    if (!compare(check)) {
        model_program_print(&check->program);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct check check;
    struct ws_error error = {0};
    static const enum ws_stage stages[] = {WS_STAGE_COMPUTE, WS_STAGE_RAYGEN, WS_STAGE_FRAGMENT};
    uint64_t counts[] = {10, 6, 8};
    for (int i = 0; i < 3 && argc > i + 1; i++)
        counts[i] = strtoull(argv[i + 1], NULL, 10);
    const uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    bool passed = true;
    switch (model_device_init(&check.device, "model log", LOG_WORDS, &error)) {
    case WS_GPU_READY: break;
    case WS_GPU_UNFIT: printf("%s\n", error.message); return 77;
    default: printf("%s\n", error.message); return 1;
    }
    check.order = malloc(LOG_WORDS);
    for (uint32_t stage = 0; stage < 3; stage++)
        for (uint64_t i = 0; i < counts[stage] && passed && check.order != NULL; i++)
            passed = check_program(&check, first + i, stages[stage]);
    printf("%u programs, %u more were too long\n", check.checked, check.too_long);
    model_run_finish(&check.run);
    free(check.order);
    model_device_finish(&check.device);
    return passed && check.checked > 0 ? 0 : 1;
}
