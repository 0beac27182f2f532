/* The layer's settings: one table of them, read from three sources, and what they come to. */
#ifndef WS_LAYER_CORE_SETTINGS_H
#define WS_LAYER_CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/chunks.h"
#include "warpscope/error.h"

/* `first` to `last`, both included and counted from 0. Everything when the setting is not given. */
struct ws_range {
    uint64_t first;
    uint64_t last;
};

/* Which threads append records, as the stream control block says it (records.h, SAMPLING). */
struct ws_sampling {
    uint32_t flags; /* WS_SAMPLE_*; 0 = all threads */
    uint32_t first, last, step;
    uint32_t box[4];  /* x0, y0, x1, y1 */
    uint32_t tile[3]; /* width, height, step */
};

/* What the settings come to; immutable once made. Texts and lists are owned by it; none is NULL. */
struct ws_settings {
    const char **passes; /* names of built-in passes, each once; static strings */
    size_t pass_count;   /* 0: the layer is off */
    char *output;        /* pattern of the capture's file name: capture.h */
    struct ws_range frames;
    struct ws_range launches;
    char *trigger;   /* "" = none: a file; while it exists launches are captured */
    uint32_t stages; /* mask of ws_stage */
    char *shaders;   /* "" = all: globs, separated by commas */
    bool per_block;
    uint32_t max_sites;    /* 0 = no limit */
    uint64_t buffer_size;  /* of records, in bytes, a multiple of 4; 0 = as the device suggests */
    uint64_t buffer_limit; /* likewise */
    struct ws_sampling sampling;
    bool geometry;              /* captured: on, or automatically where pass ray_events is chosen */
    char *dump_shaders;         /* "" = none: a folder */
    uint32_t log_level;         /* lowest enum ws_severity that is said; WS_LOG_NONE = nothing */
    struct ws_text_pair *pairs; /* every setting and its value in effect as text */
    size_t pair_count;
};

#define WS_LOG_NONE 3

/* Reads every setting: environment, then vk_layer_settings.txt, then the VK_EXT_layer_settings structs
 * in `chain` (the pNext of the VkInstanceCreateInfo), then the default. NULL and an error that names the
 * setting, the value, where it came from and what is allowed when one is wrong. */
struct ws_settings *ws_settings_create(const void *chain, struct ws_error *error);

/* NULL is accepted. */
void ws_settings_destroy(struct ws_settings *settings);

#endif
