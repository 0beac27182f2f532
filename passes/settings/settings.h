/* The settings of a capture: one table of them, and one grammar of their values.
 *
 * The table is all that anybody knows of a setting. The layer reads its three sources by it
 * (layer/core/settings.h), the build writes the layer's manifests from it (manifests/generate.c), and the
 * command makes the options and the help of `warpscope record` and the text of `warpscope list settings` of
 * it. A new setting is a line in the table (table.c), and a reader of its value where no present one fits
 * (grammar.c).
 *
 * Thread-safe: everything but a `struct ws_settings` while it is written. */
#ifndef WS_PASSES_SETTINGS_SETTINGS_H
#define WS_PASSES_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/base/range.h"
#include "warpscope/chunks.h"
#include "warpscope/error.h"

/* A name stands for one layer (LoaderLayerInterface.md, "Layer Manifest File Format"), so the manifest that makes it
 * implicit has a name of its own. The layer answers to both. */
#define WS_LAYER_NAME          "VK_LAYER_WARPSCOPE_capture"
#define WS_LAYER_NAME_IMPLICIT "VK_LAYER_WARPSCOPE_capture_implicit"
#define WS_LAYER_DESCRIPTION   "Warpscope: what really happens inside the shaders of an application"

/* In the order in which they are read: `probes` and `geometry` need the passes. */
enum ws_setting_id {
    WS_SETTING_PASSES,
    WS_SETTING_PROBES,
    WS_SETTING_OUTPUT,
    WS_SETTING_FRAMES,
    WS_SETTING_LAUNCHES,
    WS_SETTING_TRIGGER,
    WS_SETTING_STAGES,
    WS_SETTING_SHADERS,
    WS_SETTING_PER_BLOCK,
    WS_SETTING_MAX_SITES,
    WS_SETTING_SITES_BUDGET,
    WS_SETTING_SAMPLE,
    WS_SETTING_DUMP_SHADERS,
    WS_SETTING_BUFFER_SIZE,
    WS_SETTING_BUFFER_LIMIT,
    WS_SETTING_THREADS,
    WS_SETTING_PIXELS,
    WS_SETTING_TILE,
    WS_SETTING_GEOMETRY,
    WS_SETTING_IMAGE,
    WS_SETTING_IMAGE_LIMIT,
    WS_SETTING_ARGUMENTS,
    WS_SETTING_SLOW_AFTER,
    WS_SETTING_LOG_LEVEL,
    WS_SETTING_COUNT,
};

/* Types as vkconfig names them. */
enum ws_setting_type {
    WS_SETTING_TYPE_STRING,
    WS_SETTING_TYPE_BOOL,
    WS_SETTING_TYPE_INT,
    WS_SETTING_TYPE_ENUM,
    WS_SETTING_TYPE_FLAGS,
    WS_SETTING_TYPE_LOAD_FILE,
    WS_SETTING_TYPE_SAVE_FILE,
    WS_SETTING_TYPE_SAVE_FOLDER,
};

/* An option of `warpscope record` that gives a setting its value. */
struct ws_setting_option {
    const char *name;     /* without dashes; NULL = there is no option */
    char letter;          /* the short form; 0 = none */
    const char *argument; /* what the help calls its value; NULL = it takes none */
    const char *value;    /* then: the setting's value */
    const char *help;     /* one paragraph, to be wrapped; NULL = the setting's description */
};

/* What a user wants by a setting: the line above its option in the help of `record`. Strings, not numbers, because the
 * tables of options name them too. */
#define WS_SETTING_WHAT   "What to record"
#define WS_SETTING_PART   "What to leave out"
#define WS_SETTING_RESULT "What to write, and what to say"
#define WS_SETTING_COST   "What it may cost"

struct ws_setting {
    const char *key;
    enum ws_setting_type type;
    const char *default_value; /* as text */
    const char *label;         /* for people, in vkconfig */
    const char *description;   /* likewise, and for `warpscope list settings`; says what is allowed */
    const char *group;         /* one of the four above; NULL only where there is no option */
    struct ws_setting_option options[2];
};

/* By enum ws_setting_id. */
extern const struct ws_setting ws_setting_table[WS_SETTING_COUNT];

/* The setting of that key; WS_SETTING_COUNT when there is none. */
enum ws_setting_id ws_setting_find(const char *key);

/* The environment variables of a setting, the strongest first: VK_WARPSCOPE_CAPTURE_<KEY>, VK_CAPTURE_<KEY>
 * and WARPSCOPE_<KEY>. Writes variable `index` (below WS_SETTING_VARIABLES) and returns `name`. */
#define WS_SETTING_VARIABLES     3
#define WS_SETTING_VARIABLE_SIZE 64
const char *ws_setting_variable(enum ws_setting_id id, unsigned index, char name[WS_SETTING_VARIABLE_SIZE]);

/* The key of a setting that is near a name which is no setting; NULL = none is. */
const char *ws_setting_near(const char *key);

/* Looks in `environment` (environ), from variable `*at` on, for one that begins as the settings' do but is none of them.
 * If there is one, writes a sentence about it into `text`, with what may have been meant, moves `*at` behind it and
 * returns true. */
bool ws_setting_next_unknown(char *const *environment, size_t *at, char *text, size_t size);

/* Choice `index` of an ENUM or FLAGS setting, NULL after the last. Static string. */
const char *ws_setting_choice(enum ws_setting_id id, size_t index);

/* What that choice means, one line; "" where its name says it. Static string. */
const char *ws_setting_choice_summary(enum ws_setting_id id, size_t index);

/* Which threads append records, as the stream control block says it (records.h, SAMPLING). */
struct ws_sampling {
    uint32_t flags; /* WS_SAMPLE_*; 0 = all threads */
    uint32_t first, last, step;
    uint32_t box[4];  /* x0, y0, x1, y1 */
    uint32_t tile[3]; /* width, height, step */
};

#define WS_LOG_NONE 3

/* The values of the settings. Texts and lists are owned by it. Zeroed it is empty: nothing is set, and
 * ws_settings_finish may be called. */
struct ws_settings {
    const char **passes; /* names of built-in passes, each once; static strings */
    size_t pass_count;   /* 0: the layer is off, unless there are probes */
    /* Set before the passes are read: a name that is no pass is no error, because a plug-in that could have it was
     * refused. Such names are listed, with ", " between them; NULL = there are none. */
    bool allows_missing_passes;
    char *missing_passes;
    bool times;       /* pass time is one of them */
    bool clocks;      /* pass warp_time is */
    char *probes;     /* files of compiled probes (warpscope/probe.h), with ':' between them; "" = none */
    bool instruments; /* some other pass is, or a probe: code is put into shaders */
    char *output;     /* pattern of the capture's file name: layer/core/capture.h */
    struct ws_range frames;
    struct ws_range launches;
    char *trigger;   /* "" = none: a file; launches are captured while it exists */
    uint32_t stages; /* mask of ws_stage */
    char *shaders;   /* "" = all: globs, separated by commas */
    bool per_block;
    uint32_t max_sites;    /* 0 = no limit */
    uint32_t sites_budget; /* likewise; WS_SITES_BUDGET_AUTO (warpscope/instrument.h) */
    uint32_t sample;       /* one warp in so many counts; 1 = all; 0 = not set */
    uint64_t buffer_size;  /* of records, in bytes, a multiple of 4; 0 = as the device suggests */
    uint64_t buffer_limit; /* likewise */
    struct ws_sampling sampling;
    bool geometry;        /* captured: on, or automatically where pass ray_events or memory_trace is chosen */
    bool bindings;        /* it is followed what memory is bound: a pass needs it that tells it apart */
    bool image;           /* the pictures of launches are captured */
    uint64_t image_limit; /* bytes of images that a capture takes; 0 = as the layer suggests */
    bool arguments;       /* the capture holds the command line */
    char *dump_shaders;   /* "" = none: a folder */
    uint32_t slow_after;  /* seconds; 0 = never */
    uint32_t log_level;   /* lowest enum ws_severity that is printed; WS_LOG_NONE = nothing */
    struct ws_text_pair *pairs; /* every setting and its value in effect as text; NULL = not kept */
    size_t pair_count;
};

/* Reads `text` as the value of setting `id` into `settings`; a value that it had is replaced. False and
 * `error` when the value is wrong, or there is no memory. The error begins with `name`, which is what the
 * user calls the setting, and says the value and what is allowed:
 *
 *     --frames takes A-B, A- or A with A not above B, not '9-3'
 */
bool ws_settings_set(struct ws_settings *settings, enum ws_setting_id id, const char *text, const char *name,
                     struct ws_error *error);

/* Frees what the settings own and zeroes them. */
void ws_settings_finish(struct ws_settings *settings);

#endif
