/* The capture writer: what it writes is what was given, a full disk leaves a readable file, threads do not
 * mix their chunks, and a submission of any size gets through. */
#include "tests/unit/analysis/capture/capture_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/analysis/capture/capture_sample.h"
#include "warpscope/passes.h"

static void sample_comes_back(void **state)
{
    (void)state;
    char path[64];
    struct ws_error error = {{0}};
    temporary_path(path);
    assert_true(write_sample(path, &error));
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    static const uint32_t types[] = {WS_CHUNK_INFO,    WS_CHUNK_DEVICE,     WS_CHUNK_MODULE, WS_CHUNK_SITES,
                                     WS_CHUNK_SHADER,  WS_CHUNK_PIPELINE,   WS_CHUNK_NAME,   WS_CHUNK_SKIP,
                                     WS_CHUNK_MESSAGE, WS_CHUNK_SUBMISSION, WS_CHUNK_RECORDS};
    struct ws_chunk chunk;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
        assert_int_equal(chunk.type, types[i]);
        if (chunk.type == WS_CHUNK_INFO) {
            assert_int_equal(chunk.info.argument_count, 3);
            assert_string_equal(chunk.info.arguments[2], "64");
            assert_string_equal(chunk.info.engine, "");
            assert_string_equal(chunk.info.settings[1].key, "frames");
        } else if (chunk.type == WS_CHUNK_SUBMISSION) {
            const struct ws_shader_counters *counters = &chunk.submission.launches[0].shaders[0];
            assert_int_equal(counters->words[15], 30);
            assert_int_equal(counters->words[16], 1);
            assert_string_equal(chunk.submission.launches[0].label, "frame / rays");
        } else if (chunk.type == WS_CHUNK_RECORDS) {
            assert_int_equal(chunk.records.bins, 8);
            assert_int_equal(chunk.records.flags, WS_RECORDS_LAST);
            assert_int_equal(chunk.records.word_count, 32);
            assert_int_equal(chunk.records.words[2], 8 | 1u << 16);
            assert_int_equal(chunk.records.words[31], 7u << 16 | 0xff);
        }
    }
    for (int i = 0; i < GEOMETRY_SAMPLE_CHUNKS + BOUND_SAMPLE_CHUNKS; ++i)
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(chunk.type, WS_CHUNK_PROBE);
    assert_string_equal(chunk.probe.name, "counts");
    assert_int_equal(chunk.probe.word_count, 3);
    assert_int_equal(chunk.probe.words[2], 3);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(chunk.type, WS_CHUNK_YIELDS);
    /* Its zeros are left out where there are many. */
    assert_int_equal(chunk.yields.shader_count, 2);
    assert_int_equal(chunk.yields.shaders[0].first, 4);
    assert_int_equal(chunk.yields.shaders[0].word_count, 3);
    assert_memory_equal(chunk.yields.shaders[0].words, ((const uint32_t[]){7, 0, 8}), 12);
    assert_int_equal(chunk.yields.shaders[1].first, 63);
    assert_int_equal(chunk.yields.shaders[1].word_count, 1);
    assert_int_equal(chunk.yields.shaders[1].words[0], 9);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(chunk.type, WS_CHUNK_DONE);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    assert_true(ws_reader_summary(reader)->closed);
    ws_reader_destroy(reader);
    unlink(path);
}

enum { SPLIT_BINS = 64, SPLIT_ROWS = 100000 };

/* Writes what the submission below refers to: shader 0 with SPLIT_ROWS rows. */
static void write_many_rows(struct ws_capture_writer *writer)
{
    struct ws_error error = {{0}};
    struct ws_site_info *rows = calloc(SPLIT_ROWS, sizeof(*rows));
    const uint32_t words[2] = {0, 0};
    const struct ws_block_info block = {1, 0, 1, 1, 1};
    const uint32_t function = 1;
    const struct ws_entry_info entry = {
        .name = "main", .function = 1, .row_count = SPLIT_ROWS, .functions = &function, .function_count = 1};
    const struct ws_chunk_sites sites = {.row_count = SPLIT_ROWS,
                                         .passes = (const char *const[]){WS_PASS_SIMT_EFFICIENCY},
                                         .pass_count = 1,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = &block,
                                         .block_count = 1,
                                         .sites = rows,
                                         .site_count = SPLIT_ROWS};
    assert_non_null(rows);
    assert_true(ws_capture_write_device(writer, &(struct ws_chunk_device){.bins = SPLIT_BINS}, &error));
    assert_true(
        ws_capture_write_module(writer, &(struct ws_chunk_module){.words = words, .word_count = 2}, &error));
    assert_true(ws_capture_write_sites(writer, &sites, &error));
    assert_true(ws_capture_write_shader(writer, &(struct ws_chunk_shader){.stage = 1}, &error));
    free(rows);
}

/* What was read so far of the submission below. */
struct split {
    uint32_t chunks;
    uint32_t next_row; /* of the second launch's first shader */
    uint32_t extra;    /* pieces of its second one */
    uint64_t last_index;
    uint32_t based; /* launches with a base, as often as they come */
};

/* The launches 1 and 2 begin at a base, which every chunk has that has the launch. */
static bool check_base(const struct ws_chunk_submission *submission, const struct ws_launch *launch)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < submission->base_count; ++i)
        if (submission->bases[i].launch == launch->index) {
            assert_int_equal(submission->bases[i].base[0], 4 * launch->index);
            assert_int_equal(submission->bases[i].base[2], 6);
            found++;
        }
    assert_int_equal(found, (launch->flags & WS_LAUNCH_BASE) != 0);
    assert_true(submission->base_count <= submission->launch_count);
    return found > 0;
}

static void check_part(struct split *split, const struct ws_chunk_submission *submission)
{
    assert_true(submission->index == 11);
    assert_int_equal(submission->flags, split->chunks > 0 ? WS_SUBMISSION_CONTINUED : 0);
    split->chunks++;
    for (uint32_t i = 0; i < submission->launch_count; ++i) {
        const struct ws_launch *launch = &submission->launches[i];
        assert_true(launch->index >= split->last_index);
        split->last_index = launch->index;
        split->based += check_base(submission, launch);
        for (uint32_t j = 0; launch->index == 1 && j < launch->shader_count; ++j) {
            const struct ws_shader_counters *counters = &launch->shaders[j];
            bool extra = split->next_row == SPLIT_ROWS;
            assert_int_equal(launch->draws, 9);
            assert_int_equal(counters->row_first, extra ? 7 : split->next_row);
            assert_int_equal(counters->words[0], extra ? 0 : split->next_row * SPLIT_BINS);
            split->extra += extra;
            split->next_row += extra ? 0 : counters->row_count;
        }
    }
}

/* One shader with more rows than a chunk holds, in the second of three launches. */
static void large_submission_is_split(void **state)
{
    (void)state;
    char path[64];
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct split split = {0};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    uint32_t *words = malloc((size_t)SPLIT_ROWS * SPLIT_BINS * sizeof(*words));
    assert_non_null(writer);
    assert_non_null(words);
    for (uint32_t i = 0; i < SPLIT_ROWS * SPLIT_BINS; ++i)
        words[i] = i;
    write_many_rows(writer);
    const struct ws_shader_counters few = {0, 5, 2, SPLIT_BINS, words};
    const struct ws_shader_counters many[] = {{0, 0, SPLIT_ROWS, SPLIT_BINS, words},
                                              {0, 7, 1, SPLIT_BINS, words}};
    const struct ws_launch launches[] = {
        {.index = 0, .label = "first", .shaders = &few, .shader_count = 1},
        {.index = 1,
         .label = "second",
         .draws = 9,
         .shaders = many,
         .shader_count = 2,
         .flags = WS_LAUNCH_BASE},
        {.index = 2, .label = "third", .flags = WS_LAUNCH_BASE},
    };
    const struct ws_launch_base bases[] = {{1, {4, 5, 6}}, {2, {8, 5, 6}}};
    const struct ws_chunk_submission submission = {
        .index = 11, .launches = launches, .launch_count = 3, .bases = bases, .base_count = 2};
    assert_true(ws_capture_write_submission(writer, &submission, &error));
    ws_capture_writer_destroy(writer);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        if (chunk.type == WS_CHUNK_SUBMISSION)
            check_part(&split, &chunk.submission);
    assert_string_equal(error.message, "");
    assert_int_equal(split.next_row, SPLIT_ROWS);
    assert_int_equal(split.extra, 1);
    assert_true(split.last_index == 2);
    assert_true(split.based == split.chunks + 1 || split.based == split.chunks);
    assert_true(split.chunks >= 2);
    ws_reader_destroy(reader);
    free(words);
    unlink(path);
}

/* What is read of the records below. */
static void check_piece(const struct ws_chunk_records *records, uint32_t piece, uint32_t total)
{
    const uint32_t at = piece * WS_RECORDS_PIECE;
    const bool last = total - at <= WS_RECORDS_PIECE;
    assert_true(records->submission == UINT64_C(1) << 40 && records->launch == UINT64_C(3) << 33);
    assert_int_equal(records->device, 0);
    assert_int_equal(records->flags, last ? WS_RECORDS_LAST : 0);
    assert_int_equal(records->bins, 64);
    assert_int_equal(records->position, 1000 + at);
    assert_int_equal(records->first, 900);
    assert_true(records->missing == UINT64_C(5) << 32 && records->sufficient == UINT64_C(6) << 32);
    assert_int_equal(records->slot_count, 2);
    assert_int_equal(records->slots[1].slot, 65535);
    assert_int_equal(records->slots[1].shader, 0);
    assert_int_equal(records->word_count, last ? total - at : WS_RECORDS_PIECE);
    for (uint32_t i = 0; i < records->word_count; ++i)
        if (records->words[i] != (at + i) * UINT32_C(2654435761))
            fail_msg("word %u of piece %u is another", i, piece);
}

/* Two pieces and a bit, of words that do not compress; nothing; and not a word more than a piece. */
static void records_are_cut_into_pieces(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2 * WS_RECORDS_PIECE + 7, 0, WS_RECORDS_PIECE};
    char path[64];
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    uint32_t *words = malloc(counts[0] * sizeof(*words));
    assert_non_null(writer);
    assert_non_null(words);
    for (uint32_t i = 0; i < counts[0]; ++i)
        words[i] = i * UINT32_C(2654435761);
    write_many_rows(writer);
    const struct ws_slot_shader slots[] = {{3, 0}, {65535, 0}};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i)
        assert_true(ws_capture_write_records(writer,
                                             &(struct ws_chunk_records){.submission = UINT64_C(1) << 40,
                                                                        .launch = UINT64_C(3) << 33,
                                                                        .flags = WS_RECORDS_LAST,
                                                                        .bins = 64,
                                                                        .position = 1000,
                                                                        .first = 900,
                                                                        .missing = UINT64_C(5) << 32,
                                                                        .sufficient = UINT64_C(6) << 32,
                                                                        .slots = slots,
                                                                        .slot_count = 2,
                                                                        .words = counts[i] > 0 ? words : NULL,
                                                                        .word_count = counts[i]},
                                             &error));
    ws_capture_writer_destroy(writer);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    uint32_t piece = 0;
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        if (chunk.type == WS_CHUNK_RECORDS) {
            check_piece(&chunk.records, piece < 3 ? piece : 0, counts[piece < 3 ? 0 : piece - 2]);
            piece++;
        }
    assert_string_equal(error.message, "");
    assert_int_equal(piece, 5);
    ws_reader_destroy(reader);
    free(words);
    unlink(path);
}

/* A file size limit is met as a full disk is: the partial chunk is cut off, the error comes once. */
static void full_disk_leaves_whole_chunks(void **state)
{
    (void)state;
    char path[64];
    char text[2000];
    struct ws_error error = {{0}};
    temporary_path(path);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max});
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    assert_true(ws_capture_write_message(writer, &(struct ws_chunk_message){0, "short"}, &error));
    for (size_t i = 0; i < sizeof(text) - 1; ++i)
        text[i] = (char)('!' + rand() % 90);
    text[sizeof(text) - 1] = '\0';
    assert_false(ws_capture_write_message(writer, &(struct ws_chunk_message){0, text}, &error));
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, strerror(EFBIG)));
    error.message[0] = '\0';
    assert_false(ws_capture_write_message(writer, &(struct ws_chunk_message){0, "short"}, &error));
    assert_string_equal(error.message, "");
    ws_capture_writer_destroy(writer);
    setrlimit(RLIMIT_FSIZE, &before);

    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    struct ws_chunk chunk;
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_string_equal(chunk.message.text, "short");
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    assert_false(ws_reader_summary(reader)->broken);
    assert_false(ws_reader_summary(reader)->closed);
    ws_reader_destroy(reader);
    unlink(path);
}

static void bad_paths_are_named(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    assert_null(ws_capture_writer_create("/nowhere/at/all.wscope", &error));
    assert_non_null(strstr(error.message, "/nowhere/at/all.wscope"));
    error.message[0] = '\0';
    assert_null(ws_capture_writer_create("/dev/full", &error));
    assert_non_null(strstr(error.message, "/dev/full"));
    ws_capture_writer_destroy(NULL);
}

/* What others would refer to takes them with it, and the capture stays readable. */
static void a_definition_that_cannot_be_made(void **state)
{
    (void)state;
    char path[64];
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    const uint32_t word = 0;
    /* Larger than a chunk may be, so that no word is looked at. */
    const struct ws_chunk_module module = {.words = &word, .word_count = WS_CHUNK_MAX / sizeof(word)};
    assert_false(ws_capture_write_module(writer, &module, &error));
    assert_non_null(strstr(error.message, "MODL"));
    error.message[0] = '\0';
    assert_false(ws_capture_write_sites(writer, &(struct ws_chunk_sites){.module = module.id}, &error));
    assert_false(ws_capture_write_module(writer, &module, &error));
    assert_false(ws_capture_write_submission(writer, &(struct ws_chunk_submission){.index = 0}, &error));
    assert_string_equal(error.message, "");
    assert_true(ws_capture_write_message(writer, &(struct ws_chunk_message){0, "on"}, &error));
    ws_capture_writer_destroy(writer);

    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    struct ws_chunk chunk;
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_string_equal(chunk.message.text, "on");
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    ws_reader_destroy(reader);
    unlink(path);
}

enum { THREADS = 4, MESSAGES = 200 };

/* Behind the end nothing is written, which is no failure. The file is another's then. */
static void an_ended_capture_stays_as_it_is(void **state)
{
    (void)state;
    char path[64];
    struct ws_chunk chunk;
    struct ws_error error = {{0}};
    _Atomic uint64_t shown = 0;
    struct stat status;
    temporary_path(path);
    unlink(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    ws_capture_writer_show(writer, &shown);
    assert_int_equal(shown, WS_CAPTURE_HEADER_SIZE);
    const struct ws_chunk_message message = {.text = "first"};
    assert_true(ws_capture_write_message(writer, &message, &error));
    assert_true(ws_capture_writer_end(writer, &(struct ws_chunk_done){.frames = 3}, &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(shown, status.st_size);
    assert_false(ws_capture_write_message(writer, &message, &error));
    assert_false(ws_capture_write_done(writer, &(struct ws_chunk_done){.frames = 4}, &error));
    assert_string_equal(error.message, "");
    /* It is unlocked: a later run may replace it. */
    struct ws_capture_writer *later = ws_capture_writer_create(path, &error);
    assert_non_null(later);
    ws_capture_writer_destroy(later);
    ws_capture_writer_destroy(writer);

    writer = ws_capture_writer_create(path, &error);
    assert_true(ws_capture_write_message(writer, &message, &error));
    assert_true(ws_capture_writer_end(writer, &(struct ws_chunk_done){.frames = 3}, &error));
    assert_false(ws_capture_write_message(writer, &message, &error));
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
    assert_int_equal(chunk.type, WS_CHUNK_DONE);
    assert_int_equal(chunk.done.frames, 3);
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    assert_true(ws_reader_summary(reader)->closed);
    ws_reader_destroy(reader);
    ws_capture_writer_destroy(writer);
    unlink(path);
}

/* Only captures and empty files are replaced. */
static void files_of_others_are_left_alone(void **state)
{
    (void)state;
    char path[64], content[16] = "";
    struct ws_error error = {{0}};
    temporary_path(path);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("my thesis", file) > 0 && fclose(file) == 0);
    assert_null(ws_capture_writer_create(path, &error));
    assert_non_null(strstr(error.message, "that file is no capture, and is left alone; name another"));
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(content, 1, sizeof(content), file), 9);
    assert_memory_equal(content, "my thesis", 9);
    fclose(file);
    assert_int_equal(truncate(path, 0), 0);
    error.message[0] = '\0';
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    ws_capture_writer_destroy(writer);
    writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    ws_capture_writer_destroy(writer);
    unlink(path);
}

static void *write_messages(void *user)
{
    for (int i = 0; i < MESSAGES; ++i)
        if (!ws_capture_write_message(user, &(struct ws_chunk_message){0, "from some thread"}, NULL))
            return user;
    return NULL;
}

static void threads_write_whole_chunks(void **state)
{
    (void)state;
    char path[64];
    struct ws_error error = {{0}};
    pthread_t threads[THREADS];
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, write_messages, writer), 0);
    for (int i = 0; i < THREADS; ++i) {
        void *failed = writer;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    ws_capture_writer_destroy(writer);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    struct ws_chunk chunk;
    int count = 0;
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        count++;
    assert_int_equal(count, THREADS * MESSAGES);
    assert_true(ws_reader_summary(reader)->damaged == 0);
    ws_reader_destroy(reader);
    unlink(path);
}

/* Bytes of a text that the thread writes, not the caller; it does not compress. */
#define LONG_TEXT 200000

/* A text that begins with `number`. */
static char *long_text(unsigned number)
{
    char *text = malloc(LONG_TEXT + 1);
    assert_non_null(text);
    uint64_t random = number + 1;
    for (size_t i = 0; i < LONG_TEXT; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        text[i] = (char)('!' + random % 90);
    }
    text[snprintf(text, 16, "%u", number)] = ' ';
    text[LONG_TEXT] = '\0';
    return text;
}

static bool write_text(struct ws_capture_writer *writer, unsigned number, bool is_long,
                       struct ws_error *error)
{
    char text[16];
    char *made = is_long ? long_text(number) : NULL;
    snprintf(text, sizeof(text), "%u ", number);
    const bool written =
        ws_capture_write_message(writer, &(struct ws_chunk_message){0, is_long ? made : text}, error);
    free(made);
    return written;
}

/* How many messages the capture has, each of them whole and numbered in order. */
static unsigned count_texts(const char *path, bool *closed)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    unsigned count = 0;
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        if (chunk.type != WS_CHUNK_MESSAGE)
            continue;
        assert_int_equal(strtoul(chunk.message.text, NULL, 10), count);
        count++;
    }
    assert_int_equal(ws_reader_summary(reader)->damaged, 0);
    *closed = ws_reader_summary(reader)->closed;
    ws_reader_destroy(reader);
    return count;
}

enum { TEXTS = 300 };

/* More than may wait: 20 MB. */
static void large_chunks_keep_their_order(void **state)
{
    (void)state;
    char path[64];
    bool closed = false;
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (unsigned i = 0; i < TEXTS; i++)
        assert_true(write_text(writer, i, i % 3 == 0, &error));
    assert_true(ws_capture_write_done(writer, &(struct ws_chunk_done){0}, &error));
    assert_int_equal(count_texts(path, &closed), TEXTS); /* DONE waits for all */
    assert_true(closed);
    ws_capture_writer_destroy(writer);
    unlink(path);
}

/* Small ones that come in quick succession go to the thread as well: in their order, all of them, and none is damaged. */
static void many_small_chunks_keep_their_order(void **state)
{
    (void)state;
    char path[64];
    bool closed = false;
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (unsigned i = 0; i < 20000; i++)
        assert_true(write_text(writer, i, false, &error));
    assert_true(ws_capture_write_done(writer, &(struct ws_chunk_done){0}, &error));
    assert_int_equal(count_texts(path, &closed), 20000);
    assert_true(closed);
    ws_capture_writer_destroy(writer);
    unlink(path);
}

/* Without DONE, too, nothing that was given is missing. */
static void the_end_waits_for_large_chunks(void **state)
{
    (void)state;
    char path[64];
    bool closed = true;
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (unsigned i = 0; i < 20; i++)
        assert_true(write_text(writer, i, true, &error));
    ws_capture_writer_destroy(writer);
    assert_int_equal(count_texts(path, &closed), 20);
    assert_false(closed);
    unlink(path);
}

/* What the thread finds is said once, by a later call. */
static void a_disk_that_fills_up_meanwhile(void **state)
{
    (void)state;
    char path[64];
    bool closed = true;
    unsigned said = 0;
    struct rlimit before;
    struct ws_error error = {{0}};
    temporary_path(path);
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){5 * LONG_TEXT, before.rlim_max});
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (unsigned i = 0; i < 20; i++) {
        const bool written = write_text(writer, i, true, &error);
        said += error.message[0] != '\0';
        assert_true(error.message[0] == '\0' || (!written && strstr(error.message, strerror(EFBIG)) != NULL));
        error.message[0] = '\0';
    }
    assert_false(ws_capture_write_done(writer, &(struct ws_chunk_done){0}, &error));
    said += error.message[0] != '\0';
    assert_int_equal(said, 1);
    ws_capture_writer_destroy(writer);
    setrlimit(RLIMIT_FSIZE, &before);
    const unsigned count = count_texts(path, &closed);
    assert_true(count >= 4 && count <= 6); /* this text shrinks by a sixth */
    assert_false(closed);
    unlink(path);
}

/* The child of a fork writes nothing, waits for nothing, and ends; the parent's capture is whole. */
static void a_fork_while_chunks_wait(void **state)
{
    (void)state;
    char path[64];
    bool closed = false;
    struct ws_error error = {{0}};
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    for (unsigned i = 0; i < 20; i++)
        assert_true(write_text(writer, i, true, &error));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool small = write_text(writer, 100, false, &error);
        const bool said = strstr(error.message, "forked") != NULL;
        const bool large = write_text(writer, 101, true, NULL);
        ws_capture_writer_destroy(writer);
        _exit(small || large || !said ? 1 : 0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(ws_capture_write_done(writer, &(struct ws_chunk_done){0}, &error));
    ws_capture_writer_destroy(writer);
    assert_int_equal(count_texts(path, &closed), 20);
    assert_true(closed);
    unlink(path);
}

/* What was written by the caller is there, and nothing is damaged. */
static void a_process_killed_while_chunks_wait(void **state)
{
    (void)state;
    char path[64];
    bool closed = true;
    temporary_path(path);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ws_capture_writer *writer = ws_capture_writer_create(path, NULL);
        for (unsigned i = 0; writer != NULL && i < 60; i++)
            write_text(writer, i, i >= 10, NULL);
        raise(SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(count_texts(path, &closed) >= 10);
    assert_false(closed);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_comes_back),
        cmocka_unit_test(large_submission_is_split),
        cmocka_unit_test(records_are_cut_into_pieces),
        cmocka_unit_test(full_disk_leaves_whole_chunks),
        cmocka_unit_test(bad_paths_are_named),
        cmocka_unit_test(a_definition_that_cannot_be_made),
        cmocka_unit_test(threads_write_whole_chunks),
        cmocka_unit_test(large_chunks_keep_their_order),
        cmocka_unit_test(many_small_chunks_keep_their_order),
        cmocka_unit_test(the_end_waits_for_large_chunks),
        cmocka_unit_test(a_disk_that_fills_up_meanwhile),
        cmocka_unit_test(a_fork_while_chunks_wait),
        cmocka_unit_test(a_process_killed_while_chunks_wait),
        cmocka_unit_test(an_ended_capture_stays_as_it_is),
        cmocka_unit_test(files_of_others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
