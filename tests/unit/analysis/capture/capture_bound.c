/* The chunks of what launches had bound: they come back as they were written, and what lies is refused. */
#include "tests/unit/analysis/capture/bound_sample.h"
#include "tests/unit/analysis/capture/capture_test.h"

static struct ws_reader *write_and_open(const struct bound_sample *sample, char path[64])
{
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    const struct ws_chunk_info info = {.version = "0.1.0"};
    const struct ws_chunk_device device = {.id = 0, .subgroup_size = 8, .bins = 8};
    const struct ws_chunk_pipeline pipeline = {.id = 0};
    const struct ws_chunk_structure structure = {.id = 1};
    assert_true(
        ws_capture_write_info(writer, &info, &error) && ws_capture_write_device(writer, &device, &error) &&
        ws_capture_write_pipeline(writer, &pipeline, &error) &&
        ws_capture_write_structure(writer, &structure, &error) && bound_sample_write(writer, sample, &error));
    ws_capture_writer_destroy(writer);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    unlink(path);
    return reader;
}

static const struct ws_chunk *next(struct ws_reader *reader, struct ws_chunk *chunk, uint32_t type)
{
    struct ws_error error = {{0}};
    while (ws_reader_next(reader, chunk, &error) == WS_READ_CHUNK)
        if (chunk->type == type)
            return chunk;
    fail_msg("there is no such chunk: %s", error.message);
    return NULL;
}

static void test_as_written(void **state)
{
    struct bound_sample sample;
    struct ws_chunk chunk;
    char path[64];
    (void)state;
    bound_sample_init(&sample, 1);
    struct ws_reader *reader = write_and_open(&sample, path);
    const struct ws_chunk_resources *given = &next(reader, &chunk, WS_CHUNK_RESOURCES)->resources;
    assert_int_equal(given->moment, 5);
    assert_int_equal(given->resource_count, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        const struct ws_resource *read = &given->resources[i], *wrote = &sample.resources[i];
        assert_int_equal(read->id, i);
        assert_int_equal(read->kind, wrote->kind);
        assert_int_equal(read->within, wrote->within);
        assert_int_equal(read->offset, wrote->offset);
        assert_int_equal(read->size, wrote->size);
        assert_int_equal(read->usage, wrote->usage);
        assert_int_equal(read->address, wrote->address);
        assert_int_equal(read->memory_type, wrote->memory_type);
        assert_int_equal(read->properties, wrote->properties);
        assert_int_equal(read->format, wrote->format);
        assert_string_equal(read->name, wrote->name != NULL ? wrote->name : "");
    }
    const struct ws_chunk_resources *again = &next(reader, &chunk, WS_CHUNK_RESOURCES)->resources;
    assert_string_equal(again->resources[0].name, "vertices");
    assert_int_equal(again->gone_count, 1);
    assert_int_equal(again->gone[0], 2);
    const struct ws_chunk_set *set = &next(reader, &chunk, WS_CHUNK_SET)->set;
    assert_int_equal(set->owner, 7);
    assert_int_equal(set->left_out, 3);
    assert_int_equal(set->descriptor_count, 3);
    assert_memory_equal(set->descriptors, sample.descriptors, sizeof(sample.descriptors));
    const struct ws_chunk_set_change *change = &next(reader, &chunk, WS_CHUNK_SET_CHANGE)->set_change;
    assert_int_equal(change->id, 1);
    assert_int_equal(change->base, 0);
    assert_int_equal(change->descriptor_count, 2);
    assert_memory_equal(change->descriptors, sample.changed, sizeof(sample.changed));
    const struct ws_chunk_bound *bound = &next(reader, &chunk, WS_CHUNK_BOUND)->bound;
    assert_int_equal(bound->launch_count, 1);
    const struct ws_bound_use *use = &bound->launches[0].uses[0];
    assert_int_equal(use->pipeline, 0);
    assert_int_equal(use->set_count, 2);
    assert_int_equal(use->sets[0].set, 1);
    assert_int_equal(use->sets[0].state, 0);
    assert_int_equal(use->sets[0].offset_count, 1);
    assert_int_equal(use->sets[0].offsets[0], 512);
    assert_int_equal(use->sets[1].set, WS_NONE);
    assert_int_equal(use->sets[1].reason, WS_BOUND_HEAP);
    struct ws_error error = {{0}};
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    assert_int_equal(ws_reader_summary(reader)->orphaned, 0);
    ws_reader_destroy(reader);
}

/* The whole is read: either all is well, or `message` says why not. Returns how many chunks refer to what is not there. */
static uint64_t read_all(const struct bound_sample *sample, const char *message)
{
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    char path[64];
    struct ws_reader *reader = write_and_open(sample, path);
    enum ws_read_result result = WS_READ_CHUNK;
    while (result == WS_READ_CHUNK)
        result = ws_reader_next(reader, &chunk, &error);
    assert_int_equal(result, message != NULL ? WS_READ_ERROR : WS_READ_END);
    if (message != NULL)
        assert_non_null(strstr(error.message, message));
    const uint64_t orphaned = ws_reader_summary(reader)->orphaned;
    ws_reader_destroy(reader);
    return orphaned;
}

static void test_what_lies_is_refused(void **state)
{
    struct bound_sample sample;
    (void)state;
#define LIES(change, message)                                                                                \
    bound_sample_init(&sample, 1);                                                                           \
    change;                                                                                                  \
    read_all(&sample, message)
    LIES(sample.resources[1].kind = WS_RESOURCE_KINDS, "a kind that is not known");
    LIES(sample.resources[1].id = WS_NONE, "the id that means none");
    LIES(sample.descriptors[1].element = 0, "do not rise");
    LIES(sample.descriptors[2].binding = 0, "do not rise");
    LIES(sample.set.id = WS_NONE, "the id that means none");
    LIES(sample.change.id = WS_NONE, "the id that means none");
    LIES(sample.change.id = 0, "a second time");
    LIES(sample.changed[1].binding = 0; sample.changed[1].element = 1, "do not rise");
}

static void test_what_refers_to_nothing(void **state)
{
    struct bound_sample sample;
    (void)state;
#define ORPHANS(change, count)                                                                               \
    bound_sample_init(&sample, 1);                                                                           \
    change;                                                                                                  \
    assert_int_equal(read_all(&sample, NULL), count)
    ORPHANS((void)0, 0);
    ORPHANS(sample.resources[1].within = 9, 1);
    ORPHANS(sample.gone = 9, 1);
    ORPHANS(sample.descriptors[0].resource = 9, 1);
    ORPHANS(sample.descriptors[2].resource = 9, 1); /* a structure */
    ORPHANS(sample.changed[0].resource = 9, 1);
    ORPHANS(sample.change.base = 9, 1);
    ORPHANS(sample.change.base = 9; sample.sets[0].state = 1, 1); /* launches may refer to it nevertheless */
    ORPHANS(sample.change.base = 1, 1);                           /* itself, which is not there yet */
    ORPHANS(sample.use.pipeline = 9, 1);
    ORPHANS(sample.sets[0].state = 9, 1);
    ORPHANS(sample.given.device = 9, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_written),
                                       cmocka_unit_test(test_what_lies_is_refused),
                                       cmocka_unit_test(test_what_refers_to_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
