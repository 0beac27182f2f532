/* A record stream made by hand, for tests of the primitives: shaders into which calls are linked, run without
 * the layer, and what they appended, read by a parser of the test's own. */
#ifndef WS_TESTS_DEVICE_STREAMS_H
#define WS_TESTS_DEVICE_STREAMS_H

#include "examples/base/bindings.h"
#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "warpscope/records.h"
#include "warpscope/root.h"

#define STREAM_SIZE   16384 /* words */
#define UNTOUCHED     0xababababu
#define CONTEXTS_MAX  256
#define CONTEXT_WORDS 512
#define SITES         16

struct streams {
    struct ws_gpu gpu;
    struct ws_gpu_buffer root;
    struct ws_gpu_buffer control;
    struct ws_gpu_buffer words;
    struct ws_gpu_buffer bitmap;
    uint32_t data_words[SITES]; /* per site: words per lane of data records; 0 = a place */
};

/* All records of one context in their order; the context's number in them is replaced by 0. The entry record
 * is read too. */
struct context {
    uint32_t number;
    uint32_t words[CONTEXT_WORDS];
    uint32_t word_count;
    uint32_t entry_words;
    uint32_t slot;
    uint32_t mask[4];
    const uint32_t *per_warp; /* in `words` */
    const uint32_t *per_lane;
    uint32_t lane_words; /* per lane */
    uint32_t lane_count; /* that entered */
};

struct contexts {
    struct context list[CONTEXTS_MAX];
    uint32_t count;
};

/* Makes the buffers; the device is there already. */
bool streams_init(struct streams *streams, struct ws_error *error);
void streams_finish(struct streams *streams);

/* An empty stream of `capacity` words, no sampling, an empty bitmap. Returns the control block's words. */
uint32_t *streams_reset(struct streams *streams, uint32_t capacity);

/* Puts a call of a primitive at a cursor, in all entry points. */
void streams_call(struct ws_editor *editor, enum ws_primitive primitive, struct ws_cursor cursor,
                  const uint32_t *arguments, uint32_t count);

/* Puts the entry record's primitive where entry point 0 begins. */
bool streams_enter(struct ws_editor *editor, uint32_t site);

/* A shader into which `instrument` has put calls, valid, with its specialization. */
struct linked {
    struct ws_arena *arena;
    uint32_t values[WS_SPEC_COUNT];
    VkSpecializationMapEntry entries[WS_SPEC_COUNT];
    VkSpecializationInfo specialization;
    struct ws_gpu_shader shader;
};

bool linked_init(struct linked *linked, const struct streams *streams, const uint32_t *words,
                 size_t word_count, VkShaderStageFlagBits stage, uint32_t slot, uint32_t bins,
                 void (*instrument)(struct ws_editor *), struct ws_error *error);
void linked_finish(struct linked *linked);

/* Reads the first `count` words of the stream. False, with a message, where they are no records. */
bool streams_read(const struct streams *streams, uint32_t bins, uint32_t count, struct contexts *contexts);

/* Whether words `first` and following of the stream are as streams_reset left them. */
bool streams_untouched(const struct streams *streams, uint32_t first);

bool has_lane(const uint32_t mask[4], uint32_t lane);

/* `value` is `expected`; else says so. */
bool check(const char *what, uint64_t value, uint64_t expected);

#endif
