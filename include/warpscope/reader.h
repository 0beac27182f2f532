/* Reads a capture (capture.h) chunk by chunk, in memory bounded by WS_CHUNK_MAX times a small constant
 * plus a few words per module, entry point, shader, pipeline, acceleration structure and blob.
 *
 * The file is untrusted: any bytes give chunks, an end or an error, without undefined behaviour. What a
 * chunk refers to (devices, modules, entries, shaders, rows, blocks, pipelines, acceleration
 * structures) is checked, so an analysis may index by it. Not checked: numbers that mean nothing but
 * themselves (stages, kinds, opcodes, passes, functions, formats, moments), the module's words, whether a
 * blob is complete when it is referred to, and whether a structure is gone.
 *
 * What is not there: where chunks are damaged, those that refer to them are skipped. Geometry (blobs,
 * structures, their builds, copies and ends, shader groups and tables) is skipped in undamaged files too
 * where what it refers to is not defined. A build whose blobs or instances' structures are not defined is
 * given all the same, and so are tables without their blobs: those ids are an analysis's to look up.
 *
 * One reader belongs to one thread at a time; readers are independent of each other. */
#ifndef WARPSCOPE_READER_H
#define WARPSCOPE_READER_H

#include "warpscope/chunks.h"
#include "warpscope/error.h"

struct ws_reader;

/* Where the bytes come from: fills `data` with up to `size` bytes and returns how many; fewer than `size`
 * only at the end of the file, or after a failure, which is then treated as the end. */
typedef size_t ws_read_function(void *user, void *data, size_t size);

/* One chunk. Everything it points to stays valid until the next call with the same reader. */
struct ws_chunk {
    uint32_t type;   /* enum ws_chunk_type; says which member below is meant */
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
        struct ws_chunk_skip skip;
        struct ws_chunk_message message;
        struct ws_chunk_done done;
    };
};

enum ws_read_result {
    WS_READ_CHUNK, /* a chunk was read */
    WS_READ_END,   /* there is no more that can be read: ws_reader_summary tells whether that is all */
    WS_READ_ERROR, /* a chunk contradicts the format or another chunk; the reader cannot go on */
};

/* How the reading went, as far as it has gone. */
struct ws_reader_summary {
    uint64_t chunks;   /* whole chunks seen */
    uint64_t bytes;    /* of the file, up to the end of the last whole chunk */
    uint64_t damaged;  /* chunks skipped because their checksum was wrong */
    uint64_t orphaned; /* chunks skipped, or given although they refer to it, because something is missing */
    uint64_t unknown;  /* chunks skipped because their type is not known */
    bool broken;       /* bytes follow the last whole chunk: the file was cut short there */
    bool closed;       /* the last whole chunk is DONE; otherwise the program ended before that */
};

/* Opens the capture at `path` and reads its header. NULL and an error that names the file and the remedy
 * when it cannot be read, is no capture, or is of a later version. */
struct ws_reader *ws_reader_open(const char *path, struct ws_error *error);

/* The same over any source of bytes. `name` is used in messages. `user` must outlive the reader. */
struct ws_reader *ws_reader_create(ws_read_function *read, void *user, const char *name,
                                   struct ws_error *error);

/* The next chunk that is whole, undamaged and of a known type. On WS_READ_ERROR `error` says
 * "FILE: chunk N at byte B: reason". After an end or an error every further call gives the same. */
enum ws_read_result ws_reader_next(struct ws_reader *reader, struct ws_chunk *chunk, struct ws_error *error);

/* Valid until the reader is destroyed; changes with every ws_reader_next. */
const struct ws_reader_summary *ws_reader_summary(const struct ws_reader *reader);

/* Closes what ws_reader_open opened and frees the reader. NULL is accepted. */
void ws_reader_destroy(struct ws_reader *reader);

#endif
