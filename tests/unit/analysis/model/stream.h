/* Captures with records (records.h) of shaders and warps that a test makes up: for any subgroup size and
 * stage, cut into pieces anywhere, with warps interleaved at random. All functions fail the test on failure.
 *
 *   struct stream *stream = stream_create(&(struct stream_options){.bins = 32});
 *   uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, (const uint32_t[]){4, 6}, 2);
 *   stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 64, 1, 1);
 *   uint32_t context = stream_enter_rays(stream, 0, raygen, ws_lanes_first(32), 0);
 *   stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(32));
 *   stream_place(stream, context, WS_SITE_PLACE_END, 0, ws_lanes_first(32));
 *   stream_end(stream);
 *   stream_finish(stream);
 *   ... read stream_path(stream), or stream_replay ...
 *   stream_destroy(stream); */
#ifndef WS_TESTS_UNIT_ANALYSIS_MODEL_STREAM_H
#define WS_TESTS_UNIT_ANALYSIS_MODEL_STREAM_H

#include "warpscope/model/replay.h"

/* The pass that sites of stream_shader belong to; their tags are their kinds. The same places have sites of the passes
 * execution_trace and divergence too, with the tags of these. */
#define STREAM_PASS "stream"

struct stream;

/* Zero-initialise, then set what differs. */
struct stream_options {
    uint32_t bins;          /* 0 = 32 */
    uint32_t subgroup_size; /* that entry records tell; 0 = bins */
    bool geometry;          /* the test writes geometry too (stream_writer) */
    uint32_t piece_words;   /* words per RECS chunk; 0 = all records of a launch in one */
    uint64_t seed;          /* 0 = records stand in the order given; else queues are interleaved by this seed,
                               each in its own order */
    /* Words that data records of stream_shader leave out: the test appends the others. */
    const struct ws_fixed_word *fixed;
    uint32_t fixed_count;
};

struct stream *stream_create(const struct stream_options *options);

/* Something of an enum ws_skip_kind is missing from it. */
void stream_skip(struct stream *stream, uint32_t kind, const char *reason);

/* Writes DONE and closes the file, which can be read from then on. */
void stream_finish(struct stream *stream);

/* Removes the file. */
void stream_destroy(struct stream *stream);

/* What writes the capture, until it is finished: for chunks that a stream knows nothing of. */
struct ws_capture_writer;
struct ws_capture_writer *stream_writer(const struct stream *stream);

const char *stream_path(const struct stream *stream);

/* A shader of one entry point "main" with `block_count` blocks, one after the other, of these instruction
 * counts. Its module parses; block i stands at stream_block_offset(i). Every block has a site of each of
 * these kinds, each with a number of its own (stream_number): PLACE_BLOCK and _SYNC, about where it begins;
 * _BEFORE, _AFTER and _CALL, about the word 3 words into it; _END, about its last word. Then one data site
 * per block, of 2 words per lane, and at last one of kind CONTINUE, with the number behind those of the last
 * block. Returns the shader's id, which is its index in the catalog and its slot. */
uint32_t stream_shader(struct stream *stream, uint32_t stage, const uint32_t *instruction_counts,
                       uint32_t block_count);

/* The same with a workgroup size, for compute, task and mesh shaders; that of stream_shader is 8, 4, 1. */
uint32_t stream_shader_sized(struct stream *stream, uint32_t stage, const uint32_t local_size[3],
                             const uint32_t *instruction_counts, uint32_t block_count);

/* The same as stream_shader, with sites of paths behind its others. The row of a PATH_TURNS is given as the index among
 * `paths` of its PATH. `*first` receives the number of the first of them. */
uint32_t stream_shader_paths(struct stream *stream, uint32_t stage, const uint32_t *instruction_counts,
                             uint32_t block_count, const struct ws_site_info *paths, uint32_t path_count,
                             uint32_t *first);

/* A shader whose module and sites are the test's: `chunk->module` is filled in. `words` = NULL: zeros.
 * Numbers of its records are those in the sites. */
uint32_t stream_shader_of(struct stream *stream, uint32_t stage, const uint32_t *words, uint32_t word_count,
                          const struct ws_chunk_sites *chunk, const struct ws_specialization *constants,
                          uint32_t constant_count);

/* The number of the records of a site of stream_shader; WS_SITE_DATA included. */
uint32_t stream_number(uint32_t kind, uint32_t block);
uint32_t stream_block_offset(uint32_t block);

/* Begins a launch, with its size as SUBM tells it. */
void stream_begin(struct stream *stream, uint32_t kind, uint32_t x, uint32_t y, uint32_t z);

/* The launch is of vkCmdDispatchBase. `base` NULL: a capture of before bases were recorded. */
void stream_base(struct stream *stream, const uint32_t base[3]);

/* The launch size as a shader with a launch row 0 says it, in this launch. */
void stream_launch_row(struct stream *stream, uint32_t shader, uint32_t x, uint32_t y, uint32_t z);

/* A context begins. `queue`: what is interleaved with other queues; any number. `warp_words`: 0 or 3 of them
 * and `work` 1 or 2 per lane, lowest first, as records.h has them for the stage. Returns a handle for the
 * functions below, good in this launch. */
uint32_t stream_enter(struct stream *stream, uint32_t queue, uint32_t shader, struct ws_lanes lanes,
                      const uint32_t *warp_words, const uint32_t *work);

/* A continuation begins, by its number: for ray tracing stages. */
uint32_t stream_continue(struct stream *stream, uint32_t queue, uint32_t shader, uint32_t number,
                         struct ws_lanes lanes, const uint32_t *work);

/* The same that says which context each lane leaves, by handle. */
uint32_t stream_move(struct stream *stream, uint32_t queue, uint32_t shader, uint32_t number,
                     struct ws_lanes lanes, const uint32_t *work, const uint32_t *left);

/* A context begins where lane l has the one work word first + l. */
uint32_t stream_enter_rays(struct stream *stream, uint32_t queue, uint32_t shader, struct ws_lanes lanes,
                           uint32_t first);

/* A place record: of a site of stream_shader, or by number. */
void stream_place(struct stream *stream, uint32_t context, uint32_t kind, uint32_t block,
                  struct ws_lanes lanes);
void stream_site(struct stream *stream, uint32_t context, uint32_t number, struct ws_lanes lanes);

/* A data record: `words` are words_per_lane of each lane, lowest first. */
void stream_data(struct stream *stream, uint32_t context, uint32_t number, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane);

/* Any words, as one record of that queue; for what is malformed. Where the first is `WS_CONTEXT_NONE - 1 - h`
 * and `patch` is set, the number of context h is put for it. */
void stream_words(struct stream *stream, uint32_t queue, const uint32_t *words, uint32_t count, bool patch);

/* Ends the launch: its submission and records are written. */
void stream_end(struct stream *stream);

/* The same, but only the first `words` words fitted. */
void stream_end_overflowed(struct stream *stream, uint32_t words);

/* The same, but the last piece is not in the file. */
void stream_end_cut(struct stream *stream);

/* Words of the last launch that was ended. */
uint32_t stream_word_count(const struct stream *stream);

/* Those words, until the next one ends. */
const uint32_t *stream_encoded(const struct stream *stream);

/* Replays the finished capture with one consumer, whose number is 0. `losses` may be NULL. */
void stream_replay(const struct stream *stream, const struct ws_replay_operations *operations, void *results,
                   uint32_t workers, struct ws_replay_losses *losses);

/* The same by one worker, with `count` consumers of these operations. */
void stream_replay_all(const struct stream *stream, const struct ws_replay_operations *operations,
                       void *const *results, uint32_t count);

/* The same with operations for each of them. */
void stream_replay_each(const struct stream *stream, const struct ws_replay_operations *const *operations,
                        void *const *results, uint32_t count, uint32_t workers);

#endif
