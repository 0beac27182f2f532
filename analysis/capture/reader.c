/* The file and its chunks: headers, checksums, decompression. See reader.h. What stands in a payload is
 * reader_payload.c's, what chunks may refer to is reader_check.c's. */
#include "warpscope/reader.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "analysis/capture/reader_check.h"
#include "analysis/capture/reader_payload.h"
#include "warpscope/base/arena.h"
#include "warpscope/capture/budget.h"
#include "warpscope/chunk_members.h"

/* Bytes that are read at once. The buffer grows step by step with what has been read, so that a large size in
 * a damaged header takes no more memory than the file has bytes. */
#define READ_STEP ((size_t)1 << 20)

/* Of RECS whose words are left out so many bytes are decompressed, which hold all that stands before the words unless
 * there are thousands of slots. */
#define HEAD_SIZE ((size_t)1 << 16)

/* 1 << this is the largest chunk: a frame needs no larger window. */
#define WINDOW_LOG_MAX 26
static_assert(WS_CHUNK_MAX == 1u << WINDOW_LOG_MAX, "a chunk fits into the window");

struct ws_reader {
    ws_read_function *read;
    void *user;
    FILE *file; /* NULL unless the reader opened it */
    char *name;
    uint32_t version; /* of the file's format */
    struct ws_reader_summary summary;
    struct ws_known known;
    struct ws_arena *arena; /* arrays of the chunk last given */
    uint8_t *stored;        /* a payload as it is in the file */
    size_t stored_capacity;
    uint8_t *raw; /* decompressed */
    size_t raw_capacity;
    ZSTD_DCtx
        *decompressor; /* one for all chunks: to make one takes longer than to decompress a small chunk */
    enum ws_read_result state; /* WS_READ_CHUNK until the end or an error */
    struct ws_error failure;
    bool without_records;
    bool without_words;
    uint64_t limit; /* of bytes of lists that are kept; 0 = the usual one */
    uint64_t kept;
};

struct chunk_header {
    uint32_t type;
    uint32_t flags;
    uint64_t stored;
    uint64_t raw;
    uint64_t checksum;
    uint64_t seed; /* of the checksum: the hash of the header's other bytes */
};

static uint64_t load(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static size_t read_file(void *user, void *data, size_t size)
{
    return fread(data, 1, size, user);
}

/* Says which Warpscope wrote a capture of an earlier format: its first chunk is INFO, which is the same in
 * all. */
static bool refuse_earlier(struct ws_reader *reader, unsigned version, struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_error unread = {{0}};
    char writer[64] = "an earlier Warpscope";
    if (ws_reader_next(reader, &chunk, &unread) == WS_READ_CHUNK && chunk.type == WS_CHUNK_INFO)
        snprintf(writer, sizeof(writer), "Warpscope %.40s", chunk.info.version);
    return ws_error_set(error,
                        "'%s' has capture format %u, written by %s, which does not say which pass each site "
                        "belongs to; this Warpscope reads formats %u to %u: record it again",
                        reader->name, version, writer, WS_CAPTURE_VERSION_FIRST, WS_CAPTURE_VERSION);
}

static bool read_file_header(struct ws_reader *reader, struct ws_error *error)
{
    uint8_t header[WS_CAPTURE_HEADER_SIZE];
    size_t size = reader->read(reader->user, header, sizeof(header));
    if (size < sizeof(header) || memcmp(header, WS_CAPTURE_MAGIC, WS_CAPTURE_MAGIC_SIZE) != 0)
        return ws_error_set(error, "'%s' is not a capture; captures are written by `warpscope record`",
                            reader->name);
    const uint32_t version = (uint32_t)load(header + WS_CAPTURE_MAGIC_SIZE, 4);
    reader->version = version;
    reader->summary.bytes = sizeof(header);
    if (version > WS_CAPTURE_VERSION)
        return ws_error_set(error,
                            "'%s' has capture format %u, written by a later Warpscope; this one reads "
                            "format %u: use the Warpscope that recorded it, or a later one",
                            reader->name, version, WS_CAPTURE_VERSION);
    if (version == 0)
        return ws_error_set(error, "'%s' is a damaged capture: there is no format 0", reader->name);
    return version >= WS_CAPTURE_VERSION_FIRST || refuse_earlier(reader, version, error);
}

struct ws_reader *ws_reader_create(ws_read_function *read, void *user, const char *name,
                                   struct ws_error *error)
{
    struct ws_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        ws_error_set(error, "no memory to read '%s'", name);
        return NULL;
    }
    reader->read = read;
    reader->user = user;
    reader->state = WS_READ_CHUNK;
    reader->name = strdup(name);
    reader->decompressor = ZSTD_createDCtx();
    if (reader->name == NULL || reader->decompressor == NULL ||
        ZSTD_isError(ZSTD_DCtx_setParameter(reader->decompressor, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
        ws_error_set(error, "no memory to read '%s'", name);
        goto error;
    }
    if (!read_file_header(reader, error))
        goto error;
    return reader;
error:
    ws_reader_destroy(reader);
    return NULL;
}

struct ws_reader *ws_reader_open(const char *path, struct ws_error *error)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        if (strcmp(path, "-") == 0)
            ws_error_set(error, "a capture is read several times, so not from standard input: name its file");
        else
            ws_error_set(error, "cannot open the capture '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct stat status;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        ws_error_set(error, "'%s' is a directory: name a capture in it", path);
        goto error;
    }
    struct ws_reader *reader = ws_reader_create(read_file, file, path, error);
    if (reader == NULL)
        goto error;
    reader->file = file;
    return reader;
error:
    fclose(file);
    return NULL;
}

void ws_reader_destroy(struct ws_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->file != NULL)
        fclose(reader->file);
    ws_known_finish(&reader->known);
    ws_arena_destroy(reader->arena);
    ZSTD_freeDCtx(reader->decompressor);
    free(reader->stored);
    free(reader->raw);
    free(reader->name);
    free(reader);
}

const struct ws_reader_summary *ws_reader_summary(const struct ws_reader *reader)
{
    return &reader->summary;
}

static bool reserve(uint8_t **buffer, size_t *capacity, size_t size)
{
    if (size <= *capacity)
        return true;
    uint8_t *larger = realloc(*buffer, size);
    if (larger == NULL)
        return false;
    *buffer = larger;
    *capacity = size;
    return true;
}

static enum ws_read_result end(struct ws_reader *reader, bool broken)
{
    reader->summary.broken = broken;
    reader->state = WS_READ_END;
    return WS_READ_END;
}

static enum ws_read_result fail(struct ws_reader *reader, const struct ws_chunk *chunk, const char *reason)
{
    ws_error_set(&reader->failure, "%s: chunk %llu at byte %llu: %s", reader->name,
                 (unsigned long long)chunk->number, (unsigned long long)chunk->offset, reason);
    reader->state = WS_READ_ERROR;
    return WS_READ_ERROR;
}

/* Whether the sizes can be those of a chunk. */
static bool header_is_believable(const struct chunk_header *header)
{
    return header->raw <= WS_CHUNK_MAX && header->stored <= ZSTD_compressBound(WS_CHUNK_MAX);
}

/* The next chunk's header; WS_READ_END where there is none, or none that can be believed. */
static enum ws_read_result read_chunk_header(struct ws_reader *reader, struct chunk_header *header)
{
    uint8_t bytes[WS_CHUNK_HEADER_SIZE];
    size_t size = reader->read(reader->user, bytes, sizeof(bytes));
    if (size < sizeof(bytes))
        return end(reader, size > 0);
    header->type = (uint32_t)load(bytes, 4);
    header->flags = (uint32_t)load(bytes + 4, 4);
    header->stored = load(bytes + 8, 8);
    header->raw = load(bytes + 16, 8);
    header->checksum = load(bytes + 24, 8);
    header->seed = XXH3_64bits(bytes, 24);
    return header_is_believable(header) ? WS_READ_CHUNK : end(reader, true);
}

/* Reads the stored payload; WS_READ_END when the file ends in it. */
static enum ws_read_result read_payload(struct ws_reader *reader, const struct ws_chunk *chunk, size_t size)
{
    for (size_t have = 0; have < size;) {
        size_t step = size - have < READ_STEP ? size - have : READ_STEP;
        size_t wanted = have + step;
        if (wanted > reader->stored_capacity) {
            size_t doubled = reader->stored_capacity * 2;
            if (!reserve(&reader->stored, &reader->stored_capacity, doubled > wanted ? doubled : wanted))
                return fail(reader, chunk, "no memory");
        }
        size_t got = reader->read(reader->user, reader->stored + have, step);
        if (got < step)
            return end(reader, true);
        have = wanted;
    }
    return WS_READ_CHUNK;
}

/* Points `*payload` at the raw payload, in which words may still be packed. The buffers have room for it. False where the
 * payload does not decompress to the size that the header says. */
static bool decompress(struct ws_reader *reader, const struct chunk_header *header,
                       struct ws_payload *payload)
{
    const bool packed = (header->flags & WS_CHUNK_PACKED) != 0;
    size_t size = header->stored;
    *payload = (struct ws_payload){.data = reader->stored, .size = header->raw, .packed = packed};
    if ((header->flags & WS_CHUNK_ZSTD) != 0) {
        payload->data = reader->raw;
        size = ZSTD_decompressDCtx(reader->decompressor, reader->raw, header->raw, reader->stored,
                                   header->stored);
    }
    payload->have = size;
    if (packed)
        return header->type == WS_CHUNK_RECORDS && reader->version >= WS_CAPTURE_VERSION_PACKED &&
               !ZSTD_isError(size) && size <= header->raw;
    return !ZSTD_isError(size) && size == header->raw;
}

/* Whether the frames of the payload are whole, and say that they decompress to what its header says. */
static bool frames_are_whole(const struct ws_reader *reader, const struct chunk_header *header)
{
    uint64_t raw = 0;
    for (size_t at = 0, size; at < header->stored; at += size) {
        const uint64_t content = ZSTD_getFrameContentSize(reader->stored + at, header->stored - at);
        size = ZSTD_findFrameCompressedSize(reader->stored + at, header->stored - at);
        if (content > header->raw - raw || ZSTD_isError(size)) /* what a frame does not say is larger, too */
            return false;
        raw += content;
    }
    return raw == header->raw || (header->flags & WS_CHUNK_PACKED) != 0;
}

/* As decompress, of the first HEAD_SIZE bytes of RECS whose words are to be left out. False for other payloads and smaller
 * ones, too. */
static bool decompress_head(struct ws_reader *reader, const struct chunk_header *header,
                            struct ws_payload *payload)
{
    *payload =
        (struct ws_payload){.data = reader->raw, .size = header->raw, .have = HEAD_SIZE, .left_out = true};
    if (!reader->without_words || header->type != WS_CHUNK_RECORDS || (header->flags & WS_CHUNK_ZSTD) == 0 ||
        header->raw <= HEAD_SIZE || !frames_are_whole(reader, header) ||
        ((header->flags & WS_CHUNK_PACKED) != 0 && reader->version < WS_CAPTURE_VERSION_PACKED))
        return false;
    ZSTD_inBuffer in = {reader->stored, header->stored, 0};
    ZSTD_outBuffer out = {reader->raw, HEAD_SIZE, 0};
    ZSTD_DCtx_reset(reader->decompressor, ZSTD_reset_session_only);
    while (out.pos < out.size) {
        const size_t before = in.pos + out.pos;
        const size_t hint = ZSTD_decompressStream(reader->decompressor, &out, &in);
        if (ZSTD_isError(hint) || in.pos + out.pos == before)
            return false;
    }
    return true;
}

/* Whether it is a chunk of geometry, images, times or yields: everything else in a capture can be understood without these. */
static bool can_be_missed(const struct ws_chunk *chunk)
{
    switch (chunk->type) {
    case WS_CHUNK_BLOB:
    case WS_CHUNK_STRUCTURE:
    case WS_CHUNK_BUILD:
    case WS_CHUNK_COPY:
    case WS_CHUNK_GONE:
    case WS_CHUNK_GROUPS:
    case WS_CHUNK_TABLES:
    case WS_CHUNK_IMAGE:
    case WS_CHUNK_TIMES:
    case WS_CHUNK_RESOURCES:
    case WS_CHUNK_SET:
    case WS_CHUNK_SET_CHANGE:
    case WS_CHUNK_BOUND:
    case WS_CHUNK_YIELDS: return true;
    case WS_CHUNK_NAME: return chunk->name.kind == WS_NAME_STRUCTURE;
    case WS_CHUNK_SKIP: return chunk->skip.kind == WS_SKIP_GEOMETRY;
    default: return false;
    }
}

/* Whether a chunk of lists that are kept may have so many bytes more. */
static bool may_keep(struct ws_reader *reader, uint64_t bytes)
{
    const uint64_t usual = WS_READER_BYTES_LEAST + WS_READER_BYTES_PER_BYTE * reader->summary.bytes;
    reader->kept += bytes;
    return reader->kept <= (reader->limit > 0 ? reader->limit : usual);
}

/* Decodes a chunk whose checksum is right, and checks what it refers to. `*given` receives whether the caller
 * gets it: not where it does not decompress, where its type is not known, or where what it refers to was in a damaged
 * chunk. */
static enum ws_read_result decode(struct ws_reader *reader, struct ws_chunk *chunk,
                                  const struct chunk_header *header, bool *given)
{
    struct ws_payload payload;
    ws_arena_destroy(reader->arena);
    reader->arena = ws_arena_create();
    if (reader->arena == NULL)
        return fail(reader, chunk, "no memory");
    if ((chunk->type == WS_CHUNK_SITES || chunk->type == WS_CHUNK_RESOURCES) &&
        !may_keep(reader, header->raw))
        return fail(reader, chunk,
                    "sites and resources need more memory than they may; ws_reader_limit allows more");
    bool known = false;
    struct ws_error error = {{0}};
    *given = false;
    if (!decompress_head(reader, header, &payload) ||
        !ws_payload_decode(chunk, &payload, reader->arena, &known, &error)) {
        memset(chunk->room, 0, sizeof(chunk->room));
        if (!decompress(reader, header, &payload)) {
            reader->summary.damaged++;
            return WS_READ_CHUNK;
        }
        if (!ws_payload_decode(chunk, &payload, reader->arena, &known, &error))
            return fail(reader, chunk, error.message);
    }
    if (reader->without_words && chunk->type == WS_CHUNK_RECORDS)
        chunk->records.words = NULL;
    if (!known) {
        reader->summary.unknown++;
        return WS_READ_CHUNK;
    }
    if (chunk->type == WS_CHUNK_SITES && chunk->sites.fixed_count > 0 &&
        reader->version < WS_CAPTURE_VERSION_FIXED) {
        reader->summary.damaged++;
        return WS_READ_CHUNK;
    }
    const enum ws_known_result result = ws_known_add(&reader->known, chunk, &error);
    const bool lost = result == WS_KNOWN_MISSING && (reader->summary.damaged > 0 || can_be_missed(chunk));
    if (result != WS_KNOWN_GOOD && result != WS_KNOWN_PARTLY && !lost)
        return fail(reader, chunk, error.message);
    reader->summary.orphaned += result != WS_KNOWN_GOOD ? 1 : 0;
    *given = !lost;
    return WS_READ_CHUNK;
}

void ws_reader_limit(struct ws_reader *reader, uint64_t bytes)
{
    reader->limit = bytes > 0 ? bytes : 1; /* no list has as few */
}

void ws_reader_leave_out_records(struct ws_reader *reader)
{
    reader->without_records = true;
}

void ws_reader_leave_out_words(struct ws_reader *reader)
{
    reader->without_words = true;
}

/* Reads one chunk. `*given` as above. */
static enum ws_read_result next_chunk(struct ws_reader *reader, struct ws_chunk *chunk, bool *given)
{
    struct chunk_header header;
    memset(chunk, 0, sizeof(*chunk));
    *given = false;
    chunk->number = reader->summary.chunks;
    chunk->offset = reader->summary.bytes;
    enum ws_read_result result = read_chunk_header(reader, &header);
    if (result == WS_READ_CHUNK)
        result = read_payload(reader, chunk, header.stored);
    if (result != WS_READ_CHUNK)
        return result;
    bool compressed = (header.flags & WS_CHUNK_ZSTD) != 0;
    if (!reserve(&reader->stored, &reader->stored_capacity, 1) ||
        (compressed && !reserve(&reader->raw, &reader->raw_capacity, header.raw + 1)))
        return fail(reader, chunk, "no memory");
    chunk->type = header.type;
    ws_budget_reach(reader->summary.bytes + WS_CHUNK_HEADER_SIZE + header.stored);
    if (!ws_budget_spend(header.raw)) {
        reader->summary.stopped = true;
        return end(reader, false);
    }
    reader->summary.chunks++;
    reader->summary.bytes += WS_CHUNK_HEADER_SIZE + header.stored;
    reader->summary.closed = header.type == WS_CHUNK_DONE;
    const bool whole = XXH3_64bits_withSeed(reader->stored, header.stored, header.seed) == header.checksum;
    if (whole && reader->without_records && header.type == WS_CHUNK_RECORDS)
        return WS_READ_CHUNK;
    if (!whole) {
        reader->summary.damaged++;
        return WS_READ_CHUNK;
    }
    return decode(reader, chunk, &header, given);
}

enum ws_read_result ws_reader_next(struct ws_reader *reader, struct ws_chunk *chunk, struct ws_error *error)
{
    bool given = false;
    while (reader->state == WS_READ_CHUNK && !given)
        next_chunk(reader, chunk, &given);
    if (reader->state == WS_READ_ERROR)
        ws_error_set(error, "%s", reader->failure.message);
    return reader->state;
}

const struct ws_members *ws_reader_members(uint32_t type)
{
    return ws_chunk_members(type);
}
