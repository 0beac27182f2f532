/* Writes a capture file: include/warpscope/capture.h says what stands in it. Knows no Vulkan.
 *
 * Every call is thread-safe. Each chunk is written whole, with one write, so a process that is killed leaves a
 * readable file. A small chunk (all but long records, images, geometry and very many counters) is in the file when
 * the call returns, unless more than WS_CHUNK_QUEUE_DIRECT came in the last WS_CHUNK_QUEUE_SPAN. Such a one, a large
 * one, and what comes while others wait, is left to a thread of ours, which compresses and writes it
 * (chunk_queue.h): a process that is killed then, or leaves by _exit, loses what waits, WS_CHUNK_QUEUE_LIMIT bytes
 * and a chunk at most. Where that much waits, calls wait too. DONE and the end of the capture wait for all.
 *
 * When the file cannot be written (a full disk, a descriptor that the program closed: capture_file.h), one call says so
 * through its error: where the thread found it, a later one. What was written before stays; a part of a chunk at the end is
 * cut off again. All later calls do nothing, and the application goes on.
 *
 * A chunk can also fail alone: there is no memory for it, or it is larger than WS_CHUNK_MAX. Where others
 * refer to it (INFO, devices, modules, sites, shaders, pipelines, acceleration structures), only messages and
 * DONE are written after it. */
#ifndef WS_LAYER_CAPTURE_CAPTURE_WRITER_H
#define WS_LAYER_CAPTURE_CAPTURE_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "warpscope/chunks.h"
#include "warpscope/error.h"

/* Words of records in one chunk, at most. So writer and reader need no more memory for a longer stream. */
#define WS_RECORDS_PIECE (1u << 20)

/* Bytes of a blob in one chunk, at most. */
#define WS_BLOB_PIECE (4u << 20)

/* Words of a YLDS chunk, at most. */
#define WS_YIELDS_PIECE (1u << 20)

/* Launches of a TIME chunk, at most. */
#define WS_TIMES_PIECE (1u << 16)

struct ws_capture_file;
struct ws_capture_writer;

/* Creates the file, replacing one that is there, and writes its header. NULL and `error` on failure. */
struct ws_capture_writer *ws_capture_writer_create(const char *path, struct ws_error *error);

/* The same with a file that ws_capture_file_open has opened: it is emptied, and belongs to the writer from
 * here on, also on failure. */
struct ws_capture_writer *ws_capture_writer_create_in(struct ws_capture_file *file, const char *path,
                                                      struct ws_error *error);

/* The size of the file is kept in `*size`, too, for those who look on; NULL = nobody does. */
void ws_capture_writer_show(struct ws_capture_writer *writer, _Atomic uint64_t *size);

/* Closes the file for good, with DONE as its last chunk. All later calls do nothing, and say nothing: the capture
 * is whole. Returns false, and sets `error`, like the calls below. */
bool ws_capture_writer_end(struct ws_capture_writer *writer, const struct ws_chunk_done *done,
                           struct ws_error *error);

/* How long calls have waited since too much was to be written, in nanoseconds. */
uint64_t ws_capture_writer_waited(struct ws_capture_writer *writer);

/* Closes the file and frees the writer, when all is written. Does not write DONE. NULL is accepted. */
void ws_capture_writer_destroy(struct ws_capture_writer *writer);

/* One chunk each. False when the chunk will not reach the file, or one before it did not; then `error` is set the first
 * time. A large submission is split into several SUBM chunks. Records of more than WS_RECORDS_PIECE words are split into
 * several RECS chunks, and only the last of them keeps WS_RECORDS_LAST. */
bool ws_capture_write_info(struct ws_capture_writer *, const struct ws_chunk_info *, struct ws_error *);
bool ws_capture_write_device(struct ws_capture_writer *, const struct ws_chunk_device *, struct ws_error *);
bool ws_capture_write_module(struct ws_capture_writer *, const struct ws_chunk_module *, struct ws_error *);
bool ws_capture_write_sites(struct ws_capture_writer *, const struct ws_chunk_sites *, struct ws_error *);
bool ws_capture_write_shader(struct ws_capture_writer *, const struct ws_chunk_shader *, struct ws_error *);
bool ws_capture_write_pipeline(struct ws_capture_writer *, const struct ws_chunk_pipeline *,
                               struct ws_error *);
bool ws_capture_write_name(struct ws_capture_writer *, const struct ws_chunk_name *, struct ws_error *);
bool ws_capture_write_submission(struct ws_capture_writer *, const struct ws_chunk_submission *,
                                 struct ws_error *);
bool ws_capture_write_records(struct ws_capture_writer *, const struct ws_chunk_records *, struct ws_error *);
bool ws_capture_write_structure(struct ws_capture_writer *, const struct ws_chunk_structure *,
                                struct ws_error *);
bool ws_capture_write_build(struct ws_capture_writer *, const struct ws_chunk_build *, struct ws_error *);
bool ws_capture_write_copy(struct ws_capture_writer *, const struct ws_chunk_copy *, struct ws_error *);
bool ws_capture_write_gone(struct ws_capture_writer *, const struct ws_chunk_gone *, struct ws_error *);
bool ws_capture_write_groups(struct ws_capture_writer *, const struct ws_chunk_groups *, struct ws_error *);
bool ws_capture_write_tables(struct ws_capture_writer *, const struct ws_chunk_tables *, struct ws_error *);
bool ws_capture_write_image(struct ws_capture_writer *, const struct ws_chunk_image *, struct ws_error *);

/* Writes bytes of a blob, in BLOB chunks of at most WS_BLOB_PIECE bytes. A blob may take several calls, in
 * the order of `offset`. After a call that gave false no further one for this blob may follow. Where it was
 * the first, nothing may refer to the blob; else the blob stays incomplete, which a reader can tell from its
 * size. */
bool ws_capture_write_blob(struct ws_capture_writer *, const struct ws_chunk_blob *, struct ws_error *);

/* Writes the times of a submission, in TIME chunks of at most WS_TIMES_PIECE launches. */
bool ws_capture_write_times(struct ws_capture_writer *, const struct ws_chunk_times *, struct ws_error *);

/* Writes what a launch yielded, in YLDS chunks of at most WS_YIELDS_PIECE words. Longer stretches of zeros are left out;
 * where all words are 0, nothing is written. */
bool ws_capture_write_yields(struct ws_capture_writer *, const struct ws_chunk_yields *, struct ws_error *);
bool ws_capture_write_resources(struct ws_capture_writer *, const struct ws_chunk_resources *,
                                struct ws_error *);
bool ws_capture_write_set(struct ws_capture_writer *, const struct ws_chunk_set *, struct ws_error *);
bool ws_capture_write_set_change(struct ws_capture_writer *, const struct ws_chunk_set_change *,
                                 struct ws_error *);
bool ws_capture_write_bound(struct ws_capture_writer *, const struct ws_chunk_bound *, struct ws_error *);
bool ws_capture_write_probe(struct ws_capture_writer *, const struct ws_chunk_probe *, struct ws_error *);
bool ws_capture_write_skip(struct ws_capture_writer *, const struct ws_chunk_skip *, struct ws_error *);
bool ws_capture_write_message(struct ws_capture_writer *, const struct ws_chunk_message *, struct ws_error *);
bool ws_capture_write_done(struct ws_capture_writer *, const struct ws_chunk_done *, struct ws_error *);

#endif
