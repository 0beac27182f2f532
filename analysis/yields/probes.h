/* What probes yielded, collected from a capture: outputs, and where, when and by which shader each was yielded to.
 *
 * FIGURES are those of struct ws_yield_sums (decode.h). Beside them, for each output:
 *
 *   value   count: the count. sum: the sum; of float it is exact until it is rounded once. min, max: the value. Other
 *           kinds have none
 *   mean    sum: the sum by the count of values. lanes: the active lanes of an execution by a warp
 *   simt efficiency
 *           lanes: the active lanes of all executions by the lanes that the warps have, as the pass of that name counts it
 *   share   of a bin or an entry: its count by that of all of the output, in the whole capture
 *   thread  min, max: the work id of the thread that had the value; of several the smallest of the first launch
 *
 * An output `per shader` has no site, and so no line.
 *
 * An output that nothing was yielded to has a row as an output, with 0. A site whose function was never called, or never
 * yielded, has no row. */
#ifndef WS_ANALYSIS_YIELDS_PROBES_H
#define WS_ANALYSIS_YIELDS_PROBES_H

#include "analysis/yields/decode.h"
#include "warpscope/base/id_map.h"
#include "warpscope/base/text.h"
#include "warpscope/code/census.h"
#include "warpscope/model/replay.h"
#include "warpscope/report/analysis.h"

/* Samples and records that are kept as rows. Those beyond are counted. */
#define WS_PROBE_ROWS_MAX (1u << 20)

enum ws_probes_dimension {
    WS_PROBES_OUTPUT, /* index in outputs */
    WS_PROBES_STAGE,
    WS_PROBES_SHADER,
    WS_PROBES_LINE, /* index in lines */
    WS_PROBES_SITE, /* ws_key_in_shader(shader, index of the site in its module) */
    WS_PROBES_LAUNCH,
    WS_PROBES_BIN,    /* decode.h, BINS */
    WS_PROBES_ENTRY,  /* index in entries */
    WS_PROBES_RECORD, /* index in records */
    WS_PROBES_DIMENSIONS,
};

enum ws_probes_level {
    WS_PROBES_BY_OUTPUT,
    WS_PROBES_BY_SHADER,
    WS_PROBES_BY_LINE,
    WS_PROBES_BY_SITE,
    WS_PROBES_BY_LAUNCH,
    WS_PROBES_BY_BIN,
    WS_PROBES_BY_ENTRY,
    WS_PROBES_BY_RECORD,
};

/* One output of one probe. */
struct ws_probes_output {
    uint32_t probe;                       /* index in probes */
    const struct ws_probe_output *output; /* its probe's */
    uint32_t word;                        /* offset in its area */
    struct ws_yield_sums sums;            /* of the whole capture */
    uint64_t largest;                     /* count of its largest bin or entry; after the end */
    uint32_t beyond;                      /* values: distinct ones with a rank beyond those asked for ... */
    uint64_t beyond_count;                /* ... and how often they came; after the end */
};

/* A probe of the capture. */
struct ws_probes_probe {
    struct ws_probe *probe;
    const char *pass; /* "probe:NAME" */
    struct ws_probe_layout layout;
    uint32_t first_output; /* of its own, in outputs */
    bool *met;             /* by rule: some module has a site of it */
};

/* A source line with places; without file: all places whose line is not known. */
struct ws_probes_line {
    const char *file;
    uint32_t line;
};

/* An entry of `values` or a table, over all launches and shaders. */
struct ws_probes_entry {
    uint32_t output;
    uint32_t keys[WS_YIELD_KEYS_MAX];
    uint64_t count;
    uint32_t
        rank; /* among those of its output, from 1: the largest count first, then by its keys; after the end */
};

/* A sample, or what one thread recorded. */
struct ws_probes_record {
    uint32_t output;
    uint32_t shader; /* index in the catalog */
    uint32_t site;   /* of its module; WS_NONE = not known */
    uint64_t launch;
    size_t fields;    /* its first word in field_words */
    bool has_thread;  /* a record: `thread` had it */
    uint32_t work[3]; /* as in struct ws_thread */
};

/* Places that were skipped for one reason. */
struct ws_probes_skip {
    uint32_t probe;
    uint32_t module; /* index in the catalog */
    uint64_t count;
    const char *reason; /* of texts */
};

/* What was read of the SITE chunk of a module. */
struct ws_probes_module {
    uint32_t *shared; /* by pass: first word of its area per shader, WS_NONE = none; NULL = none of any */
    uint32_t shared_count;
};

/* Yield words of one launch, as they came. */
struct ws_probes_run {
    uint32_t shader; /* index in the catalog */
    uint32_t first;
    uint32_t count;
    size_t at; /* in words */
};

struct ws_probes_launch {
    uint64_t launch;
    struct ws_probes_run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    uint32_t *words;
    uint32_t word_count;
    uint32_t word_capacity;
};

/* Chunks of so many launches may stand mixed: those of several devices are written side by side. */
#define WS_PROBES_OPEN 16

struct ws_probes {
    const struct ws_catalog *catalog;
    struct ws_groups *groups;
    struct ws_probes_probe *probes;
    uint32_t probe_count;
    uint32_t probe_capacity;
    struct ws_probes_output *outputs;
    uint32_t output_count;
    uint32_t output_capacity;
    struct ws_probes_module *modules; /* by index in the catalog */
    uint32_t module_count;
    struct ws_probes_line *lines;
    uint32_t line_count;
    uint32_t line_capacity;
    struct ws_id_map line_ids;
    struct ws_probes_entry *entries;
    uint32_t entry_count;
    uint32_t entry_capacity;
    struct ws_id_map entry_ids;
    struct ws_census census; /* of all modules: what came nearest to rules without a place */
    struct ws_probes_record *records;
    uint32_t record_count;
    uint32_t record_capacity;
    uint32_t *field_words;
    uint32_t field_count;
    uint32_t field_capacity;
    struct ws_probes_part *heard; /* records of the launch that is replayed; NULL = none yet */
    uint64_t left_out;            /* samples and records beyond WS_PROBE_ROWS_MAX */
    bool sampled;                 /* probes ran only in the warps that counted (setting sample) */
    struct ws_probes_skip *skips;
    uint32_t skip_count;
    uint32_t skip_capacity;
    uint32_t unreadable;                          /* probes whose words could not be read ... */
    char why[WS_ERROR_SIZE];                      /* ... and why the last one could not */
    struct ws_probes_launch open[WS_PROBES_OPEN]; /* the latest last */
    uint32_t open_count;
    uint32_t *area; /* words of the output that is decoded */
    uint32_t area_capacity;
    struct ws_text_pool texts;
};

extern const struct ws_analysis ws_analysis_probe;
extern const struct ws_columns ws_probes_columns;

bool ws_probes_begin(struct ws_probes *results, const struct ws_catalog *catalog, const struct ws_view *view,
                     struct ws_error *error);
void ws_probes_finish(struct ws_probes *results);

/* Takes in every chunk of a reader, in order; ws_probes_end after the last. False with `error` set, or alone without
 * memory. */
bool ws_probes_add(struct ws_probes *results, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_probes_end(struct ws_probes *results, struct ws_error *error);

/* The record outputs come through the replay. */
extern const struct ws_replay_operations ws_probes_replay;

/* Whether a function was called at no place of the capture's modules for a rule of probe `probe`, an index in `probes`.
 * Captures of before do not name the rules of places: there, places of several rules of one function cannot be told apart
 * but by their instructions. */
bool ws_probes_is_unmatched(const struct ws_probes *results, uint32_t probe, uint32_t rule);

/* What that rule is in the probe's source, and what came nearest to it, each cut at its size. */
#define WS_PROBES_TEXT_SIZE 256
struct ws_probes_unmatched {
    const char *probe; /* its name */
    uint32_t line;     /* of its source; 0 = it has one line, or it is not known */
    char rule[WS_PROBES_TEXT_SIZE];
    char nearest[WS_PROBES_TEXT_SIZE]; /* "the shaders have 12 OpFMul, no OpFDiv" */
};
void ws_probes_explain(const struct ws_probes *results, uint32_t probe, uint32_t rule,
                       struct ws_probes_unmatched *unmatched);

/* What `value` and `mean` are. False where there is none, as of a min without a value. */
bool ws_probes_value(const struct ws_probes_output *output, const struct ws_yield_sums *sums, double *value);
bool ws_probes_mean(const struct ws_probes_output *output, const struct ws_yield_sums *sums, double *mean);

/* The value as text, integers with all their digits; "" = none. Returns `text`. */
const char *ws_probes_value_text(const struct ws_probes_output *output, const struct ws_yield_sums *sums,
                                 char text[WS_YIELD_TEXT_SIZE]);

/* What an output yielded, in few words: "born 12", "most 5 of 10240", "trips 10240 times", "full
 * 850 times, with 62.5 % of the lanes active". */
void ws_probes_tell(const struct ws_probes_output *output, const struct ws_yield_sums *sums, char *words,
                    size_t size);

/* The name of the probe of an output. */
const char *ws_probes_name(const struct ws_probes *results, const struct ws_probes_output *output);

/* Draws what threads recorded (probes_images.c). False and `error`. */
bool ws_probes_images(const struct ws_probes *results, struct ws_plots *plots, struct ws_error *error);

/* "count", "sum", ... */
const char *ws_yield_kind_name(uint32_t kind);

#endif
