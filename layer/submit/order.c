#include "layer/submit/order.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/process/lock.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "warpscope/base/array.h"

#define FEW_QUEUES 4

/* What the submission must come after: values of the order semaphores of other queues. */
struct waits {
    VkSemaphore *semaphores;
    uint64_t *values;
    VkPipelineStageFlags *stages;
    uint32_t count;
    bool zeroes; /* all rows are zeroed before it runs */
    /* What the arrays are where there are few queues, as nearly always: this is done for every submission. */
    VkSemaphore few_semaphores[FEW_QUEUES];
    uint64_t few_values[FEW_QUEUES];
    VkPipelineStageFlags few_stages[FEW_QUEUES];
};

static VkSemaphore order_semaphore(struct ws_device *device, struct ws_queue *queue)
{
    const struct ws_queue *queues = device->submissions->queues;
    if (queue->order != VK_NULL_HANDLE || !device->timeline_semaphores || queues == NULL ||
        queues->following == NULL)
        return queue->order;
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    if (device->next.CreateSemaphore(device->handle, &info, NULL, &queue->order) != VK_SUCCESS)
        queue->order = VK_NULL_HANDLE;
    return queue->order;
}

/* Calls `visit` for each list of shaders that the submission runs; stops when it returns true. */
static bool any_shaders(const struct ws_submission *submission,
                        bool (*visit)(void *context, struct ws_shader *const *shaders, uint32_t count),
                        void *context)
{
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        const struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            for (uint32_t k = 0; k < ws_executed_count(&batch->executed[j]); k++) {
                const struct ws_recorded_launch *launch = ws_executed_at(&batch->executed[j], k);
                if (visit(context, launch->shaders, launch->shader_count))
                    return true;
            }
            for (uint32_t k = 0; k < batch->executed[j].late_count; k++) {
                const struct ws_recorded_launch *part = &batch->executed[j].late[k].part;
                if (visit(context, part->shaders, part->shader_count))
                    return true;
            }
        }
    }
    return visit(context, submission->zeroed, submission->zeroed_count);
}

static bool mark_shaders(void *context, struct ws_shader *const *shaders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        shaders[i]->stamp = *(const uint64_t *)context;
    return false;
}

static bool are_marked(void *context, struct ws_shader *const *shaders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (shaders[i]->stamp == *(const uint64_t *)context)
            return true;
    return false;
}

/* Marks the submission's shaders and recordings with a new stamp, and returns it. */
static uint64_t mark(struct ws_device *device, const struct ws_submission *submission)
{
    uint64_t stamp = ++device->submissions->stamp;
    any_shaders(submission, mark_shaders, &stamp);
    for (uint32_t i = 0; i < submission->batch_count; i++)
        for (uint32_t j = 0; j < submission->batches[i].executed_count; j++)
            if (submission->batches[i].executed[j].recording != NULL)
                submission->batches[i].executed[j].recording->stamp = stamp;
    return stamp;
}

/* Whether a pending submission counts in the same rows as the marked one, or copies to the same results: a
 * command buffer may be pending on two queues (VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT). */
static bool shares_rows(const struct ws_submission *pending, uint64_t stamp)
{
    for (uint32_t i = 0; i < pending->batch_count; i++)
        for (uint32_t j = 0; j < pending->batches[i].executed_count; j++)
            if (pending->batches[i].executed[j].recording != NULL &&
                pending->batches[i].executed[j].recording->stamp == stamp)
                return true;
    return any_shaders(pending, are_marked, &stamp);
}

/* One must not append to the stream that the other has open, or that is open until the other closes it. */
static bool shares_stream(const struct ws_submission *pending, const struct ws_submission *submission,
                          bool records)
{
    return pending->appends && submission->appends && (pending->stream != NULL || pending->closes || records);
}

/* Compares the submission with one that is pending on another queue. Raises `*value` to what is to be waited
 * for; or marks what is mixed, if nothing may be waited for (`may_wait` is false, or it might not end). */
static void compare(struct ws_device *device, struct ws_submission *submission, bool records,
                    struct ws_submission *pending, bool may_wait, uint64_t *value, struct waits *waits)
{
    const bool rows = shares_rows(pending, device->submissions->stamp);
    const bool stream = shares_stream(pending, submission, records);
    if (!rows && !stream)
        return;
    if (may_wait && ws_submission_will_finish(device, pending)) {
        if (pending->signal > *value)
            *value = pending->signal;
        /* Without an order semaphore the host waits: for what ends by itself. */
        if (pending->signal > 0 || ws_submission_wait(device, pending))
            return;
    }
    waits->zeroes = waits->zeroes && !(rows && pending->zeroed_count > 0);
    if (rows)
        submission->counts_mixed = pending->counts_mixed = true;
    if (stream)
        submission->records_mixed = pending->records_mixed = true;
}

/* Collects what is to be waited for on all other queues. */
static void collect(struct waits *waits, struct ws_device *device, struct ws_submission *submission,
                    bool records, bool may_wait)
{
    bool marked = false;
    waits->count = 0;
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        uint64_t value = 0;
        for (struct ws_submission *pending = queue->oldest; queue != submission->queue && pending != NULL;
             pending = pending->following) {
            if (ws_submission_has_finished(device, pending))
                continue;
            if (!marked)
                mark(device, submission);
            marked = true;
            compare(device, submission, records, pending, may_wait, &value, waits);
        }
        if (value == 0)
            continue;
        waits->semaphores[waits->count] = queue->order;
        waits->stages[waits->count] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        waits->values[waits->count++] = value;
    }
}

/* A list of shaders under construction. */
struct unzeroed {
    uint64_t number; /* ws_submissions.zeroing */
    struct ws_submission *zeroing;
    uint32_t capacity;
    bool failed;
};

static bool add_unzeroed(void *context, struct ws_shader *const *shaders, uint32_t count)
{
    struct unzeroed *list = context;
    for (uint32_t i = 0; i < count; i++) {
        if (shaders[i]->zeroing == list->number)
            continue;
        if (list->zeroing == NULL)
            list->zeroing = calloc(1, sizeof(*list->zeroing));
        struct ws_submission *zeroing = list->zeroing;
        list->failed = zeroing == NULL;
        if (list->failed)
            return true;
        struct ws_shader **grown = ws_array_grow(zeroing->zeroed, &list->capacity, zeroing->zeroed_count + 1,
                                                 sizeof(struct ws_shader *));
        list->failed = grown == NULL;
        if (list->failed)
            return true;
        zeroing->zeroed = grown;
        grown[zeroing->zeroed_count++] = ws_shader_reference(shaders[i]);
        shaders[i]->zeroing = list->number; /* taken back unless it is submitted */
    }
    return false;
}

static void take_back(struct ws_submission *zeroing)
{
    for (uint32_t i = 0; i < zeroing->zeroed_count; i++)
        zeroing->zeroed[i]->zeroing = 0;
}

static bool record_zeroing(struct ws_device *device, struct ws_submission *zeroing)
{
    VkCommandBuffer commands = ws_submission_begin_commands(device, zeroing);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_shaders_sort(zeroing->zeroed, zeroing->zeroed_count);
    /* Where rows are zeroed again, shaders before this may count in them, and copies read them. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
               VK_ACCESS_TRANSFER_WRITE_BIT);
    struct ws_run run;
    uint32_t index = 0;
    while (ws_uses_next_run(zeroing->zeroed, zeroing->zeroed_count, &index, &run))
        device->next.CmdFillBuffer(commands, run.buffer, run.offset, run.size, 0);
    /* What is submitted later on this queue comes after the zeroes: the second scope of a barrier holds all
     * commands later in submission order, in other submissions too (the specification, "Pipeline Barriers"). */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                   VK_ACCESS_TRANSFER_WRITE_BIT);
    return device->next.EndCommandBuffer(commands) == VK_SUCCESS;
}

/* Makes the submission that zeroes the rows which `submission` is the first to use. True with `*zeroing` NULL
 * if there are none; false without memory. */
static bool make_zeroing(struct ws_device *device, const struct ws_submission *submission,
                         struct ws_submission **zeroing)
{
    struct unzeroed list = {
        .number = device->submissions->zeroing}; /* its submission is made with the first such shader */
    *zeroing = NULL;
    any_shaders(submission, add_unzeroed, &list);
    if (list.zeroing == NULL)
        return !list.failed;
    list.zeroing->queue = submission->queue;
    if (!list.failed && record_zeroing(device, list.zeroing)) {
        *zeroing = list.zeroing;
        return true;
    }
    take_back(list.zeroing);
    ws_submission_destroy(device, list.zeroing);
    return false;
}

/* Submits to a queue: waits, then the command buffers of `submission` if it is one of ours, then the signals
 * of its end. */
static bool submit(struct ws_device *device, struct ws_queue *queue, const struct waits *waits,
                   const struct ws_submission *commands, struct ws_submission *ended)
{
    VkSemaphore semaphore = ended != NULL ? order_semaphore(device, queue) : VK_NULL_HANDLE;
    const uint64_t value = queue->ordered + 1;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = waits != NULL ? waits->count : 0,
        .pWaitSemaphoreValues = waits != NULL ? waits->values : NULL,
        .signalSemaphoreValueCount = semaphore != VK_NULL_HANDLE ? 1 : 0,
        .pSignalSemaphoreValues = &value,
    };
    const bool timeline = values.waitSemaphoreValueCount + values.signalSemaphoreValueCount > 0;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = timeline ? &values : NULL, /* devices without such semaphores do not know the struct */
        .waitSemaphoreCount = values.waitSemaphoreValueCount,
        .pWaitSemaphores = waits != NULL ? waits->semaphores : NULL,
        .pWaitDstStageMask = waits != NULL ? waits->stages : NULL,
        .commandBufferCount = commands != NULL ? commands->command_count : 0,
        .pCommandBuffers = commands != NULL ? commands->commands : NULL,
        .signalSemaphoreCount = values.signalSemaphoreValueCount,
        .pSignalSemaphores = &semaphore,
    };
    const VkFence fence = ended != NULL && ended->fence != NULL ? ended->fence->handle : VK_NULL_HANDLE;
    const bool batch = timeline || info.commandBufferCount > 0;
    if (device->next.QueueSubmit(queue->handle, batch ? 1 : 0, &info, fence) != VK_SUCCESS)
        return false;
    if (semaphore != VK_NULL_HANDLE)
        ended->signal = queue->ordered = value;
    return true;
}

/* Submits the waits and the zeroing, which then belongs to its queue. */
static bool submit_beginning(struct ws_device *device, struct ws_queue *queue, const struct waits *waits,
                             struct ws_submission *zeroing)
{
    if (zeroing == NULL)
        return waits->count == 0 || submit(device, queue, waits, NULL, NULL);
    zeroing->fence = ws_fence_take(device);
    if (!submit(device, queue, waits, zeroing, zeroing)) {
        take_back(zeroing);
        ws_submission_destroy(device, zeroing);
        return false;
    }
    zeroing->sequence = device->submissions->sequence++; /* before what it is made for */
    ws_submissions_add(device, zeroing);
    return true;
}

static bool waits_init(struct waits *waits, const struct ws_device *device)
{
    size_t count = 1;
    for (const struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following)
        count++;
    const bool few = count <= FEW_QUEUES;
    waits->semaphores = few ? waits->few_semaphores : calloc(count, sizeof(VkSemaphore));
    waits->values = few ? waits->few_values : calloc(count, sizeof(*waits->values));
    waits->stages = few ? waits->few_stages : calloc(count, sizeof(*waits->stages));
    waits->count = 0;
    waits->zeroes = true;
    return waits->semaphores != NULL && waits->values != NULL && waits->stages != NULL;
}

static void waits_finish(struct waits *waits)
{
    if (waits->semaphores == waits->few_semaphores)
        return;
    free(waits->semaphores);
    free(waits->values);
    free(waits->stages);
}

static bool submit_closing(struct ws_device *device, struct ws_submission *closing)
{
    struct waits waits;
    VkCommandBuffer commands = ws_submission_begin_commands(device, closing);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_stream_close(device, commands, device->submissions->ring.left_open);
    if (device->next.EndCommandBuffer(commands) != VK_SUCCESS)
        return false;
    closing->fence = ws_fence_take(device);
    const bool room = waits_init(&waits, device);
    collect(&waits, device, closing, false, room);
    const bool submitted = room && submit(device, closing->queue, &waits, closing, closing);
    if (submitted && waits.count > 0)
        ws_say_ordered(device);
    waits_finish(&waits);
    return submitted;
}

/* It has a submission of its own, which counts as one that reads the control block: it writes to it. */
bool ws_order_close_stream(struct ws_device *device, struct ws_queue *queue)
{
    struct ws_submission *closing = calloc(1, sizeof(*closing));
    if (closing == NULL)
        return false;
    closing->queue = queue;
    closing->appends = closing->closes = true;
    if (!submit_closing(device, closing)) {
        ws_submission_destroy(device, closing);
        return false;
    }
    closing->sequence = device->submissions->sequence++; /* before what it is made for */
    ws_submissions_add(device, closing);
    return true;
}

/* Whether a submission has finished, as far as the thread that watches can tell without waiting. */
static bool is_over(void *user)
{
    struct ws_submission *submission = user;
    struct ws_device *device = submission->queue->device;
    if (!ws_try_lock(&device->submissions->lock))
        return false;
    const bool over = ws_submission_has_finished(device, submission);
    ws_unlock(&device->submissions->lock);
    return over;
}

/* Drivers may compile shaders when they first run. */
static void watch(struct ws_device *device, struct ws_submission *submission,
                  const struct ws_submission *zeroing)
{
    uint32_t sites;
    char *shaders = ws_shaders_describe(zeroing->zeroed, zeroing->zeroed_count, &sites);
    submission->watched = (struct ws_watched){
        .what = "a submission that is the first to run some shaders",
        .runs = true,
        .shaders = shaders,
        .sites = sites,
        .is_over = is_over,
        .user = submission,
    };
    ws_watch_begin(device->instance->watch, &submission->watched);
}

bool ws_order_begin(struct ws_device *device, struct ws_submission *submission, bool records)
{
    struct waits waits;
    struct ws_submission *zeroing = NULL;
    const bool room = waits_init(&waits, device);
    const bool made = room && make_zeroing(device, submission, &zeroing);
    if (zeroing != NULL && device->instance->watch != NULL)
        watch(device, submission, zeroing);
    collect(&waits, device, submission, records, room);
    const bool ordered = waits.count > 0;
    const bool submitted = room && submit_beginning(device, submission->queue, &waits, zeroing);
    if (submitted && ordered)
        ws_say_ordered(device);
    if (!submitted && ordered)
        collect(&waits, device, submission, records, false);
    const bool zeroes = made && submitted && waits.zeroes;
    waits_finish(&waits);
    return zeroes;
}

bool ws_order_signals(struct ws_device *device, struct ws_submission *submission)
{
    return order_semaphore(device, submission->queue) != VK_NULL_HANDLE;
}

bool ws_order_end(struct ws_device *device, struct ws_submission *submission)
{
    return submit(device, submission->queue, NULL, NULL, submission);
}
