/* Reads a capture (capture.h) chunk by chunk.
 *
 * MEMORY. A small multiple of WS_CHUNK_MAX, and a few words for each module, entry point, shader, pipeline,
 * acceleration structure, resource and blob. Lists of entry points (SITE) and resources (RSRC) shrink well, so a file of a
 * megabyte could name a thousand million. Where these chunks have more bytes, once decompressed, than a limit, the reader
 * ends with WS_READ_ERROR. Usually that is WS_READER_BYTES_LEAST, and WS_READER_BYTES_PER_BYTE more for each byte of the file
 * so far: programs' lists shrink to a third to a fifth. ws_reader_limit sets another one.
 *
 * CHECKS. The file is untrusted: any bytes give chunks, an end or an error, without undefined behaviour. The
 * reader checks references to devices, modules, entries, shaders, rows, yield words, blocks, pipelines and
 * acceleration structures, so an analysis may use them as indices. It does not check:
 *   - numbers that are no references: stages, kinds, opcodes, passes, functions, formats, moments;
 *   - the words of a module, and those of a probe (probe.h, ws_probe_read);
 *   - whether a blob is complete when a chunk refers to it;
 *   - whether an acceleration structure is already destroyed.
 *
 * MISSING CHUNKS. If a chunk is damaged, the reader skips the chunks that refer to it. It skips chunks of
 * geometry (blobs, structures, their builds, copies and ends, shader groups and tables) also in an undamaged
 * file, if what they refer to is not defined. There are two exceptions: it gives a build although blobs, or
 * structures of its instances, are not defined, and it gives tables without their blobs. An analysis must
 * look up these ids.
 *
 * LIBRARY. Programs link the installed library: `pkg-config --cflags --libs warpscope`. It has the functions of this
 * header and of stream.h. For example, the names of all shaders:
 *
 *     struct ws_error error = {{0}};
 *     struct ws_chunk chunk;
 *     struct ws_reader *reader = ws_reader_open("run.wscope", &error);
 *     while (reader != NULL && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
 *         if (chunk.type == WS_CHUNK_SHADER)
 *             printf("%u %s\n", chunk.shader.id, chunk.shader.name);
 *     if (error.message[0] != '\0')
 *         fprintf(stderr, "%s\n", error.message);
 *     ws_reader_destroy(reader);
 *
 * One reader belongs to one thread at a time. Different readers are independent. */
#ifndef WARPSCOPE_READER_H
#define WARPSCOPE_READER_H

#include "warpscope/chunks.h"
#include "warpscope/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WS_READER_BYTES_LEAST    (UINT64_C(256) << 20)
#define WS_READER_BYTES_PER_BYTE UINT64_C(256)

/* An open capture. */
struct ws_reader;

struct ws_members;

/* A source of bytes. It writes up to `size` bytes to `data` and returns how many. It may return fewer than
 * `size` only at the end of the file, or after a failure, which the reader treats as the end. */
typedef size_t ws_read_function(void *user, void *data, size_t size);

/* One chunk. The reader owns what its pointers point to; that is valid until the next call with this
 * reader. */
struct ws_chunk {
    uint32_t type;   /* enum ws_chunk_type: which member below is set */
    uint64_t number; /* counted from 0, damaged and unknown chunks included */
    uint64_t offset; /* byte in the file where its header begins */
    union {
        struct ws_chunk_info info;
        struct ws_chunk_device device;
        struct ws_chunk_module module;
        struct ws_chunk_sites sites;
        struct ws_chunk_shader shader;
        struct ws_chunk_pipeline pipeline;
        struct ws_chunk_name name;
        struct ws_chunk_submission submission;
        struct ws_chunk_records records;
        struct ws_chunk_blob blob;
        struct ws_chunk_structure structure;
        struct ws_chunk_build build;
        struct ws_chunk_copy copy;
        struct ws_chunk_gone gone;
        struct ws_chunk_groups groups;
        struct ws_chunk_tables tables;
        struct ws_chunk_image image;
        struct ws_chunk_times times;
        struct ws_chunk_probe probe;
        struct ws_chunk_yields yields;
        struct ws_chunk_resources resources;
        struct ws_chunk_set set;
        struct ws_chunk_set_change set_change;
        struct ws_chunk_bound bound;
        struct ws_chunk_skip skip;
        struct ws_chunk_message message;
        struct ws_chunk_done done;
        /* Room for chunks of later versions, so that programs and the installed library agree on the size. */
        uint64_t room[32];
    };
};

enum ws_read_result {
    WS_READ_CHUNK, /* a chunk was read */
    WS_READ_END,   /* nothing more can be read; ws_reader_summary says whether the file is complete */
    WS_READ_ERROR, /* a chunk contradicts the format or another chunk: the reader cannot continue */
};

/* What has been read so far. */
struct ws_reader_summary {
    uint64_t chunks;   /* whole chunks seen */
    uint64_t bytes;    /* of the file, up to the end of the last whole chunk */
    uint64_t damaged;  /* chunks skipped because their checksum was wrong */
    uint64_t orphaned; /* chunks that refer to something missing, skipped or given all the same */
    uint64_t unknown;  /* chunks skipped because their type is not known */
    bool broken;       /* bytes follow the last whole chunk: the file is cut short there */
    bool stopped; /* the file goes on, but reading it took more than it may (warpscope/capture/budget.h) */
    bool closed;  /* the last whole chunk is DONE; if not, the program ended before it wrote DONE */
};

/* Opens the capture at `path` and reads its header. Returns NULL and sets `error` when the file cannot be
 * read, is no capture, or is of a later version. The message names the file and the remedy. The caller frees
 * the reader with ws_reader_destroy. */
struct ws_reader *ws_reader_open(const char *path, struct ws_error *error);

/* The same with any source of bytes. `read` is called with `user`, which must outlive the reader. `name` is
 * the name of the source in messages. */
struct ws_reader *ws_reader_create(ws_read_function *read, void *user, const char *name,
                                   struct ws_error *error);

/* Reads the next chunk that is whole, undamaged and of a known type. On WS_READ_ERROR the message of `error`
 * is "FILE: chunk N at byte B: reason". After an end or an error, every further call returns the same. */
enum ws_read_result ws_reader_next(struct ws_reader *reader, struct ws_chunk *chunk, struct ws_error *error);

/* At most so many bytes of lists that are kept, as said above (MEMORY), in place of the usual limit; UINT64_MAX = any number.
 * The reader takes at most as much memory for them. */
void ws_reader_limit(struct ws_reader *reader, uint64_t bytes);

/* From now on ws_reader_next gives no WS_CHUNK_RECORDS: their checksums are compared, but they are not decompressed, which
 * takes most of the time of a reading. Nothing in other chunks refers to them. */
void ws_reader_leave_out_records(struct ws_reader *reader);

/* From now on the `words` of WS_CHUNK_RECORDS are NULL, and all else of these chunks is given: how many words there are, of
 * which launch, and what is missing. Only the beginning of such a chunk is decompressed. */
void ws_reader_leave_out_words(struct ws_reader *reader);

/* The summary of what has been read so far. The reader owns it; every ws_reader_next changes it. */
const struct ws_reader_summary *ws_reader_summary(const struct ws_reader *reader);

/* Frees the reader, and closes the file if ws_reader_open opened it. Accepts NULL. */
void ws_reader_destroy(struct ws_reader *reader);

/* Which members the struct of a chunk of that type has, with their names, kinds and offsets (chunk_members.h): for
 * languages that do not read these headers. NULL for a type that is not known. Static memory; thread-safe. */
const struct ws_members *ws_reader_members(uint32_t type);

#ifdef __cplusplus
}
#endif

#endif
