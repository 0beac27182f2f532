#include "layer/submit/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

#define PRUNE_MIN 32

void ws_timelines_finish(struct ws_timelines *timelines)
{
    for (uint32_t i = 0; i < timelines->count; i++)
        free(timelines->batches[i].values);
    free(timelines->batches);
    *timelines = (struct ws_timelines){0};
}

void ws_timelines_add(struct ws_timelines *timelines, const void *queue, uint64_t sequence, bool open,
                      const struct ws_semaphore_value *waits, uint32_t wait_count,
                      const struct ws_semaphore_value *signals, uint32_t signal_count)
{
    struct ws_timeline_batch *batches =
        ws_array_grow(timelines->batches, &timelines->capacity, timelines->count + 1, sizeof(*batches));
    struct ws_semaphore_value *values = calloc((size_t)wait_count + signal_count + 1, sizeof(*values));
    if (batches != NULL)
        timelines->batches = batches;
    if (batches == NULL || values == NULL) {
        timelines->incomplete = true;
        free(values);
        return;
    }
    if (wait_count > 0)
        memcpy(values, waits, wait_count * sizeof(*values));
    if (signal_count > 0)
        memcpy(values + wait_count, signals, signal_count * sizeof(*values));
    batches[timelines->count++] = (struct ws_timeline_batch){
        .queue = queue,
        .sequence = sequence,
        .values = values,
        .wait_count = wait_count,
        .signal_count = signal_count,
        .open = open,
    };
    timelines->open += open ? 1 : 0;
}

void ws_timelines_end(struct ws_timelines *timelines, const void *queue, uint64_t sequence)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < timelines->count; i++) {
        struct ws_timeline_batch *batch = &timelines->batches[i];
        if (batch->queue != queue || batch->sequence > sequence) {
            timelines->batches[kept++] = *batch;
            continue;
        }
        timelines->open -= batch->open ? 1 : 0;
        free(batch->values);
    }
    timelines->count = kept;
}

/* A binary semaphore is signalled for sure once no batch is open: whatever signals it is submitted. */
static bool is_reached(const struct ws_timelines *timelines, const struct ws_semaphore_value *value,
                       const struct ws_timeline_clock *clock)
{
    return value->value == WS_BINARY ? timelines->open == 0
                                     : clock->reached(clock->context, value->semaphore, value->value);
}

static void forget(struct ws_timeline_batch *batch, VkSemaphore semaphore)
{
    uint32_t kept = 0;
    uint32_t kept_waits = 0;
    for (uint32_t i = 0; i < batch->wait_count + batch->signal_count; i++) {
        if (batch->values[i].semaphore == semaphore)
            continue;
        kept_waits += i < batch->wait_count ? 1 : 0;
        batch->values[kept++] = batch->values[i];
    }
    batch->wait_count = kept_waits;
    batch->signal_count = kept - kept_waits;
}

void ws_timelines_forget(struct ws_timelines *timelines, VkSemaphore semaphore)
{
    for (uint32_t i = 0; i < timelines->count; i++)
        forget(&timelines->batches[i], semaphore);
}

static bool signals(const struct ws_timeline_batch *batch, const struct ws_semaphore_value *wanted)
{
    for (uint32_t i = 0; i < batch->signal_count; i++) {
        const struct ws_semaphore_value *signal = &batch->values[batch->wait_count + i];
        if (signal->semaphore == wanted->semaphore && signal->value >= wanted->value)
            return true;
    }
    return false;
}

/* Whether what batch `index` waits for is sure to be signalled. A value of a timeline semaphore needs a batch
 * that is sure to run and signals at least this value. A binary semaphore's signal was submitted earlier, so
 * it is sure unless one of the earlier batches that signal it is not sure to run. */
static bool will_be_signalled(const struct ws_timelines *timelines, uint32_t index,
                              const struct ws_semaphore_value *wanted)
{
    const bool binary = wanted->value == WS_BINARY;
    const uint32_t count = binary ? index : timelines->count;
    for (uint32_t i = 0; i < count; i++)
        if (timelines->batches[i].released != binary && signals(&timelines->batches[i], wanted))
            return !binary;
    return binary;
}

/* Whether a batch is sure to run: each value that it waits for has been reached, or is signalled by a batch
 * that is sure to run. A semaphore that a batch waits for also holds up all that is later in submission order
 * on its queue (the specification, "Semaphore Waiting"), so all batches before it on the queue must be sure
 * to run too. */
static bool can_run(const struct ws_timelines *timelines, uint32_t index,
                    const struct ws_timeline_clock *clock)
{
    const struct ws_timeline_batch *batch = &timelines->batches[index];
    if (batch->open)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (timelines->batches[i].queue == batch->queue && !timelines->batches[i].released)
            return false;
    for (uint32_t i = 0; i < batch->wait_count; i++) {
        const struct ws_semaphore_value *wait = &batch->values[i];
        if (!is_reached(timelines, wait, clock) && !will_be_signalled(timelines, index, wait))
            return false;
    }
    return true;
}

/* Finds all batches that are sure to run. One may signal what others wait for. So begin with none, and add what
 * follows until nothing does: batches that wait for each other in a circle are never added. */
static void release(struct ws_timelines *timelines, const struct ws_timeline_clock *clock)
{
    for (uint32_t i = 0; i < timelines->count; i++)
        timelines->batches[i].released = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < timelines->count; i++)
            if (!timelines->batches[i].released && can_run(timelines, i, clock))
                timelines->batches[i].released = changed = true;
    }
}

bool ws_timelines_will_finish(struct ws_timelines *timelines, const void *queue, uint64_t sequence,
                              const struct ws_timeline_clock *clock)
{
    if (timelines->incomplete)
        return false;
    release(timelines, clock);
    for (uint32_t i = 0; i < timelines->count; i++) {
        const struct ws_timeline_batch *batch = &timelines->batches[i];
        if (batch->queue == queue && batch->sequence <= sequence && !batch->released)
            return false;
    }
    return true;
}

/* Whether somebody may still ask for a value that the batch signals. Of a binary semaphore nobody does: it is
 * sure if no batch that is not sure signals it. */
static bool is_asked_for(const struct ws_timeline_batch *batch, const struct ws_timeline_clock *clock)
{
    for (uint32_t i = 0; i < batch->signal_count; i++) {
        const struct ws_semaphore_value *signal = &batch->values[batch->wait_count + i];
        if (signal->value != WS_BINARY && !clock->reached(clock->context, signal->semaphore, signal->value))
            return true;
    }
    return false;
}

void ws_timelines_prune(struct ws_timelines *timelines, const struct ws_timeline_clock *clock)
{
    uint32_t kept = 0;
    release(timelines, clock);
    for (uint32_t i = 0; i < timelines->count; i++)
        if (timelines->batches[i].released && !is_asked_for(&timelines->batches[i], clock))
            free(timelines->batches[i].values);
        else
            timelines->batches[kept++] = timelines->batches[i];
    timelines->count = kept;
}

void ws_timelines_prune_sometimes(struct ws_timelines *timelines, const struct ws_timeline_clock *clock)
{
    if (timelines->count <= timelines->prune_at)
        return;
    ws_timelines_prune(timelines, clock);
    timelines->prune_at = 2 * timelines->count + PRUNE_MIN;
}
