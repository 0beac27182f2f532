#include "layer/submit/drain.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/barrier.h"
#include "layer/commands/labels.h"
#include "layer/commands/readback.h"
#include "layer/commands/stream_control.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/message.h"
#include "layer/core/selection.h"
#include "layer/submit/command_source.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/picture.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_ring.h"
#include "layer/submit/submission.h"

/* A SUBM chunk under construction: launches, with the counters of their shaders one after the other. */
struct writing {
    struct ws_launch *launches;
    struct ws_shader_counters *counters;
    struct ws_shader_yields *yields; /* one for each of `counters` */
    struct ws_launch_time *times;    /* of a TIME chunk */
    struct ws_launch_base *bases;
    uint32_t launch_count;
    uint32_t counter_count;
    uint32_t time_count;
    uint32_t base_count;
    uint32_t **pipelines; /* one per launch, where late parts add to its own; else NULL */
    char **labels; /* one per launch, with the queue's labels before it; NULL where the queue has none */
    uint64_t lost;
    uint64_t overwritten;
    void *memory; /* of all these arrays */
};

static void finish(struct writing *writing)
{
    for (uint32_t i = 0; writing->labels != NULL && i < writing->launch_count; i++)
        free(writing->labels[i]);
    for (uint32_t i = 0; writing->pipelines != NULL && i < writing->launch_count; i++)
        free(writing->pipelines[i]);
    free(writing->memory);
}

/* How many sets of counter rows the shaders of a launch have (root.h, SAMPLING). */
static size_t count_sets(const struct ws_recorded_launch *recorded)
{
    size_t count = 0;
    for (uint32_t i = 0; i < recorded->shader_count; i++)
        count += recorded->shaders[i]->sample > 1 ? WS_SAMPLE_GROUPS : 1;
    return count;
}

/* The next array in a piece of memory. Each is of structs that have a pointer or 64 bits, so all are aligned. */
static void *take(char **at, size_t count, size_t size)
{
    void *array = *at;
    *at += count * size;
    return array;
}

_Static_assert(sizeof(struct ws_launch) % 8 == 0 && sizeof(struct ws_launch_time) % 8 == 0 &&
                   sizeof(struct ws_launch_base) % 8 == 0 && sizeof(struct ws_shader_counters) % 8 == 0 &&
                   8 % _Alignof(struct ws_launch) == 0 && 8 % _Alignof(struct ws_launch_time) == 0 &&
                   8 % _Alignof(struct ws_launch_base) == 0 && 8 % _Alignof(struct ws_shader_counters) == 0 &&
                   8 % _Alignof(struct ws_shader_yields) == 0 && 8 % sizeof(void *) == 0,
               "what stands behind another array is aligned");

static bool init(struct writing *writing, const struct ws_batch *batch)
{
    size_t launches = 0;
    size_t counters = 0;
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const uint32_t count = ws_executed_count(&batch->executed[i]);
        launches += count;
        for (uint32_t j = 0; j < count; j++)
            counters += count_sets(ws_executed_at(&batch->executed[i], j));
        for (uint32_t j = 0; j < batch->executed[i].late_count; j++)
            counters += count_sets(&batch->executed[i].late[j].part);
    }
    /* One piece of memory, for this is done for every submission; not by calloc, which takes none from what the thread
     * freed. */
    const size_t per_launch = sizeof(*writing->launches) + sizeof(*writing->times) + sizeof(*writing->bases) +
                              sizeof(*writing->labels) + sizeof(*writing->pipelines);
    const size_t per_counters = sizeof(*writing->counters) + sizeof(*writing->yields);
    const size_t size = (launches + 1) * per_launch + (counters + 1) * per_counters;
    *writing = (struct writing){.memory = malloc(size)};
    char *at = writing->memory;
    if (at == NULL)
        return false;
    memset(at, 0, size);
    writing->launches = take(&at, launches + 1, sizeof(*writing->launches));
    writing->times = take(&at, launches + 1, sizeof(*writing->times));
    writing->bases = take(&at, launches + 1, sizeof(*writing->bases));
    writing->labels = take(&at, launches + 1, sizeof(*writing->labels));
    writing->pipelines = take(&at, launches + 1, sizeof(*writing->pipelines));
    writing->counters = take(&at, counters + 1, sizeof(*writing->counters));
    writing->yields = take(&at, counters + 1, sizeof(*writing->yields));
    return true;
}

/* The label of a launch, with the labels of its queue before it. Without memory only its own. */
static const char *label_of(struct writing *writing, const struct ws_batch *batch,
                            const struct ws_recorded_launch *recorded)
{
    if (batch->label == NULL)
        return recorded->label;
    char *joined = malloc(ws_labels_joined_size(batch->label, recorded->label));
    if (joined == NULL)
        return recorded->label;
    ws_labels_join(batch->label, recorded->label, joined);
    writing->labels[writing->launch_count] = joined;
    return joined;
}

/* One warp in how many counted. How large a launch of compute was stands in the launch row of the first set. */
static uint32_t weight_of(const struct ws_device *device, const struct ws_shader *shader,
                          const uint32_t *words)
{
    if (shader->sample <= 1 || shader->stage != WS_STAGE_COMPUTE || shader->launch_row == WS_NONE)
        return shader->sample;
    const uint32_t *row = words + (size_t)(shader->launch_row - shader->row_first) * device->bins;
    return ws_sample_one_in(shader->sample, row + WS_LAUNCH_SIZE);
}

/* What a shader counted and yielded in a launch: each set of its rows by itself, and the yields with the first. The rows that
 * the host adds up are written where they were read to. */
static void add_shader(const struct ws_device *device, struct writing *writing,
                       const struct ws_shader *shader, char *rows)
{
    uint32_t *words = (uint32_t *)(void *)rows;
    const uint32_t weight = weight_of(device, shader, words);
    const uint32_t sets = shader->sample > 1 ? WS_SAMPLE_GROUPS : 1; /* then it has no joint rows */
    for (uint32_t set = 0; set < sets; set++) {
        ws_add_row_parts(shader->parts, shader->part_count, shader->row_first,
                         shader->row_count + shader->joint_count, device->bins,
                         words + (size_t)set * shader->row_count * device->bins);
        writing->yields[writing->counter_count] = (struct ws_shader_yields){
            .shader = shader->capture_id,
            .first = shader->yield_first,
            .words = (const uint32_t *)(const void *)(rows + shader->counters.yields),
            .word_count = set == 0 ? shader->yield_count : 0,
        };
        writing->counters[writing->counter_count++] = (struct ws_shader_counters){
            .shader = shader->capture_id,
            .row_first = shader->row_first,
            .row_count = shader->row_count,
            .bins = device->bins,
            .words = words + (size_t)set * shader->row_count * device->bins,
            .weight = weight,
            .group = set,
        };
    }
}

/* What of the launch may have run by what came late into its execution sets; NULL = nothing. */
static const struct ws_recorded_launch *late_part_of(const struct ws_executed *executed, uint32_t index)
{
    for (uint32_t i = 0; i < executed->late_count; i++)
        if (executed->late[i].launch == index)
            return &executed->late[i].part;
    return NULL;
}

static void add_shaders(const struct ws_device *device, struct writing *writing,
                        const struct ws_recorded_launch *recorded, char *rows)
{
    for (uint32_t i = 0; i < recorded->shader_count; i++) {
        add_shader(device, writing, recorded->shaders[i], rows);
        rows += recorded->shaders[i]->counters.size;
    }
}

/* Adds a late part's pipelines; without memory they are not named. */
static void add_pipelines(struct writing *writing, struct ws_launch *launch,
                          const struct ws_recorded_launch *late)
{
    const size_t own = launch->pipeline_count * sizeof(uint32_t);
    const size_t more = late->pipeline_count * sizeof(uint32_t);
    uint32_t *joined = malloc(own + more + 1);
    if (joined == NULL)
        return;
    if (own > 0)
        memcpy(joined, launch->pipelines, own);
    if (more > 0)
        memcpy(joined + launch->pipeline_count, late->pipelines, more);
    launch->pipelines = writing->pipelines[writing->launch_count] = joined;
    launch->pipeline_count += late->pipeline_count;
}

static void add_launch(struct ws_device *device, struct writing *writing, const struct ws_batch *batch,
                       const struct ws_executed *executed, const struct ws_recorded_launch *recorded,
                       uint64_t index, char *results)
{
    struct ws_launch *launch = &writing->launches[writing->launch_count];
    *launch = (struct ws_launch){
        .index = index,
        .kind = recorded->command.kind,
        .size = {recorded->command.size[0], recorded->command.size[1], recorded->command.size[2]},
        .flags = recorded->command.flags,
        .draws = recorded->command.draws,
        .label = label_of(writing, batch, recorded),
        .command_buffer = executed->command_buffer,
        .pipelines = recorded->pipelines,
        .pipeline_count = recorded->pipeline_count,
        .shaders = &writing->counters[writing->counter_count],
    };
    if ((recorded->command.flags & WS_LAUNCH_BASE) != 0) {
        struct ws_launch_base *base = &writing->bases[writing->base_count++];
        base->launch = index;
        memcpy(base->base, recorded->command.base, sizeof(base->base));
    }
    const struct ws_recorded_launch *late = late_part_of(executed, (uint32_t)(index - executed->first));
    add_shaders(device, writing, recorded, results != NULL ? results + recorded->position : NULL);
    if (late != NULL) {
        add_shaders(device, writing, late, results != NULL ? results + late->position : NULL);
        add_pipelines(writing, launch, late);
    }
    launch->shader_count = (uint32_t)(&writing->counters[writing->counter_count] - launch->shaders);
    writing->launch_count++;
}

/* What is known of the launch's time (commands/timer.h). Where its command buffer may have run on two queues at a time,
 * its queries may hold timestamps of either. */
static void add_time(struct writing *writing, const struct ws_submission *submission,
                     const struct ws_executed *executed, const struct ws_recorded_launch *recorded,
                     uint64_t index)
{
    const char *results = ws_executed_results(submission, executed);
    struct ws_launch_time time = {.launch = index, .state = recorded->time.state};
    uint64_t values[2];
    if (!recorded->time.wanted)
        return;
    if (time.state == WS_TIME_TAKEN && submission->counts_mixed)
        time.state = WS_TIME_MIXED;
    else if (time.state == WS_TIME_TAKEN && results == NULL)
        time.state = WS_TIME_NO_MEMORY;
    if (time.state == WS_TIME_TAKEN) {
        results += ws_recording_time_position(executed->recording, recorded);
        memcpy(values, results, sizeof(values));
        time.begin = values[0];
        time.end = values[1];
    }
    writing->times[writing->time_count++] = time;
}

/* Writes the TIME chunk of a batch, if it has times. */
static void write_times(struct ws_device *device, const struct writing *writing,
                        const struct ws_submission *submission, const struct ws_batch *batch)
{
    const struct ws_queue *queue = submission->queue;
    /* Rounded: a float has 24 bits, so that its part below a femtosecond says nothing for a period of 16 ns or more. */
    const double period = (double)device->properties.core.limits.timestampPeriod * 1e6 + 0.5;
    const struct ws_chunk_times chunk = {
        .submission = batch->index,
        .device = device->capture_id,
        .queue_family = queue->family,
        .queue_index = queue->index,
        .valid_bits = device->queue_families[queue->family].timestampValidBits,
        .period = period >= 0 && period < 1e18 ? (uint64_t)period : 0,
        .launches = writing->times,
        .launch_count = writing->time_count,
    };
    struct ws_error error = {0};
    if (writing->time_count > 0)
        ws_capture_check(NULL, ws_capture_write_times(device->capture->writer, &chunk, &error), &error);
}

/* Writes the YLDS chunks of a batch: what its launches yielded. */
static void write_yields(struct ws_device *device, const struct writing *writing,
                         const struct ws_batch *batch)
{
    bool written = true;
    for (uint32_t i = 0; i < writing->launch_count && written; i++) {
        const struct ws_launch *launch = &writing->launches[i];
        const struct ws_chunk_yields chunk = {
            .submission = batch->index,
            .launch = launch->index,
            .shaders = &writing->yields[launch->shaders - writing->counters],
            .shader_count = launch->shader_count,
        };
        struct ws_error error = {0};
        written = ws_capture_write_yields(device->capture->writer, &chunk, &error);
        ws_capture_check(NULL, written, &error);
    }
}

static void add_executed(struct ws_device *device, struct writing *writing,
                         const struct ws_submission *submission, const struct ws_batch *batch,
                         const struct ws_executed *executed)
{
    const uint32_t count = executed->selected > 0 ? ws_executed_count(executed) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_recorded_launch *recorded = ws_executed_at(executed, i);
        const uint64_t index = executed->first + i;
        if (!ws_range_contains(&device->settings->launches, index))
            continue;
        if (recorded->lost || executed->lost) {
            writing->lost += !executed->overwritten;
            writing->overwritten += executed->overwritten;
            continue;
        }
        char *results = ws_executed_results(submission, executed);
        add_launch(device, writing, batch, executed, recorded, index, results);
        add_time(writing, submission, executed, recorded, index);
    }
}

/* Writes the SUBM chunk of a batch. False when there was no memory: then its launches are lost. */
static bool write_batch(struct ws_device *device, const struct ws_submission *submission,
                        const struct ws_batch *batch)
{
    struct writing writing;
    if (!init(&writing, batch)) {
        finish(&writing);
        uint64_t lost = 0;
        for (uint32_t i = 0; i < batch->executed_count; i++)
            lost += batch->executed[i].selected;
        ws_lose_launches(device, lost, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < batch->executed_count; i++)
        add_executed(device, &writing, submission, batch, &batch->executed[i]);
    if (writing.launch_count > 0) {
        const struct ws_chunk_submission chunk = {
            .index = batch->index,
            .frame = batch->frame,
            .device = device->capture_id,
            .queue_family = submission->queue->family,
            .queue_index = submission->queue->index,
            .flags = submission->counts_mixed ? WS_SUBMISSION_OVERLAPPED : 0,
            .launches = writing.launches,
            .launch_count = writing.launch_count,
            .bases = writing.bases,
            .base_count = writing.base_count,
        };
        struct ws_error error = {0};
        const bool written = ws_capture_write_submission(device->capture->writer, &chunk, &error);
        /* Without an instance no code of the application runs, so the lock may be held. */
        ws_capture_check(NULL, written, &error);
        write_times(device, &writing, submission, batch);
        if (written)
            write_yields(device, &writing, batch);
        if (written)
            WS_PROGRESS_ADD(device->capture->progress, written, writing.launch_count);
    }
    ws_lose_launches(device, writing.lost, "no device memory for their counts");
    ws_lose_launches(device, writing.overwritten,
                     "their command buffer was submitted again before its end was known, though not for "
                     "simultaneous use");
    finish(&writing);
    return true;
}

#define PIECE_WORDS ((uint32_t)(WS_STREAM_PIECE / sizeof(uint32_t)))

/* The record stream of a submission, launch by launch.
 *
 * All launches of a submission append to one buffer, one after the other. The device does not say where one
 * ends; but at each launch's end it copies the control block's first words, the snapshot, after the launch's
 * counter rows (stream_control.h). So launch n has the words between the snapshot of launch n - 1 and its
 * own:
 *
 *     launch                           A           B           C
 *     words reserved in its snapshot   120         120         300
 *     the words of its records         0 to 119    none        120 to 299
 *
 * Where a snapshot is missing, the words that follow may belong to the launch without one. They are dropped
 * up to the next snapshot (`known`). */
struct stream_reading {
    struct ws_device *device;
    const struct ws_submission *submission;
    uint32_t reserved;  /* words that all launches read so far reserved, whether there was room or not */
    uint32_t end;       /* where the last whole record of these launches ends */
    bool known;         /* all that was appended so far belongs to these launches */
    bool broken;        /* the words cannot be read: everything is lost */
    uint64_t needed;    /* words that the whole submission reserved */
    uint64_t lost;      /* launches whose records are lost so far ... */
    const char *reason; /* ... and why those of the last one are */
};

/* Words of a buffer that the host cannot read well go through the staging buffer, in a late copy. */
static void record_copy(struct ws_device *device, VkCommandBuffer commands, const struct ws_stream *stream,
                        uint32_t position, uint32_t count)
{
    const struct ws_memory_range *staging = &device->submissions->ring.staging;
    const VkBufferCopy region = {
        .srcOffset = (VkDeviceSize)position * sizeof(uint32_t),
        .dstOffset = staging->offset,
        .size = (VkDeviceSize)count * sizeof(uint32_t),
    };
    /* The submission may have run on another queue, which this barrier's first scope does not reach. It need
     * not: its fence was signalled before this is submitted, and made all that it wrote available. The
     * barrier makes that visible to the copy (the specification, "Availability, Visibility, and Domain
     * Operations"); without it the copy may read what an earlier late copy left in a cache. */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    device->next.CmdCopyBuffer(commands, stream->buffer, staging->buffer, 1, &region);
    /* The fence that is waited for makes this copy available to the device's domain only. For the host to see
     * it a dependency to the host stage is needed (the specification, "Fences"). */
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* Copies words of a buffer to the staging buffer, which they stay in until the next call. NULL when that
 * fails. */
static const uint32_t *copy_words(struct ws_device *device, const struct ws_stream *stream, uint32_t position,
                                  uint32_t count)
{
    struct ws_memory_range *staging = &device->submissions->ring.staging;
    struct ws_queue *queue = ws_late_queue(device);
    if (queue == NULL || ws_late_copies_given_up(device) ||
        (staging->block == NULL && !ws_heap_allocate(device->readback, WS_STREAM_PIECE, staging, NULL)))
        return NULL;
    VkCommandBuffer commands = ws_command_source_begin(device, queue->family);
    if (commands == VK_NULL_HANDLE)
        return NULL;
    record_copy(device, commands, stream, position, count);
    return ws_late_copy_run(device, queue, commands) ? staging->mapped : NULL;
}

/* In memory that is not coherent the host may have cached what stood there before: without this it would read
 * the words of an earlier submission. The range begins and ends at multiples of the atom, or ends with the
 * memory (VUID-VkMappedMemoryRange-offset-00687, VUID-VkMappedMemoryRange-size-01390). */
static bool invalidate(struct ws_device *device, const struct ws_stream *stream, uint32_t position,
                       uint32_t count)
{
    const VkDeviceSize atom = device->properties.core.limits.nonCoherentAtomSize;
    const VkDeviceSize begin = (VkDeviceSize)position * sizeof(uint32_t);
    VkMappedMemoryRange range = {
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = stream->memory,
        .offset = begin / atom * atom,
    };
    range.size = (begin + (VkDeviceSize)count * sizeof(uint32_t) - range.offset + atom - 1) / atom * atom;
    if (range.offset + range.size > stream->memory_size)
        range.size = VK_WHOLE_SIZE;
    return device->next.InvalidateMappedMemoryRanges(device->handle, 1, &range) == VK_SUCCESS;
}

/* `count` words from `position` on, valid until the next call; NULL when they cannot be read. */
static const uint32_t *read_words(struct ws_device *device, const struct ws_stream *stream, uint32_t position,
                                  uint32_t count)
{
    if (stream->mapped == NULL)
        return copy_words(device, stream, position, count);
    if (!stream->coherent && !invalidate(device, stream, position, count))
        return NULL;
    return stream->mapped + position;
}

/* The control block's first words as they were when the launch ended; NULL when they were not copied. A
 * capacity other than the buffer's means that the stream was not open for this launch. */
static const uint32_t *snapshot_of(const struct ws_submission *submission, const struct ws_executed *executed,
                                   const struct ws_recorded_launch *recorded)
{
    const char *rows = ws_executed_results(submission, executed);
    if (recorded->lost || rows == NULL)
        return NULL;
    rows += recorded->position + ws_uses_size(recorded->shaders, recorded->shader_count);
    const uint32_t *words = (const uint32_t *)(const void *)rows;
    return words[WS_STREAM_CAPACITY] == submission->stream->capacity ? words : NULL;
}

/* How many words the submission reserved altogether, also those for which there was no room: what the last
 * snapshot says, which is the largest. */
static uint64_t count_needed(const struct ws_submission *submission)
{
    uint64_t needed = 0;
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        const struct ws_batch *batch = &submission->batches[i];
        for (uint32_t j = 0; j < batch->executed_count; j++) {
            const struct ws_executed *executed = &batch->executed[j];
            for (uint32_t k = 0; k < ws_executed_count(executed); k++) {
                const struct ws_recorded_launch *recorded = ws_executed_at(executed, k);
                const uint32_t *words =
                    recorded->records ? snapshot_of(submission, executed, recorded) : NULL;
                if (words != NULL && words[WS_STREAM_RESERVED] > needed)
                    needed = words[WS_STREAM_RESERVED];
            }
        }
    }
    return needed;
}

/* Begins with the first batch. Where words may be mixed with another queue's, nothing of them can be told
 * apart. */
static void begin_stream(struct stream_reading *reading, struct ws_device *device,
                         const struct ws_submission *submission)
{
    *reading = (struct stream_reading){.device = device, .submission = submission, .known = true};
    if (submission->stream == NULL)
        return;
    if (submission->records_mixed) {
        reading->broken = true;
        reading->reason = "another queue's submission may have run at the same time";
    } else if (submission->stream->mapped == NULL &&
               (ws_late_copies_given_up(device) || ws_late_queue(device) == NULL)) {
        reading->broken = true;
        reading->reason = "the record buffer could not be copied to the host";
    } else {
        reading->needed = count_needed(submission);
    }
}

static void lose_records(struct stream_reading *reading, const char *reason)
{
    reading->lost++;
    reading->reason = reason;
}

static void add_slots(struct ws_chunk_records *chunk, struct ws_slot_shader *slots,
                      const struct ws_recorded_launch *recorded)
{
    for (uint32_t i = 0; i < recorded->shader_count; i++) {
        if (recorded->shaders[i]->records)
            slots[chunk->slot_count++] =
                (struct ws_slot_shader){recorded->shaders[i]->slot, recorded->shaders[i]->capture_id};
    }
}

static size_t count_late(const struct ws_executed *executed)
{
    size_t count = 0;
    for (uint32_t i = 0; i < executed->late_count; i++)
        count += executed->late[i].part.shader_count;
    return count;
}

static void add_other_slots(struct ws_chunk_records *chunk, struct ws_slot_shader *slots,
                            const struct ws_executed *executed, const struct ws_recorded_launch *recorded)
{
    if (&executed->rendering != recorded)
        add_slots(chunk, slots, &executed->rendering);
    for (uint32_t i = 0; i < executed->late_count; i++)
        add_slots(chunk, slots, &executed->late[i].part);
}

/* Which shader each record's slot number stands for: the launch's shaders; those of late parts of the batch, of which an
 * earlier launch may have records too; and those of the batch's suspended renderings. The parts of such a rendering run in
 * several command buffers, so its records stand among those of launches that these command buffers contain. */
static struct ws_slot_shader *make_slots(struct ws_chunk_records *chunk, const struct ws_batch *batch,
                                         const struct ws_recorded_launch *recorded)
{
    size_t count = recorded->shader_count;
    for (uint32_t i = 0; i < batch->executed_count; i++)
        count += batch->executed[i].rendering.shader_count + count_late(&batch->executed[i]);
    struct ws_slot_shader *slots = calloc(count + 1, sizeof(*slots));
    if (slots == NULL)
        return NULL;
    add_slots(chunk, slots, recorded);
    for (uint32_t i = 0; i < batch->executed_count; i++)
        add_other_slots(chunk, slots, &batch->executed[i], recorded);
    chunk->slots = slots;
    return slots;
}

/* Writes words `begin` to `end` - 1 as RECS chunks of WS_STREAM_PIECE bytes at most, so that no more is held
 * on the host however much was recorded. At least one chunk, which may be empty, is written. */
static void write_pieces(struct stream_reading *reading, struct ws_chunk_records *chunk, uint32_t begin,
                         uint32_t end)
{
    const struct ws_device *device = reading->device;
    do {
        chunk->position = begin;
        chunk->word_count = end - begin < PIECE_WORDS ? end - begin : PIECE_WORDS;
        chunk->flags = begin + chunk->word_count == end ? WS_RECORDS_LAST : 0;
        chunk->words = chunk->word_count > 0 ? read_words(reading->device, reading->submission->stream, begin,
                                                          chunk->word_count)
                                             : NULL;
        if (chunk->word_count > 0 && chunk->words == NULL) {
            lose_records(reading, "the record buffer could not be copied to the host");
            return;
        }
        struct ws_error error = {0};
        const bool written = ws_capture_write_records(device->capture->writer, chunk, &error);
        /* Without an instance no code of the application runs, so the lock may be held. */
        ws_capture_check(NULL, written, &error);
        if (!written) {
            lose_records(reading, "they could not be written to the capture");
            return;
        }
        WS_PROGRESS_ADD(device->capture->progress, records, sizeof(uint32_t) * (uint64_t)chunk->word_count);
        begin += chunk->word_count;
    } while (begin < end);
}

/* Writes what the launch appended: the words between the end of the launch before it and `end`. */
static void write_launch(struct stream_reading *reading, const struct ws_batch *batch,
                         const struct ws_recorded_launch *recorded, uint64_t index, uint32_t end,
                         uint32_t reserved)
{
    struct ws_chunk_records chunk = {
        .submission = batch->index,
        .launch = index,
        .device = reading->device->capture_id,
        .bins = reading->device->bins,
        .first = reading->end,
        .missing = (uint64_t)(reserved - reading->reserved) - (end - reading->end),
        .sufficient = reading->needed,
    };
    struct ws_slot_shader *slots = make_slots(&chunk, batch, recorded);
    if (slots == NULL)
        lose_records(reading, "out of memory");
    else
        write_pieces(reading, &chunk, reading->end, end);
    WS_PROGRESS_ADD(reading->device->capture->progress, missing, sizeof(uint32_t) * chunk.missing);
    free(slots);
}

static void read_launch(struct stream_reading *reading, const struct ws_batch *batch,
                        const struct ws_executed *executed, uint32_t index, bool written)
{
    const struct ws_recorded_launch *recorded = ws_executed_at(executed, index);
    const uint32_t capacity = reading->submission->stream->capacity;
    /* A launch whose shaders record nothing appends nothing and has no snapshot. A lost one had no memory for
     * the list of its shaders: it may have appended, and goes on below. */
    const struct ws_recorded_launch *late = late_part_of(executed, index);
    const bool lates = late != NULL && late->records; /* then it appended, but may have no snapshot */
    if (!recorded->records && !recorded->lost && !lates)
        return;
    const uint32_t *snapshot =
        recorded->records ? snapshot_of(reading->submission, executed, recorded) : NULL;
    const bool wanted = written && ws_executed_is_selected(reading->device, executed, index) &&
                        !recorded->lost && !executed->lost;
    /* The count of reserved words only rises, but for one case: at WS_STREAM_SATURATED a warp gives back what
     * it just reserved, so that the count cannot wrap around, and a snapshot may see it before or after that.
     */
    const bool rose = snapshot != NULL && (snapshot[WS_STREAM_RESERVED] >= reading->reserved ||
                                           snapshot[WS_STREAM_RESERVED] >= WS_STREAM_SATURATED);
    if (!rose) {
        reading->known = false;
        if (wanted)
            lose_records(reading, "what they appended is not known");
        return;
    }
    const uint32_t reserved =
        snapshot[WS_STREAM_RESERVED] > reading->reserved ? snapshot[WS_STREAM_RESERVED] : reading->reserved;
    /* With more reserved than there is room for, the last record that fitted ends somewhere before the
     * capacity; the shaders say where (records.h). */
    uint32_t end = reserved <= capacity ? reserved : snapshot[WS_STREAM_WHOLE];
    if (end > capacity || end < reading->end)
        end = reading->end;
    if (wanted && reading->known)
        write_launch(reading, batch, recorded, executed->first + index, end, reserved);
    else if (wanted)
        lose_records(reading, "they cannot be told from those of a launch for which there was no memory");
    reading->reserved = reserved;
    reading->end = end;
    reading->known = true;
}

/* Writes the RECS chunks of the next batch's launches, unless its SUBM chunk was not `written`. */
static void read_stream(struct stream_reading *reading, const struct ws_batch *batch, bool written)
{
    const struct ws_submission *submission = reading->submission;
    if (submission->stream == NULL || reading->broken ||
        batch < submission->batches + submission->stream_first)
        return;
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const struct ws_executed *executed = &batch->executed[i];
        /* Launches for which there was no memory at all when they were recorded stand anywhere among this
         * command buffer's others, so no snapshot of it tells whose the words before it are. */
        const bool gaps = executed->recording != NULL && executed->recording->lost > 0;
        reading->known = reading->known && !executed->after_gap && !gaps;
        for (uint32_t j = 0; j < ws_executed_count(executed); j++) {
            read_launch(reading, batch, executed, j, written);
            reading->known = reading->known && !gaps;
        }
    }
}

/* Counts what was lost; and if there was too little room, the next buffer is made larger. */
static void end_stream(struct stream_reading *reading)
{
    const struct ws_stream *stream = reading->submission->stream;
    if (stream == NULL)
        return;
    if (reading->broken)
        reading->lost = ws_submission_count_records(reading->device, reading->submission);
    ws_lose_records(reading->device, reading->lost, reading->reason);
    if (reading->needed > stream->capacity)
        ws_stream_overflowed(reading->device, stream->capacity, reading->needed);
}

/* Writes what a readback read in one execution. A readback that is not of the kind `always` belongs to the
 * launch after it, and is wanted only with that. */
static void read_back(struct ws_device *device, const struct ws_submission *submission,
                      const struct ws_executed *executed, const struct ws_recorded_readback *recorded)
{
    const struct ws_recording *recording = executed->recording;
    struct ws_readback *readback = recorded->readback;
    struct ws_execution execution = {.moment = executed->first + recorded->before};
    const bool wanted = executed->selected > 0 && recorded->before < recording->launch_count &&
                        ws_range_contains(&device->settings->launches, execution.moment);
    if (!executed->kept || (!readback->type->always && !wanted))
        return;
    const char *results = ws_executed_results(submission, executed);
    if (!recorded->lost && results != NULL)
        execution.bytes = (const uint8_t *)results + recorded->position;
    readback->type->write(device, readback, &execution);
}

static void read_back_all(struct ws_device *device, const struct ws_submission *submission,
                          const struct ws_batch *batch)
{
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const struct ws_executed *executed = &batch->executed[i];
        for (uint32_t j = 0; executed->recording != NULL && j < executed->recording->readback_count; j++)
            read_back(device, submission, executed, &executed->recording->readbacks[j]);
    }
}

/* Readbacks come before the launches of their batch: a reader then knows the structures and tables that a
 * launch traced when it comes to the launch. */
void ws_drain_write(struct ws_device *device, const struct ws_submission *submission)
{
    struct stream_reading reading;
    begin_stream(&reading, device, submission);
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        read_back_all(device, submission, &submission->batches[i]);
        const bool written = write_batch(device, submission, &submission->batches[i]);
        read_stream(&reading, &submission->batches[i], written);
    }
    end_stream(&reading);
    if (submission->picture != NULL)
        ws_picture_write(device, submission);
}
