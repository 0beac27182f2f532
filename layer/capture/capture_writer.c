/* See capture_writer.h. A payload is encoded before the lock is taken. Small chunks are compressed and written under the
 * lock, large ones by the thread of chunk_queue.h; as long as that has any, all others go there too, so that the file
 * keeps their order. */
#include "layer/capture/capture_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/capture/capture_file.h"
#include "layer/capture/chunk_compressor.h"
#include "layer/capture/chunk_payload.h"
#include "layer/capture/chunk_queue.h"
#include "layer/capture/kept_blocks.h"
#include "layer/process/lock.h"
#include "warpscope/base/array.h"

/* A submission is split into chunks of about this many bytes, so that neither the writer nor a reader needs a
 * buffer of WS_CHUNK_MAX. */
#define SUBMISSION_CHUNK (16u << 20)

/* From so many bytes on a chunk is left to the thread. Below, the caller is done sooner than the thread is awake, unless
 * chunks come so often that the thread is woken once for many. */
#define QUEUED_FROM WS_CHUNK_QUEUE_URGENT

struct ws_capture_writer {
    pthread_mutex_t lock; /* guards all below */
    struct ws_chunk_queue *queue;
    struct ws_capture_file
        file;           /* this, the compressor and its room are the thread's while the queue is not idle */
    const char *failed; /* why the file cannot be written; NULL = it can */
    bool failure_said;
    _Atomic bool inherited;  /* by a fork's child, which has been told so */
    bool incomplete;         /* a definition is missing: only messages and DONE still have a meaning */
    bool interrupted;        /* a chunk came while the same thread wrote another */
    bool ending;             /* only DONE is written any more ... */
    bool ended;              /* ... and then nothing, which is no failure */
    _Atomic uint64_t *shown; /* the file's size, for those who look on; NULL = nobody does */
    struct ws_chunk_compressor *compressor;
    uint8_t *compressed; /* a chunk as it goes to the file: header and compressed payload */
    size_t compressed_capacity;
    struct ws_blocks blocks; /* of chunks with records and blobs; without the lock */
    char *path;              /* for messages */
};

static void store(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        at[i] = (uint8_t)(value >> (8 * i));
}

static bool write_header(struct ws_capture_writer *writer, struct ws_error *error)
{
    uint8_t header[WS_CAPTURE_HEADER_SIZE] = {0};
    memcpy(header, WS_CAPTURE_MAGIC, WS_CAPTURE_MAGIC_SIZE);
    store(header + WS_CAPTURE_MAGIC_SIZE, WS_CAPTURE_VERSION, 4);
    const char *why = ws_capture_file_clear(&writer->file)
                          ? ws_capture_file_append(&writer->file, header, sizeof(header))
                          : strerror(errno);
    return why == NULL || ws_error_set(error, "cannot write the capture '%s': %s", writer->path, why);
}

/* Compresses the payload into writer->compressed, behind room for the chunk header. Returns the compressed
 * size; 0 where compression fails or gains nothing, and the payload is to be stored as it is. */
static size_t compress(struct ws_capture_writer *writer, uint32_t type,
                       const struct ws_chunk_payload *payload)
{
    const size_t capacity = WS_CHUNK_HEADER_SIZE + ws_chunk_compressed_bound(payload->size);
    if (capacity > writer->compressed_capacity) {
        uint8_t *compressed = realloc(writer->compressed, capacity);
        if (compressed == NULL)
            return 0;
        writer->compressed = compressed;
        writer->compressed_capacity = capacity;
    }
    return ws_chunk_compress(writer->compressor, type, payload, WS_CHUNK_HEADER_SIZE,
                             writer->compressed + WS_CHUNK_HEADER_SIZE);
}

/* Writes one chunk, and returns why that failed. `payload` begins with WS_CHUNK_HEADER_SIZE bytes for the header. */
static const char *write_chunk(void *user, uint32_t type, struct ws_chunk_payload *payload)
{
    struct ws_capture_writer *writer = user;
    if (writer->failed != NULL)
        return writer->failed;
    const size_t size = payload->size - WS_CHUNK_HEADER_SIZE;
    const size_t compressed = compress(writer, type, payload);
    uint8_t *chunk = compressed > 0 ? writer->compressed : payload->data;
    const size_t stored = compressed > 0 ? compressed : size;
    store(chunk, type, 4);
    store(chunk + 4, (compressed > 0 ? WS_CHUNK_ZSTD : 0) | (payload->saved > 0 ? WS_CHUNK_PACKED : 0), 4);
    store(chunk + 8, stored, 8);
    store(chunk + 16, size + payload->saved, 8);
    store(chunk + 24, XXH3_64bits_withSeed(chunk + WS_CHUNK_HEADER_SIZE, stored, XXH3_64bits(chunk, 24)), 8);
    const char *why = ws_capture_file_append(&writer->file, chunk, WS_CHUNK_HEADER_SIZE + stored);
    if (writer->shown != NULL)
        atomic_store_explicit(writer->shown, (uint64_t)writer->file.size, memory_order_relaxed);
    return why;
}

static void note_written(void *user, const char *why)
{
    ((struct ws_capture_writer *)user)->failed = why;
}

struct ws_capture_writer *ws_capture_writer_create(const char *path, struct ws_error *error)
{
    struct ws_capture_file file;
    struct stat status;
    if (ws_capture_file_open(&file, path, &status, error))
        return ws_capture_writer_create_in(&file, path, error);
    ws_error_set(error, "the capture '%s' belongs to another process", path);
    return NULL;
}

struct ws_capture_writer *ws_capture_writer_create_in(struct ws_capture_file *file, const char *path,
                                                      struct ws_error *error)
{
    struct ws_capture_writer *writer = calloc(1, sizeof(*writer));
    if (writer == NULL) {
        ws_error_set(error, "no memory for the writer of the capture '%s'", path);
        ws_capture_file_close(file);
        return NULL;
    }
    ws_lock_init(&writer->lock);
    writer->file = *file;
    writer->path = strdup(path);
    writer->compressor = ws_chunk_compressor_create();
    writer->queue = ws_chunk_queue_create(&writer->lock,
                                          &(struct ws_chunk_queue_calls){write_chunk, note_written, writer});
    if (writer->path == NULL || writer->compressor == NULL || writer->queue == NULL) {
        ws_error_set(error, "no memory for the writer of the capture '%s'", path);
        goto error;
    }
    if (!write_header(writer, error))
        goto error;
    return writer;
error:
    ws_capture_writer_destroy(writer);
    return NULL;
}

void ws_capture_writer_show(struct ws_capture_writer *writer, _Atomic uint64_t *size)
{
    ws_lock(&writer->lock);
    ws_chunk_queue_flush(writer->queue);
    writer->shown = size;
    if (size != NULL)
        atomic_store_explicit(size, (uint64_t)writer->file.size, memory_order_relaxed);
    ws_unlock(&writer->lock);
}

bool ws_capture_writer_end(struct ws_capture_writer *writer, const struct ws_chunk_done *done,
                           struct ws_error *error)
{
    ws_lock(&writer->lock);
    writer->ending = true;
    ws_unlock(&writer->lock);
    const bool written = ws_capture_write_done(writer, done, error);
    ws_lock(&writer->lock);
    writer->ended = true;
    if (ws_chunk_queue_flush(writer->queue))
        ws_capture_file_close(&writer->file);
    ws_unlock(&writer->lock);
    return written;
}

void ws_capture_writer_destroy(struct ws_capture_writer *writer)
{
    if (writer == NULL)
        return;
    ws_chunk_queue_destroy(writer->queue);
    ws_capture_file_close(&writer->file);
    ws_chunk_compressor_destroy(writer->compressor);
    pthread_mutex_destroy(&writer->lock);
    ws_blocks_finish(&writer->blocks);
    free(writer->compressed);
    free(writer->path);
    free(writer);
}

/* Whether later chunks may refer to what the chunk defines: without it the capture could not be read on. */
static bool is_definition(uint32_t type)
{
    return type == WS_CHUNK_INFO || type == WS_CHUNK_DEVICE || type == WS_CHUNK_MODULE ||
           type == WS_CHUNK_SITES || type == WS_CHUNK_SHADER || type == WS_CHUNK_PIPELINE ||
           type == WS_CHUNK_STRUCTURE;
}

static bool is_wanted(const struct ws_capture_writer *writer, uint32_t type)
{
    if (writer->failed != NULL || writer->ended || (writer->ending && type != WS_CHUNK_DONE))
        return false;
    return !writer->incomplete || type == WS_CHUNK_MESSAGE || type == WS_CHUNK_DONE;
}

/* Handles a chunk that could not be encoded. Where it is a definition, nothing that might refer to it is
 * written either. */
static bool refuse(struct ws_capture_writer *writer, uint32_t type, const char *reason,
                   struct ws_error *error)
{
    const char name[4] = {(char)type, (char)(type >> 8), (char)(type >> 16), (char)(type >> 24)};
    ws_lock(&writer->lock);
    const bool wanted = is_wanted(writer, type);
    writer->incomplete = writer->incomplete || is_definition(type);
    ws_unlock(&writer->lock);
    if (wanted)
        ws_error_set(error, "a %.4s chunk of the capture '%s' could not be made: %s%s", name, writer->path,
                     reason, is_definition(type) ? "; nothing more is counted" : "");
    return false;
}

/* Handles a chunk that comes while this same thread writes another: a signal handler has interrupted it. */
static bool refuse_inner(struct ws_capture_writer *writer, uint32_t type, struct ws_error *error)
{
    const bool first = !writer->interrupted;
    writer->interrupted = true;
    writer->incomplete = writer->incomplete || is_definition(type);
    return first && ws_error_set(error,
                                 "Vulkan was called out of a signal handler, in the middle of another call: "
                                 "the capture '%s' is incomplete",
                                 writer->path);
}

/* Handles a chunk of a fork's child, without the lock: the thread may have had it when the process was forked. */
static bool refuse_inherited(struct ws_capture_writer *writer, struct ws_error *error)
{
    return !atomic_exchange(&writer->inherited, true) &&
           ws_error_set(
               error,
               "cannot write the capture '%s': it belongs to the process that this one was forked from",
               writer->path);
}

/* Says once why the file cannot be written. */
static void say_failure(struct ws_capture_writer *writer, struct ws_error *error)
{
    if (writer->failed == NULL || writer->failure_said || error == NULL)
        return;
    writer->failure_said = true;
    ws_error_set(error,
                 "cannot write the capture '%s' past %lld bytes: %s; nothing more is recorded, what is there "
                 "stays readable",
                 writer->path, (long long)writer->file.size, writer->failed);
}

/* Puts a chunk that is wanted to the queue, or writes it. */
static void put(struct ws_capture_writer *writer, uint32_t type, struct ws_chunk_payload *payload)
{
    const bool queued = !ws_chunk_queue_is_idle(writer->queue) || payload->size >= QUEUED_FROM ||
                        ws_chunk_queue_is_busy(writer->queue);
    if (queued && ws_chunk_queue_make_room(writer->queue, payload->size)) {
        if (!is_wanted(writer, type)) /* another thread has ended the capture meanwhile */
            return;
        if (ws_chunk_queue_put(writer->queue, type, payload))
            return;
    }
    /* No thread, or no memory: the chunks before it come first. */
    if (ws_chunk_queue_flush(writer->queue) && is_wanted(writer, type))
        note_written(writer, write_chunk(writer, type, payload));
}

/* Writes one chunk, or leaves that to the thread: then what fails is said by a later call. */
static bool append(struct ws_capture_writer *writer, uint32_t type, struct ws_chunk_payload *payload,
                   struct ws_error *error)
{
    if (payload->failure != NULL)
        return refuse(writer, type, payload->failure, error);
    if (ws_chunk_queue_is_inherited(writer->queue))
        return refuse_inherited(writer, error);
    if (!ws_lock_once(&writer->lock))
        return refuse_inner(writer, type, error);
    bool taken = is_wanted(writer, type);
    if (taken)
        put(writer, type, payload);
    if (taken && type == WS_CHUNK_DONE)
        taken = ws_chunk_queue_flush(writer->queue);
    taken = taken && writer->failed == NULL;
    say_failure(writer, error);
    ws_unlock(&writer->lock);
    return taken;
}

uint64_t ws_capture_writer_waited(struct ws_capture_writer *writer)
{
    ws_lock(&writer->lock);
    const uint64_t waited = ws_chunk_queue_waited(writer->queue);
    ws_unlock(&writer->lock);
    return waited;
}

/* Each chunk that is one payload: encode, append, free. */
#define WRITE_CHUNK(kind, type)                                                                              \
    bool ws_capture_write_##kind(struct ws_capture_writer *writer, const struct ws_chunk_##kind *chunk,      \
                                 struct ws_error *error)                                                     \
    {                                                                                                        \
        struct ws_chunk_payload payload;                                                                     \
        ws_chunk_payload_init(&payload, WS_CHUNK_HEADER_SIZE);                                               \
        ws_chunk_payload_put(&payload, type, chunk);                                                         \
        bool written = append(writer, type, &payload, error);                                                \
        ws_chunk_payload_finish(&payload);                                                                   \
        return written;                                                                                      \
    }

WRITE_CHUNK(info, WS_CHUNK_INFO)
WRITE_CHUNK(device, WS_CHUNK_DEVICE)
WRITE_CHUNK(module, WS_CHUNK_MODULE)
WRITE_CHUNK(sites, WS_CHUNK_SITES)
WRITE_CHUNK(shader, WS_CHUNK_SHADER)
WRITE_CHUNK(pipeline, WS_CHUNK_PIPELINE)
WRITE_CHUNK(name, WS_CHUNK_NAME)
WRITE_CHUNK(structure, WS_CHUNK_STRUCTURE)
WRITE_CHUNK(build, WS_CHUNK_BUILD)
WRITE_CHUNK(copy, WS_CHUNK_COPY)
WRITE_CHUNK(gone, WS_CHUNK_GONE)
WRITE_CHUNK(groups, WS_CHUNK_GROUPS)
WRITE_CHUNK(tables, WS_CHUNK_TABLES)
WRITE_CHUNK(image, WS_CHUNK_IMAGE)
WRITE_CHUNK(probe, WS_CHUNK_PROBE)
WRITE_CHUNK(resources, WS_CHUNK_RESOURCES)
WRITE_CHUNK(set, WS_CHUNK_SET)
WRITE_CHUNK(set_change, WS_CHUNK_SET_CHANGE)
WRITE_CHUNK(bound, WS_CHUNK_BOUND)
WRITE_CHUNK(skip, WS_CHUNK_SKIP)
WRITE_CHUNK(message, WS_CHUNK_MESSAGE)
WRITE_CHUNK(done, WS_CHUNK_DONE)
#undef WRITE_CHUNK

bool ws_capture_write_times(struct ws_capture_writer *writer, const struct ws_chunk_times *chunk,
                            struct ws_error *error)
{
    struct ws_chunk_times piece = *chunk;
    bool written = true;
    for (uint32_t first = 0; first < chunk->launch_count && written; first += piece.launch_count) {
        struct ws_chunk_payload payload;
        piece.launches = chunk->launches + first;
        piece.launch_count = chunk->launch_count - first;
        if (piece.launch_count > WS_TIMES_PIECE)
            piece.launch_count = WS_TIMES_PIECE;
        ws_chunk_payload_init(&payload, WS_CHUNK_HEADER_SIZE);
        ws_chunk_payload_put(&payload, WS_CHUNK_TIMES, &piece);
        written = append(writer, WS_CHUNK_TIMES, &payload, error);
        ws_chunk_payload_finish(&payload);
    }
    return written;
}

/* Stretches of a launch's yields for the next chunk. */
#define YIELD_RUNS 256
struct yields {
    struct ws_shader_yields runs[YIELD_RUNS];
    uint32_t count;
    uint32_t words; /* of all of them */
};

/* As many zeros in a row end a stretch: its beginning takes 12 bytes. */
#define YIELD_ZEROS 16

/* The next stretch of a shader's words from `*at` on, with at most `room` words, which begins and ends with a word other
 * than 0; moves `*at` behind it. False where there is none. */
static bool next_run(const struct ws_shader_yields *shader, uint32_t *at, uint32_t room,
                     struct ws_shader_yields *run)
{
    uint32_t begin = *at;
    while (begin < shader->word_count && shader->words[begin] == 0)
        begin++;
    uint32_t end = begin;
    for (uint32_t i = begin; i < shader->word_count && i - begin < room && i - end <= YIELD_ZEROS; i++)
        if (shader->words[i] != 0)
            end = i + 1;
    *at = end;
    *run =
        (struct ws_shader_yields){shader->shader, shader->first + begin, shader->words + begin, end - begin};
    return end > begin;
}

static bool flush_yields(struct ws_capture_writer *writer, const struct ws_chunk_yields *chunk,
                         struct yields *yields, struct ws_error *error)
{
    struct ws_chunk_yields piece = *chunk;
    struct ws_chunk_payload payload;
    if (yields->count == 0)
        return true;
    piece.shaders = yields->runs;
    piece.shader_count = yields->count;
    ws_chunk_payload_init(&payload, WS_CHUNK_HEADER_SIZE);
    ws_chunk_payload_put(&payload, WS_CHUNK_YIELDS, &piece);
    const bool written = append(writer, WS_CHUNK_YIELDS, &payload, error);
    ws_chunk_payload_finish(&payload);
    yields->count = yields->words = 0;
    return written;
}

bool ws_capture_write_yields(struct ws_capture_writer *writer, const struct ws_chunk_yields *chunk,
                             struct ws_error *error)
{
    struct yields yields; /* most shaders yield nothing: its kilobytes are not cleared for them */
    yields.count = yields.words = 0;
    for (uint32_t i = 0; i < chunk->shader_count; i++) {
        uint32_t at = 0;
        struct ws_shader_yields run;
        while (next_run(&chunk->shaders[i], &at, WS_YIELDS_PIECE - yields.words, &run)) {
            yields.runs[yields.count++] = run;
            yields.words += run.word_count;
            if ((yields.count == YIELD_RUNS || yields.words == WS_YIELDS_PIECE) &&
                !flush_yields(writer, chunk, &yields, error))
                return false;
        }
    }
    return flush_yields(writer, chunk, &yields, error);
}

/* So many weights need no allocation: most submissions have no more. */
#define FEW_WEIGHTS 16

/* A submission that is being written, with the SUBM chunk that is being filled. The counts of its lists are
 * set when they are known. */
struct submission {
    struct ws_capture_writer *writer;
    const struct ws_chunk_submission *chunk;
    struct ws_error *error;
    struct ws_chunk_payload payload;
    bool continued; /* a chunk of this submission was written already */
    size_t launch_count_at;
    uint32_t launch_count;
    uint64_t first_launch; /* indices of the chunk's launches */
    uint64_t last_launch;
    size_t shader_count_at; /* of the launch being put */
    uint32_t shader_count;
    uint32_t few_weights[FEW_WEIGHTS]; /* of the chunk's counters: weight and group of each, */
    uint32_t *weights;                 /* or here, once they are more */
    uint32_t weight_count;
    uint32_t weight_capacity;
    bool weighted; /* one of them says something */
};

static void submission_open(struct submission *submission)
{
    struct ws_chunk_submission chunk = *submission->chunk;
    if (submission->continued)
        chunk.flags |= WS_SUBMISSION_CONTINUED;
    ws_chunk_payload_init(&submission->payload, WS_CHUNK_HEADER_SIZE);
    submission->launch_count_at = ws_chunk_payload_open_submission(&submission->payload, &chunk);
    submission->launch_count = 0;
}

/* What stands behind the launches: the weights, and the bases of the launches that this chunk has. What is empty to the end is
 * not written. */
static void put_rest(struct submission *submission)
{
    struct ws_chunk_submission chunk = *submission->chunk;
    while (chunk.base_count > 0 &&
           (submission->launch_count == 0 || chunk.bases->launch < submission->first_launch)) {
        chunk.bases++;
        chunk.base_count--;
    }
    while (chunk.base_count > 0 && chunk.bases[chunk.base_count - 1].launch > submission->last_launch)
        chunk.base_count--;
    if (submission->weighted || chunk.base_count > 0)
        ws_chunk_payload_put_weights(
            &submission->payload, submission->weights != NULL ? submission->weights : submission->few_weights,
            submission->weighted ? submission->weight_count : 0);
    if (chunk.base_count > 0)
        ws_chunk_payload_put_bases(&submission->payload, &chunk);
}

static bool submission_flush(struct submission *submission)
{
    ws_chunk_payload_close_list(&submission->payload, submission->launch_count_at, submission->launch_count);
    put_rest(submission);
    submission->weight_count = 0;
    submission->weighted = false;
    bool written = append(submission->writer, WS_CHUNK_SUBMISSION, &submission->payload, submission->error);
    ws_chunk_payload_finish(&submission->payload);
    submission->continued = true;
    return written;
}

static void launch_open(struct submission *submission, const struct ws_launch *launch)
{
    submission->shader_count_at = ws_chunk_payload_open_launch(&submission->payload, launch);
    submission->shader_count = 0;
    submission->first_launch = submission->launch_count == 0 ? launch->index : submission->first_launch;
    submission->last_launch = launch->index;
    submission->launch_count++;
}

static void launch_close(struct submission *submission)
{
    ws_chunk_payload_close_list(&submission->payload, submission->shader_count_at, submission->shader_count);
}

/* How many of `rows` rows still fit into the chunk. At least one where the chunk holds nothing else yet:
 * another chunk would be no emptier. */
static uint32_t rows_that_fit(const struct submission *submission, uint32_t rows, uint32_t bins)
{
    if (bins == 0)
        return rows;
    size_t used = submission->payload.size + 16;
    size_t room = used < SUBMISSION_CHUNK ? (SUBMISSION_CHUNK - used) / (4 * (size_t)bins) : 0;
    if (room == 0 && submission->shader_count == 0 && submission->launch_count == 1)
        room = 1;
    return rows < room ? rows : (uint32_t)room;
}

/* Notes the weight of counters that are put. False without memory. */
static bool add_weight(struct submission *submission, const struct ws_shader_counters *shader)
{
    const uint32_t count = submission->weight_count;
    uint32_t *weights = submission->few_weights;
    if (submission->weights != NULL || count + 2 > FEW_WEIGHTS) {
        const bool first = submission->weights == NULL;
        weights =
            ws_array_grow(submission->weights, &submission->weight_capacity, count + 2, sizeof(*weights));
        if (weights == NULL)
            return ws_error_set(submission->error, "out of memory for the weights of a submission");
        submission->weights = weights;
        if (first)
            memcpy(weights, submission->few_weights, count * sizeof(*weights));
    }
    weights[submission->weight_count++] = ws_counters_weight(shader);
    weights[submission->weight_count++] = shader->group;
    submission->weighted |= ws_counters_weight(shader) > 1;
    return true;
}

static bool put_shader(struct submission *submission, const struct ws_launch *launch,
                       const struct ws_shader_counters *shader)
{
    uint32_t row = 0;
    do {
        uint32_t rows = rows_that_fit(submission, shader->row_count - row, shader->bins);
        if (rows == 0 && row < shader->row_count) {
            launch_close(submission);
            if (!submission_flush(submission))
                return false;
            submission_open(submission);
            launch_open(submission, launch);
            continue;
        }
        struct ws_shader_counters piece = *shader;
        piece.row_first = shader->row_first + row;
        piece.row_count = rows;
        piece.words = shader->words + (size_t)row * shader->bins;
        ws_chunk_payload_put_counters(&submission->payload, &piece);
        if (!add_weight(submission, &piece))
            return false;
        submission->shader_count++;
        row += rows;
    } while (row < shader->row_count && submission->payload.failure == NULL);
    return true;
}

static bool put_launches(struct submission *submission)
{
    for (uint32_t i = 0; i < submission->chunk->launch_count; ++i) {
        const struct ws_launch *launch = &submission->chunk->launches[i];
        if (submission->payload.size >= SUBMISSION_CHUNK) {
            if (!submission_flush(submission))
                return false;
            submission_open(submission);
        }
        launch_open(submission, launch);
        for (uint32_t j = 0; j < launch->shader_count; ++j)
            if (!put_shader(submission, launch, &launch->shaders[j]))
                return false;
        launch_close(submission);
    }
    return true;
}

bool ws_capture_write_submission(struct ws_capture_writer *writer, const struct ws_chunk_submission *chunk,
                                 struct ws_error *error)
{
    struct submission submission = {.writer = writer, .chunk = chunk, .error = error};
    submission_open(&submission);
    const bool written = put_launches(&submission) && submission_flush(&submission);
    ws_chunk_payload_finish(&submission.payload);
    free(submission.weights);
    return written;
}

bool ws_capture_write_records(struct ws_capture_writer *writer, const struct ws_chunk_records *chunk,
                              struct ws_error *error)
{
    uint32_t at = 0;
    bool written = true;
    do {
        struct ws_chunk_payload payload;
        struct ws_chunk_records piece = *chunk;
        piece.position = chunk->position + at;
        piece.words = chunk->words != NULL ? chunk->words + at : NULL;
        piece.word_count = chunk->word_count - at;
        if (piece.word_count > WS_RECORDS_PIECE) {
            piece.word_count = WS_RECORDS_PIECE;
            piece.flags &= ~WS_RECORDS_LAST;
        }
        ws_chunk_payload_init(&payload, WS_CHUNK_HEADER_SIZE);
        payload.blocks = &writer->blocks;
        payload.packs = ws_chunk_packs_well(piece.words, piece.word_count);
        ws_chunk_payload_put(&payload, WS_CHUNK_RECORDS, &piece);
        written = append(writer, WS_CHUNK_RECORDS, &payload, error);
        ws_chunk_payload_finish(&payload);
        at += piece.word_count;
    } while (at < chunk->word_count && written);
    return written;
}

bool ws_capture_write_blob(struct ws_capture_writer *writer, const struct ws_chunk_blob *chunk,
                           struct ws_error *error)
{
    uint32_t at = 0;
    bool written = true;
    do {
        struct ws_chunk_payload payload;
        struct ws_chunk_blob piece = *chunk;
        piece.offset = chunk->offset + at;
        piece.bytes = chunk->bytes != NULL ? chunk->bytes + at : NULL;
        piece.count = chunk->count - at < WS_BLOB_PIECE ? chunk->count - at : WS_BLOB_PIECE;
        ws_chunk_payload_init(&payload, WS_CHUNK_HEADER_SIZE);
        payload.blocks = &writer->blocks;
        ws_chunk_payload_put(&payload, WS_CHUNK_BLOB, &piece);
        written = append(writer, WS_CHUNK_BLOB, &payload, error);
        ws_chunk_payload_finish(&payload);
        at += piece.count;
    } while (at < chunk->count && written);
    return written;
}
