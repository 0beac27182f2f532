#include "layer/submit/plan.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/command_buffer.h"
#include "layer/commands/execution_set.h"
#include "layer/commands/launch.h"
#include "layer/commands/stream_control.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/selection.h"
#include "layer/memory/control_block.h"
#include "layer/submit/bound.h"
#include "layer/submit/command_source.h"
#include "layer/submit/picture.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"
#include "layer/submit/submit_request.h"
#include "warpscope/instrument.h"

/* A batch while it is planned. */
struct planning {
    struct ws_device *device;
    struct ws_submission *submission;
    struct ws_batch *batch;
    struct ws_batch_plan *plan;
    bool in_place;        /* results may be read in place */
    VkDeviceSize *size;   /* bytes of the submission's results so far */
    uint32_t since;       /* the first of batch->executed that no copy of ours covers yet */
    bool wanted;          /* the settings' frames and trigger ask for this batch */
    bool records;         /* something in this batch has records that are wanted */
    bool late_copies;     /* something in it needs late copies */
    bool *gap;            /* launches that are not known ran since the latest of the submission's executed */
    bool suspended;       /* between the parts of a suspended rendering */
    struct ws_uses parts; /* what its parts used so far */
    struct ws_launch_command command;
    const char *label; /* of its first part; NULL = there is none yet */
};

static uint64_t launches_of(const struct ws_recording *recording)
{
    return recording->launch_count + recording->lost + (recording->carries ? 1 : 0);
}

static const struct ws_command_buffer *command_buffer(const struct ws_submit_request *request, uint32_t batch,
                                                      uint32_t index)
{
    return ws_command_buffer_of(ws_request_command(request, batch, index));
}

/* Adds `count` launches that are executed one after the other, gives them their indices, and reserves
 * readback memory for their results if these are kept. */
static struct ws_executed *add_executed(struct planning *planning, uint32_t count, VkDeviceSize size,
                                        bool records, bool always, const char *name)
{
    struct ws_device *device = planning->device;
    const struct ws_range *range = &device->settings->launches;
    struct ws_executed *executed = &planning->batch->executed[planning->batch->executed_count++];
    executed->first = atomic_fetch_add(&device->capture->launches, count);
    if (planning->wanted)
        executed->selected = ws_range_overlap(range, executed->first, count);
    if (executed->selected > 0)
        ws_picture_want(device, planning->batch->frame);
    atomic_fetch_add(&device->capture->outside, count - executed->selected);
    /* Before the last wanted launch, results that are not wanted are needed too: the snapshot of a launch
     * tells where the records of the next one begin, and builds tell what a later wanted launch traces. */
    executed->kept =
        executed->selected > 0 || (executed->first <= range->last &&
                                   ((planning->wanted && records) ||
                                    (always && planning->batch->frame <= device->settings->frames.last)));
    executed->after_gap = *planning->gap && count > 0;
    *planning->gap = *planning->gap && count == 0;
    planning->records = planning->records || (executed->selected > 0 && records);
    executed->position = *planning->size = (*planning->size + 7) / 8 * 8; /* for values of queries */
    if (executed->kept)
        *planning->size += size;
    executed->command_buffer = name != NULL ? strdup(name) : NULL;
    return executed;
}

/* What clears rows always needs one, whether its counts are wanted or not: else they would be added to those of the next
 * launch. */
static bool needs_step(const struct ws_executed *executed)
{
    return ws_executed_clears_rows(executed) ||
           (executed->kept && !executed->in_place && ws_recording_results_size(executed->recording) > 0);
}

/* Plans a copy of ours after what was planned so far, if anything needs it. The new mark says that results
 * of command buffers from here on are in none of the copies before. */
static void add_our_step(struct planning *planning)
{
    const uint32_t count = planning->batch->executed_count - planning->since;
    bool needed = false;
    for (uint32_t i = 0; i < count; i++)
        needed = needed || needs_step(&planning->batch->executed[planning->since + i]);
    if (needed) {
        planning->plan->steps[planning->plan->step_count++] =
            (struct ws_step){.source = WS_NONE, .first = planning->since, .count = count};
        planning->plan->changed = true;
    }
    planning->since = planning->batch->executed_count;
    planning->device->submissions->mark++;
}

/* A rendering may be suspended in one command buffer and resumed in another (VK_RENDERING_SUSPENDING_BIT).
 * All parts together are one launch, which only the submission sees whole. */
static void add_suspended_part(struct planning *planning, const struct ws_recorded_launch *part)
{
    ws_uses_add(&planning->parts, part->pipelines, part->pipeline_count, part->shaders, part->shader_count);
    ws_execution_sets_use_now(planning->device, part->sets, part->set_count, &planning->parts);
    ws_uses_add_states(&planning->parts, part->states, part->state_count);
    if (planning->label == NULL) {
        planning->label = part->label;
        planning->command = part->command;
    } else {
        planning->command.draws += part->command.draws;
    }
}

static void end_suspended_rendering(struct planning *planning)
{
    if (planning->label == NULL)
        return;
    ws_uses_settle(&planning->parts);
    const bool appends =
        planning->parts.failed || ws_uses_record(planning->parts.shaders, planning->parts.shader_count);
    const VkDeviceSize size = ws_launch_size(planning->parts.shaders, planning->parts.shader_count);
    struct ws_recorded_launch rendering;
    if (ws_recorded_launch_init(&rendering, &planning->command, &planning->parts, planning->label, "")) {
        rendering.time = (struct ws_recorded_time){.wanted = planning->device->settings->times,
                                                   .state = WS_TIME_SUSPENDED};
        add_executed(planning, 1, size, rendering.records, false, NULL)->rendering = rendering;
    } else {
        ws_lose_launches(planning->device, 1, "out of memory");
        planning->device->submissions->left_counts = true;
        planning->submission->strays |= appends;
        *planning->gap = true;
    }
    planning->submission->appends |= appends;
    planning->label = NULL;
    ws_uses_clear(&planning->parts);
    add_our_step(planning);
}

static void stamp_shaders(const struct ws_recorded_launch *launch, uint64_t stamp)
{
    for (uint32_t i = 0; i < launch->shader_count; i++)
        launch->shaders[i]->stamp = stamp;
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Takes from `uses` the pipelines of the launch, which are sorted, and the shaders with the stamp. */
static void subtract(struct ws_uses *uses, const struct ws_recorded_launch *launch, uint64_t stamp)
{
    uint32_t pipelines = 0;
    uint32_t shaders = 0;
    for (uint32_t i = 0; i < uses->pipeline_count; i++)
        if (bsearch(&uses->pipelines[i], launch->pipelines, launch->pipeline_count, sizeof(uint32_t),
                    compare_ids) == NULL)
            uses->pipelines[pipelines++] = uses->pipelines[i];
    for (uint32_t i = 0; i < uses->shader_count; i++)
        if (uses->shaders[i]->stamp != stamp)
            uses->shaders[shaders++] = uses->shaders[i];
    uses->pipeline_count = pipelines;
    uses->shader_count = shaders;
}

/* Adds to `executed` what launch `index` may run of what came late into its execution sets. Shaders with the stamp are
 * left out: their rows are taken by this launch's own copy, or by a later one. False without memory. */
static bool add_late_part(struct planning *planning, struct ws_executed *executed, uint32_t index,
                          uint64_t stamp, struct ws_uses *uses)
{
    const struct ws_recorded_launch *launch = &executed->recording->launches[index];
    ws_uses_clear(uses);
    ws_execution_sets_use_now(planning->device, launch->sets, launch->set_count, uses);
    ws_uses_settle(uses);
    subtract(uses, launch, stamp);
    if (uses->failed)
        return false;
    if (uses->pipeline_count == 0 && uses->shader_count == 0)
        return true;
    struct ws_late_part *late = realloc(executed->late, (executed->late_count + (size_t)1) * sizeof(*late));
    if (late == NULL)
        return false;
    executed->late = late;
    late[executed->late_count] = (struct ws_late_part){.launch = index};
    if (!ws_recorded_launch_init(&late[executed->late_count].part, &launch->command, uses, "", ""))
        return false;
    stamp_shaders(&late[executed->late_count++].part, stamp);
    return true;
}

/* From the last launch on, so that each shader's rows are taken by the last that may run it. Without memory the counts of
 * the command buffer mean nothing. */
static void add_late_parts(struct planning *planning, struct ws_executed *executed)
{
    const uint64_t stamp = ++planning->device->submissions->stamp;
    struct ws_uses uses = {0};
    for (uint32_t i = executed->recording->launch_count; i-- > 0;) {
        const struct ws_recorded_launch *launch = &executed->recording->launches[i];
        stamp_shaders(launch, stamp);
        if (launch->set_count > 0 && !add_late_part(planning, executed, i, stamp, &uses))
            planning->device->submissions->left_counts = executed->lost = true;
    }
    ws_uses_finish(&uses);
    for (uint32_t i = 0; i < executed->late_count; i++) {
        struct ws_recorded_launch *part = &executed->late[i].part;
        part->position = *planning->size - executed->position;
        if (executed->kept)
            *planning->size += (ws_launch_size(part->shaders, part->shader_count) + 7) / 8 * 8;
    }
}

/* What a command buffer that is executed leaves. Read in place, its results take no readback memory. */
static struct ws_executed *add_command_buffer(struct planning *planning,
                                              const struct ws_command_buffer *commands)
{
    struct ws_recording *recording = commands->recording;
    const bool in_place = planning->in_place && recording->in_place;
    struct ws_executed *executed =
        add_executed(planning, recording->launch_count, in_place ? 0 : ws_recording_results_size(recording),
                     recording->records, recording->always, commands->name);
    executed->recording = ws_recording_reference(recording);
    executed->in_place = in_place && executed->kept;
    if (executed->in_place) {
        recording->unread = executed;
        recording->unread_in = planning->submission;
        planning->submission->in_place_size += recording->size;
    }
    return executed;
}

/* Each execution of a command buffer overwrites the results of the one before. So where a command buffer
 * comes again before its results were copied (the same mark), a copy is put in front. */
static void plan_command_buffer(struct planning *planning, const struct ws_command_buffer *commands,
                                uint32_t source)
{
    struct ws_submissions *submissions = planning->device->submissions;
    struct ws_recording *recording = commands->recording;
    bool late = false;
    const bool copied = recording != NULL && ws_recording_results_size(recording) > 0;
    if (copied && recording->mark == submissions->mark && !planning->suspended)
        add_our_step(planning);
    planning->plan->steps[planning->plan->step_count++] =
        (struct ws_step){.commands = commands->handle, .source = source};
    if (recording == NULL) {
        *planning->gap = true;
        return;
    }

    ws_lose_launches(planning->device, recording->lost, "out of memory while commands were recorded");
    if (recording->launch_count > 0 || recording->readback_count > 0) {
        struct ws_executed *executed = add_command_buffer(planning, commands);
        if (recording->chooses)
            add_late_parts(planning, executed);
        late = executed->late_count > 0;
        planning->late_copies = planning->late_copies || (executed->kept && recording->late_copies);
        /* Both executions stand between the parts of a suspended rendering, where no copy may. The second
         * overwrites the results of the first before they are copied, so one of the two is lost. */
        if (copied && recording->mark == submissions->mark)
            executed->lost = true;
        recording->mark = submissions->mark;
    }
    if (recording->carries)
        add_suspended_part(planning, &recording->carried);
    if (recording->suspends) {
        planning->suspended = true;
    } else if (recording->resumes) {
        planning->suspended = false;
        end_suspended_rendering(planning);
    }
    /* What follows may run the same shaders. */
    if (late && !planning->suspended && planning->since < planning->batch->executed_count)
        add_our_step(planning);
}

/* How much a batch, or a request, executes. */
struct work {
    uint64_t uncovered; /* launches that are not instrumented ... */
    const char *reason; /* ... and why */
    uint64_t launches;
    uint64_t readbacks; /* of geometry */
    uint64_t images;
    bool carries; /* a suspended rendering */
};

static void add_work(struct work *work, const struct ws_submit_request *request, uint32_t batch)
{
    for (uint32_t i = 0; i < ws_request_command_count(request, batch); i++) {
        const struct ws_recording *recording = command_buffer(request, batch, i)->recording;
        if (recording != NULL && recording->uncovered > 0) {
            work->uncovered += recording->uncovered;
            work->reason = recording->uncovered_reason;
        }
        work->launches += recording != NULL ? launches_of(recording) : 0;
        work->carries = work->carries || (recording != NULL && recording->carries);
        const uint32_t images = recording != NULL ? ws_recording_count_images(recording) : 0;
        work->images += images;
        work->readbacks += recording != NULL ? recording->readback_count - images : 0;
    }
}

static void lose(struct ws_device *device, const struct work *work, const char *reason)
{
    ws_lose_launches(device, work->launches, reason);
    ws_lose_geometry(device, WS_NONE, work->readbacks, reason);
    ws_lose_images(device, work->images, reason);
}

/* Batch `index` has records that are wanted, and so far is the last: the stream is open from the first to it.
 */
static void note_records(struct ws_submit_plan *plan, uint32_t index)
{
    bool first = true;
    for (uint32_t i = 0; i < index; i++) {
        first = first && !plan->batches[i].opens;
        plan->batches[i].closes = false;
    }
    plan->batches[index].opens = first;
    plan->batches[index].closes = true;
    if (first)
        plan->submission->stream_first = index;
    plan->records = true;
}

static void plan_batch(struct ws_submit_plan *plan, struct ws_device *device,
                       const struct ws_submit_request *request, uint32_t index, VkDeviceSize *size, bool *gap)
{
    const uint32_t count = ws_request_command_count(request, index);
    struct ws_batch *batch = &plan->submission->batches[index];
    batch->index = atomic_fetch_add(&device->capture->submissions, 1);
    batch->frame = atomic_load(&device->capture->frames);
    *gap = *gap && plan->records; /* before the stream is opened nothing is appended */
    const char *reason = ws_request_unsupported(request, index);
    if (reason != NULL) {
        struct work work = {0};
        add_work(&work, request, index);
        lose(device, &work, reason);
        *gap = true;
        return;
    }
    const char *label = ws_labels_text(&plan->submission->queue->labels);
    struct planning planning = {
        .device = device,
        .submission = plan->submission,
        .batch = batch,
        .plan = &plan->batches[index],
        .size = size,
        .gap = gap,
        .wanted = ws_selection_open(device->settings, batch->frame),
        .in_place = plan->in_place,
    };
    batch->label = label[0] != '\0' ? strdup(label) : NULL;
    device->submissions->mark++;
    for (uint32_t i = 0; i < count; i++)
        plan_command_buffer(&planning, command_buffer(request, index, i), i);
    end_suspended_rendering(&planning);
    add_our_step(&planning);
    ws_uses_finish(&planning.parts);
    if (planning.records)
        note_records(plan, index);
    plan->submission->late_copies = plan->submission->late_copies || planning.late_copies;
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const struct ws_recording *recording = batch->executed[i].recording;
        plan->submission->appends |= recording != NULL && (recording->records || recording->chooses);
    }
    ws_bound_write(device, batch);
}

/* Whether anything of the submission will be written. */
static bool is_chosen(const struct ws_submission *submission)
{
    for (uint32_t i = 0; i < submission->batch_count; i++)
        for (uint32_t j = 0; j < submission->batches[i].executed_count; j++)
            if (submission->batches[i].executed[j].kept)
                return true;
    return false;
}

static void *take(char **at, size_t count, size_t size)
{
    void *taken = *at;
    *at += (count * size + 7) / 8 * 8;
    return taken;
}

/* Makes the submission, with room for all lists of it and of its plan in one piece of memory, for this is done for every
 * submission; not by calloc, which takes none from what the thread freed. A batch has at most a step of ours before and after
 * each command buffer, and one at the end; and of executed ones each command buffer, and with `carries` a suspended rendering
 * that ends with it. */
static bool allocate(struct ws_submit_plan *plan, struct ws_device *device, struct ws_queue *queue,
                     const struct ws_submit_request *request, bool carries)
{
    const size_t count = request->count;
    const size_t executed = carries ? 2 : 1; /* for each command buffer */
    size_t commands = 0;
    for (uint32_t i = 0; i < count; i++)
        commands += ws_request_command_count(request, i);
    const size_t size = sizeof(struct ws_submission) +
                        count * (sizeof(struct ws_batch) + sizeof(struct ws_batch_plan)) +
                        executed * commands * sizeof(struct ws_executed) +
                        (3 * commands + count) * sizeof(struct ws_step) + 8 * (2 * count + 3);
    struct ws_submission *submission = malloc(size);
    if (submission == NULL)
        return false;
    char *at = memset(submission, 0, size);
    take(&at, 1, sizeof(*submission));
    submission->batches = take(&at, count, sizeof(*submission->batches));
    plan->batches = take(&at, count, sizeof(*plan->batches));
    for (uint32_t i = 0; i < count; i++) {
        const size_t each = ws_request_command_count(request, i);
        submission->batches[i].executed = take(&at, executed * each, sizeof(struct ws_executed));
        plan->batches[i].steps = take(&at, 3 * each + 1, sizeof(struct ws_step));
    }
    submission->batch_count = plan->batch_count = request->count;
    submission->queue = queue;
    submission->awaited = true;
    atomic_fetch_add(&device->capture->awaited, 1);
    plan->submission = submission;
    return true;
}

/* Readback memory for the results. */
static void allocate_readback(struct ws_submit_plan *plan, struct ws_device *device, VkDeviceSize size)
{
    struct ws_submission *submission = plan->submission;
    if (size == 0)
        return;
    if (size <= WS_READBACK_LIMIT && ws_heap_allocate(device->readback, size, &submission->readback, NULL))
        return;
    for (uint32_t i = 0; i < submission->batch_count; i++)
        for (uint32_t j = 0; j < submission->batches[i].executed_count; j++)
            if (!submission->batches[i].executed[j].in_place)
                submission->batches[i].executed[j].lost = true;
}

/* Whether a command buffer comes twice, which only one that is for simultaneous use may. With one that is not, the second
 * execution would overwrite what is read in place: then all results are copied. */
static bool any_again(struct ws_device *device, const struct ws_submit_request *request)
{
    const uint64_t stamp = ++device->submissions->stamp;
    for (uint32_t i = 0; i < request->count; i++) {
        for (uint32_t j = 0; j < ws_request_command_count(request, i); j++) {
            struct ws_recording *recording = command_buffer(request, i, j)->recording;
            if (recording != NULL && recording->stamp == stamp)
                return true;
            if (recording != NULL)
                recording->stamp = stamp;
        }
    }
    return false;
}

bool ws_submit_plan_init(struct ws_submit_plan *plan, struct ws_device *device, struct ws_queue *queue,
                         const struct ws_submit_request *request)
{
    *plan = (struct ws_submit_plan){0};
    struct work work = {0};
    VkDeviceSize size = 0;
    bool gap = false;
    for (uint32_t i = 0; i < request->count; i++)
        add_work(&work, request, i);
    ws_lose_launches(device, work.uncovered, work.reason);
    if (work.launches == 0 && work.readbacks == 0 && work.images == 0) {
        atomic_fetch_add(&device->capture->submissions, request->count);
        return false;
    }
    plan->in_place = !any_again(device, request);
    if (!allocate(plan, device, queue, request, work.carries)) {
        lose(device, &work, "out of memory");
        device->submissions->left_counts = true;
        return false;
    }
    for (uint32_t i = 0; i < request->count; i++)
        plan_batch(plan, device, request, i, &size, &gap);
    if (!is_chosen(plan->submission)) {
        plan->submission->awaited = false;
        atomic_fetch_sub(&device->capture->awaited, 1);
    }
    allocate_readback(plan, device, size);
    return true;
}

/* Copies from results, which are in the device's own memory, to readback memory, which the host reads. */
static void record_step(struct ws_device *device, VkCommandBuffer commands,
                        const struct ws_submission *submission, const struct ws_batch *batch,
                        const struct ws_step *step)
{
    const struct ws_memory_range *readback = &submission->readback;
    /* The command buffers before this one wrote their results by copies of their own. They are earlier in
     * submission order, which is all that a barrier needs to reach them: its first scope ends neither at a
     * command buffer nor at a batch (the specification, "Pipeline Barriers"). Without it stale results would
     * be copied. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    for (uint32_t i = 0; i < step->count; i++) {
        const struct ws_executed *executed = &batch->executed[step->first + i];
        const bool copied = executed->kept && !executed->lost && !executed->in_place;
        const VkDeviceSize offset = readback->offset + executed->position;
        if (executed->recording == NULL)
            ws_launch_copy_and_clear(device, commands, &executed->rendering.command,
                                     executed->rendering.shaders, executed->rendering.shader_count,
                                     copied ? readback->buffer : VK_NULL_HANDLE, offset);
        else if (copied)
            ws_recording_copy_results(executed->recording, commands, readback->buffer, offset);
        for (uint32_t j = 0; j < executed->late_count; j++) {
            const struct ws_recorded_launch *part = &executed->late[j].part;
            ws_launch_copy_and_clear(device, commands, &part->command, part->shaders, part->shader_count,
                                     copied ? readback->buffer : VK_NULL_HANDLE, offset + part->position);
        }
    }
    /* A fence covers device access only: it does not make what the device wrote visible to the host. That
     * takes a dependency to the host stage (the specification, "Fences"), recorded before the fence is
     * signalled. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* Without a command buffer the step is left out, and what it would have copied is lost. */
static void make_step(struct ws_device *device, struct ws_submission *submission, struct ws_batch *batch,
                      struct ws_step *step)
{
    VkCommandBuffer commands = ws_submission_begin_commands(device, submission);
    if (commands != VK_NULL_HANDLE) {
        record_step(device, commands, submission, batch, step);
        if (device->next.EndCommandBuffer(commands) == VK_SUCCESS) {
            step->commands = commands;
            return;
        }
    }
    for (uint32_t i = 0; i < step->count; i++) {
        struct ws_executed *executed = &batch->executed[step->first + i];
        executed->lost = true;
        if (ws_executed_clears_rows(executed))
            device->submissions->left_counts = true;
    }
}

/* The command buffer that opens the stream, or the one that closes it. */
static VkCommandBuffer make_stream_end(struct ws_device *device, struct ws_submission *submission, bool opens)
{
    VkCommandBuffer commands = ws_submission_begin_commands(device, submission);
    if (commands == VK_NULL_HANDLE)
        return VK_NULL_HANDLE;
    if (opens)
        ws_stream_open(device, commands, submission->stream);
    else
        ws_stream_close(device, commands, submission->stream);
    return device->next.EndCommandBuffer(commands) == VK_SUCCESS ? commands : VK_NULL_HANDLE;
}

/* Both or none. A stream that is opened and not closed would stay open after this submission: launches of
 * later ones would append to a buffer that is being read, or used by another submission. */
static bool make_stream_ends(struct ws_submit_plan *plan, struct ws_device *device)
{
    VkCommandBuffer open = make_stream_end(device, plan->submission, true);
    VkCommandBuffer close = make_stream_end(device, plan->submission, false);
    if (open == VK_NULL_HANDLE || close == VK_NULL_HANDLE)
        return false;
    for (uint32_t i = 0; i < plan->batch_count; i++) {
        struct ws_batch_plan *batch = &plan->batches[i];
        batch->open = batch->opens ? open : VK_NULL_HANDLE;
        batch->close = batch->closes ? close : VK_NULL_HANDLE;
        batch->changed = batch->changed || batch->opens || batch->closes;
    }
    return true;
}

/* Whether the host may open the stream (commands/stream_control.h, IN PLACE). */
static bool opens_in_place(const struct ws_submission *submission, struct ws_device *device)
{
    if (device->control->mapped == NULL || submission->stream->mapped == NULL ||
        submission->stream_first > 0 || submission->strays || ws_stream_any_reader(device))
        return false;
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        const struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            const struct ws_recording *recording = batch->executed[j].recording;
            if (recording == NULL || recording->carries ||
                ((recording->records || recording->chooses) && !recording->in_place))
                return false;
        }
    }
    return true;
}

/* Opens the stream, for all of the submission. False without command buffers for that. */
static bool open_stream(struct ws_submit_plan *plan, struct ws_device *device)
{
    struct ws_submission *submission = plan->submission;
    struct ws_stream_ring *ring = &device->submissions->ring;
    if (plan->in_place && opens_in_place(submission, device)) {
        ws_stream_open_in_place(device, submission->stream);
        ring->left_open = submission->stream;
        submission->opened = true;
        return true;
    }
    return make_stream_ends(plan, device);
}

/* Takes a buffer for the submission's records. Without one they are lost, and the control block keeps
 * capacity 0, so that its shaders append nothing. It gets none if another queue's launches may append to the
 * same control block meanwhile. */
static void add_stream(struct ws_submit_plan *plan, struct ws_device *device)
{
    struct ws_submission *submission = plan->submission;
    const char *reason =
        "another queue's submission may run at the same time, since it waits for something that "
        "nobody can foresee";
    if (!submission->records_mixed)
        submission->stream = ws_stream_take(device, &reason);
    if (submission->stream != NULL && !open_stream(plan, device)) {
        ws_stream_give(submission->stream);
        submission->stream = NULL;
        reason = "no command buffer for their stream";
    }
    if (submission->stream == NULL)
        ws_lose_records(device, ws_submission_count_records(device, submission), reason);
}

bool ws_submit_plan_changes(const struct ws_submit_plan *plan)
{
    for (uint32_t i = 0; i < plan->batch_count; i++)
        if (plan->batches[i].changed)
            return true;
    return false;
}

void ws_submit_plan_record(struct ws_submit_plan *plan, struct ws_device *device)
{
    struct ws_submission *submission = plan->submission;
    if (plan->records)
        add_stream(plan, device);
    for (uint32_t i = 0; i < plan->batch_count; i++) {
        for (uint32_t j = 0; j < plan->batches[i].step_count; j++) {
            struct ws_step *step = &plan->batches[i].steps[j];
            if (step->source == WS_NONE)
                make_step(device, submission, &submission->batches[i], step);
        }
    }
}

void ws_submit_plan_finish(struct ws_submit_plan *plan, struct ws_device *device)
{
    ws_submission_destroy(device, plan->submission);
    *plan = (struct ws_submit_plan){0};
}
