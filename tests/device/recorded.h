/* A capture as flat lists of launches and images, for comparing. */
#ifndef WS_TESTS_DEVICE_RECORDED_H
#define WS_TESTS_DEVICE_RECORDED_H

#include "warpscope/chunks.h"

struct recorded_shader {
    uint32_t shader;
    uint32_t stage;
    uint32_t row_count;
    uint32_t bins;
    uint32_t *words;
};

struct recorded_launch {
    uint64_t index;
    uint64_t submission;
    uint64_t frame;
    uint32_t submission_flags;
    uint32_t kind;
    uint32_t size[3];
    uint32_t flags;
    uint32_t draws;
    char *label;
    char *command_buffer;
    uint32_t pipeline_count;
    uint32_t shader_count;
    struct recorded_shader *shaders;
};

struct recorded_image {
    struct ws_chunk_image chunk;
    uint8_t *bytes; /* chunk.pitch * chunk.height of them */
};

struct recorded {
    struct recorded_launch *launches;
    uint32_t count;
    struct recorded_image *images;
    uint32_t image_count;
    uint64_t skipped;        /* launches in SKIP chunks */
    uint64_t images_skipped; /* likewise, images */
    uint32_t errors;         /* MESG chunks of severity error */
    bool done;               /* there is a DONE chunk */
    struct ws_chunk_done totals;
};

/* Reads a capture; false with a message on stderr when it cannot be read. */
bool recorded_read(struct recorded *recorded, const char *path);
void recorded_finish(struct recorded *recorded);

/* The first shader of `stage` in a launch; NULL when there is none. */
const struct recorded_shader *recorded_shader(const struct recorded_launch *launch, uint32_t stage);

/* How often warps executed the single block of a shader, and with how many lanes altogether. Its rows are the
 * launch row and that block's. */
uint64_t recorded_warps(const struct recorded_shader *shader);
uint64_t recorded_lanes(const struct recorded_shader *shader);

/* Threads that came by the counter of a row (1 = the first block's). */
uint64_t recorded_row_lanes(const struct recorded_shader *shader, uint32_t row);

#endif
