/* Stand-ins for the parts of the layer that are not under test: the capture, messages, the root block,
 * shaders. */
#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/message.h"
#include "layer/core/selection.h"
#include "layer/core/watch.h"
#include "layer/memory/root_block.h"
#include "warpscope/records.h"

struct ws_device *ws_device_of(const void *dispatchable)
{
    (void)dispatchable;
    return &mock_layer_device;
}

void ws_root_set_counters(struct ws_device *of, uint32_t slot, uint64_t address)
{
    (void)of;
    (void)slot;
    (void)address;
}

void ws_root_set_yields(struct ws_device *of, uint32_t slot, uint64_t address)
{
    (void)of;
    (void)slot;
    (void)address;
}

uint64_t mock_control;

/* The control block has memory of its own. */
VkBuffer ws_root_control_buffer(const struct ws_device *device)
{
    (void)device;
    return VK_NULL_HANDLE;
}

void *ws_root_control_mapped(const struct ws_device *device)
{
    (void)device;
    return NULL;
}

uint64_t ws_root_address(const struct ws_device *device)
{
    (void)device;
    return 0;
}

void ws_root_set_records(struct ws_device *of, uint64_t address)
{
    (void)of;
    assert_int_equal(address % 8, 0);
    mock_control = address;
    mock.control_zeroed = ((const uint32_t *)(uintptr_t)address)[WS_STREAM_CAPACITY] == 0;
}

struct ws_shader *ws_shader_reference(struct ws_shader *shader)
{
    shader->references++;
    return shader;
}

void ws_shader_release(struct ws_shader *shader)
{
    assert_true(shader->references > 0);
    shader->references--;
}

void ws_message(struct ws_instance *of, enum ws_severity severity, const char *format, ...)
{
    (void)of;
    assert_true(severity == WS_WARNING || severity == WS_INFORMATION || mock.host_fails_at > 0);
    va_list arguments;
    mock_lock();
    va_start(arguments, format);
    vsnprintf(mock.said, sizeof(mock.said), format, arguments);
    va_end(arguments);
    mock.said_count++;
    mock_unlock();
}

void ws_capture_message(struct ws_capture *capture, enum ws_severity severity, const char *text)
{
    (void)capture;
    (void)severity;
    (void)text;
}

char *ws_shaders_describe(struct ws_shader *const *shaders, uint32_t count, uint32_t *sites)
{
    (void)shaders;
    *sites = 0;
    return count > 0 ? strdup("shaders") : NULL;
}

void ws_watch_begin(struct ws_watch *watch, struct ws_watched *watched)
{
    (void)watch;
    mock.watched_over = watched->is_over;
    mock.watched_user = watched->user;
    mock.watched_count++;
}

void ws_watch_end(struct ws_watched *watched)
{
    if (watched->what != NULL)
        mock.watched_over = NULL;
    free(watched->shaders);
    *watched = (struct ws_watched){0};
}

void ws_capture_check(struct ws_instance *of, bool written, const struct ws_error *error)
{
    (void)of;
    (void)error;
    assert_true(written || mock.write_fails);
}

/* As the layer's own, but for the file. */
void ws_capture_close_if_over(struct ws_capture *capture, const struct ws_settings *settings)
{
    if (mock.whole || !ws_selection_over(settings, capture->frames, capture->launches) ||
        atomic_load(&capture->awaited) > 0)
        return;
    mock.whole = true;
    mock.whole_at = mock.written_count;
    mock.whole_said = mock.said_count;
}

void ws_capture_skip(struct ws_capture *to, enum ws_skip_kind kind, uint32_t id, uint32_t pass,
                     uint32_t offset, uint64_t count, const char *reason)
{
    (void)to;
    (void)id;
    (void)pass;
    (void)offset;
    assert_non_null(reason);
    assert_true(kind == WS_SKIP_LAUNCH || kind == WS_SKIP_RECORDS || kind == WS_SKIP_GEOMETRY);
    if (kind == WS_SKIP_LAUNCH)
        mock.skipped += count;
    else if (kind == WS_SKIP_RECORDS)
        mock.records_skipped += count;
    else
        mock.geometry_skipped += count;
    if (kind == WS_SKIP_GEOMETRY)
        mock.geometry_reason = reason;
}

static void tally_launch(const struct ws_launch *launch)
{
    const bool right = launch->shader_count == 1 && launch->shaders[0].words[0] == launch->size[0];
    mock.tally.launches++;
    mock.tally.counted += right ? launch->size[0] : 0;
    mock.tally.wrong += !right;
}

/* Each record has the number of groups, and its own number. */
static void tally_records(const struct ws_chunk_records *chunk)
{
    bool right = chunk->word_count % MOCK_RECORD == 0;
    for (uint32_t i = 0; i + MOCK_RECORD <= chunk->word_count; i += MOCK_RECORD)
        right = right && chunk->words[i] == chunk->word_count / MOCK_RECORD &&
                chunk->words[i + 1] == i / MOCK_RECORD;
    mock.tally.records++;
    mock.tally.words += chunk->word_count;
    mock.tally.wrong += !right;
}

bool ws_capture_write_submission(struct ws_capture_writer *writer, const struct ws_chunk_submission *chunk,
                                 struct ws_error *error)
{
    (void)writer;
    (void)error;
    for (uint32_t i = 0; i < chunk->launch_count; i++) {
        const struct ws_launch *launch = &chunk->launches[i];
        if (mock.tallies) {
            tally_launch(launch);
            continue;
        }
        assert_true(mock.written_count < MOCK_WRITTEN);
        mock.written[mock.written_count++] = (struct mock_written){
            .index = launch->index,
            .queue = chunk->queue_index,
            .frame = (uint32_t)chunk->frame,
            .flags = chunk->flags,
            .groups = launch->size[0],
            .measured = launch->shader_count == 1,
            .counted = launch->shader_count == 1 ? launch->shaders[0].words[0] : 0,
            .shader_count = launch->shader_count,
            .pipeline_count = launch->pipeline_count,
            .counts = {launch->shader_count > 0 ? launch->shaders[0].words[0] : 0,
                       launch->shader_count > 1 ? launch->shaders[1].words[0] : 0},
        };
    }
    return true;
}

bool ws_capture_write_times(struct ws_capture_writer *writer, const struct ws_chunk_times *chunk,
                            struct ws_error *error)
{
    (void)writer;
    (void)error;
    assert_int_equal(chunk->valid_bits, mock.valid_bits);
    for (uint32_t i = 0; i < chunk->launch_count; i++) {
        struct mock_written *written = mock.written;
        while (written->index != chunk->launches[i].launch)
            written++;
        assert_true(written < mock.written + mock.written_count); /* after the SUBM chunk */
        assert_int_equal(written->queue, chunk->queue_index);
        assert_false(written->timed);
        written->timed = true;
        written->time_state = chunk->launches[i].state;
        written->ticks = chunk->launches[i].end - chunk->launches[i].begin;
    }
    return true;
}

bool ws_capture_write_yields(struct ws_capture_writer *writer, const struct ws_chunk_yields *chunk,
                             struct ws_error *error)
{
    (void)writer;
    (void)error;
    struct mock_written *written = mock.written;
    if (mock.tallies)
        return true;
    while (written->index != chunk->launch)
        written++;
    assert_true(written < mock.written + mock.written_count); /* after the SUBM chunk */
    if (chunk->shader_count != 1)
        return true;
    assert_int_equal(chunk->shaders[0].first, MOCK_YIELD_FIRST);
    assert_int_equal(chunk->shaders[0].word_count, MOCK_YIELD_COUNT);
    written->yielded = chunk->shaders[0].words[MOCK_YIELD_COUNT - 1];
    return true;
}

bool ws_capture_write_records(struct ws_capture_writer *writer, const struct ws_chunk_records *chunk,
                              struct ws_error *error)
{
    (void)writer;
    (void)error;
    if (mock.write_fails)
        return false;
    if (mock.tallies) {
        tally_records(chunk);
        return true;
    }
    assert_true(mock.records_count < MOCK_WRITTEN);
    assert_int_equal(chunk->bins, MOCK_BINS);
    assert_true(chunk->slot_count > 0);
    for (uint32_t i = 0; i < chunk->slot_count;
         i++) /* a suspended rendering's come with each launch of its batch */
        assert_int_equal(chunk->slots[i].shader, chunk->slots[i].slot == mock_other_shader.slot
                                                     ? mock_other_shader.capture_id
                                                     : mock_shader.capture_id);
    /* After the submission's counts. */
    assert_true(mock.written_count > 0 && mock.written[mock.written_count - 1].index >= chunk->launch);
    struct mock_records *records = &mock.records[mock.records_count++];
    *records = (struct mock_records){
        .submission = chunk->submission,
        .launch = chunk->launch,
        .flags = chunk->flags,
        .position = chunk->position,
        .first = chunk->first,
        .missing = chunk->missing,
        .sufficient = chunk->sufficient,
        .word_count = chunk->word_count,
    };
    for (uint32_t i = 0; i < chunk->word_count && i < MOCK_WORDS; i++)
        records->words[i] = chunk->words[i];
    return true;
}
