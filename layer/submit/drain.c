#include "layer/submit/drain.h"

#include <stdlib.h>

#include "layer/commands/labels.h"
#include "layer/commands/occurrence.h"
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/selection.h"
#include "layer/submit/queue.h"
#include "layer/submit/stream_drain.h"
#include "layer/submit/submission.h"

/* A chunk under construction: launches, with the counters of their shaders behind one another. */
struct writing {
    struct ws_launch *launches;
    struct ws_shader_counters *counters;
    uint32_t launch_count;
    uint32_t counter_count;
    char **labels; /* joined ones, one per launch; NULL where none is needed */
    uint64_t lost;
};

static void finish(struct writing *writing)
{
    for (uint32_t i = 0; writing->labels != NULL && i < writing->launch_count; i++)
        free(writing->labels[i]);
    free(writing->labels);
    free(writing->launches);
    free(writing->counters);
}

static bool init(struct writing *writing, const struct ws_batch *batch)
{
    size_t launches = 0;
    size_t counters = 0;
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const uint32_t count = ws_executed_count(&batch->executed[i]);
        launches += count;
        for (uint32_t j = 0; j < count; j++)
            counters += ws_executed_at(&batch->executed[i], j)->shader_count;
    }
    *writing = (struct writing){
        .launches = calloc(launches + 1, sizeof(*writing->launches)),
        .counters = calloc(counters + 1, sizeof(*writing->counters)),
        .labels = calloc(launches + 1, sizeof(*writing->labels)),
    };
    return writing->launches != NULL && writing->counters != NULL && writing->labels != NULL;
}

/* The label of a launch within those of its queue. */
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

static void add(struct ws_device *device, struct writing *writing, const struct ws_batch *batch,
                const struct ws_executed *executed, const struct ws_recorded_launch *recorded, uint64_t index,
                const char *rows)
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
        .shader_count = recorded->shader_count,
    };
    for (uint32_t i = 0; i < recorded->shader_count; i++) {
        const struct ws_shader *shader = recorded->shaders[i];
        writing->counters[writing->counter_count++] = (struct ws_shader_counters){
            .shader = shader->capture_id,
            .row_first = shader->row_first,
            .row_count = shader->row_count,
            .bins = device->bins,
            .words = (const uint32_t *)(const void *)rows,
        };
        rows += shader->counters.size;
    }
    writing->launch_count++;
}

static void add_executed(struct ws_device *device, struct writing *writing, const struct ws_batch *batch,
                         const struct ws_executed *executed, const struct ws_memory_range *readback)
{
    const uint32_t count = executed->selected > 0 ? ws_executed_count(executed) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_recorded_launch *recorded = ws_executed_at(executed, i);
        const uint64_t index = executed->first + i;
        if (!ws_range_contains(&device->settings->launches, index))
            continue;
        if (recorded->lost || executed->lost) {
            writing->lost++;
            continue;
        }
        const char *rows = readback->mapped;
        if (rows != NULL)
            rows += executed->position + recorded->position;
        add(device, writing, batch, executed, recorded, index, rows);
    }
}

/* False when there was no memory, and its launches are lost. */
static bool write_batch(struct ws_device *device, const struct ws_submission *submission,
                        const struct ws_batch *batch)
{
    struct writing writing;
    if (!init(&writing, batch)) {
        finish(&writing);
        uint64_t lost = 0;
        for (uint32_t i = 0; i < batch->executed_count; i++)
            lost += batch->executed[i].selected;
        ws_submissions_lose(device, lost, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < batch->executed_count; i++)
        add_executed(device, &writing, batch, &batch->executed[i], &submission->readback);
    if (writing.launch_count > 0) {
        const struct ws_chunk_submission chunk = {
            .index = batch->index,
            .frame = batch->frame,
            .device = device->capture_id,
            .queue_family = submission->queue->family,
            .queue_index = submission->queue->index,
            .flags = submission->overlapped ? WS_SUBMISSION_OVERLAPPED : 0,
            .launches = writing.launches,
            .launch_count = writing.launch_count,
        };
        struct ws_error error = {0};
        const bool written = ws_capture_write_submission(device->capture->writer, &chunk, &error);
        /* Without an instance no code of the application runs, so the lock may be held. */
        ws_capture_check(NULL, written, &error);
    }
    ws_submissions_lose(device, writing.lost, "no device memory for their counts");
    finish(&writing);
    return true;
}

static void tell(struct ws_device *device, const struct ws_submission *submission,
                 const struct ws_executed *executed, const struct ws_recorded_occurrence *recorded)
{
    const struct ws_recording *recording = executed->recording;
    struct ws_occurrence *occurrence = recorded->occurrence;
    struct ws_execution execution = {.moment = executed->first + recorded->before};
    const bool wanted = executed->selected > 0 && recorded->before < recording->launch_count &&
                        ws_range_contains(&device->settings->launches, execution.moment);
    if (!executed->kept || (!occurrence->kind->always && !wanted))
        return;
    if (!recorded->lost && !executed->lost && submission->readback.mapped != NULL)
        execution.bytes =
            (const uint8_t *)submission->readback.mapped + executed->position + recorded->position;
    occurrence->kind->executed(device, occurrence, &execution);
}

static void tell_all(struct ws_device *device, const struct ws_submission *submission,
                     const struct ws_batch *batch)
{
    for (uint32_t i = 0; i < batch->executed_count; i++) {
        const struct ws_executed *executed = &batch->executed[i];
        for (uint32_t j = 0; executed->recording != NULL && j < executed->recording->occurrence_count; j++)
            tell(device, submission, executed, &executed->recording->occurrences[j]);
    }
}

void ws_drain_write(struct ws_device *device, const struct ws_submission *submission)
{
    struct ws_stream_reading reading;
    ws_stream_reading_init(&reading, device, submission);
    for (uint32_t i = 0; i < submission->batch_count; i++) {
        tell_all(device, submission, &submission->batches[i]);
        const bool written = write_batch(device, submission, &submission->batches[i]);
        ws_stream_read_batch(&reading, &submission->batches[i], written);
    }
    ws_stream_reading_finish(&reading);
}
