/* What of a capture the user chose: --shader, --pipeline, --stage, --frame, --launch, --label.
 *
 * WHAT A FILTER MEANS is the same for every figure, picture and export:
 *
 *   launches   --launch, --frame and --label choose launches. What was not chosen is as if it had not been recorded:
 *              figures, shares, totals and advice are those of a capture that `record --launches` made of the chosen
 *              ones. So is the state of the scene: builds that come after the last chosen launch are not there.
 *   shaders    --shader, --stage and --pipeline choose executions of shaders. Figures, shares and totals are those of
 *              these executions. What the others say about them stays: why a lane of a chosen shader is idle is found
 *              from all shaders.
 *                rays         a ray belongs to the shader that traced it, with all that it met: its any-hit runs and
 *                             intersections are counted, whichever shader ran them. A ray whose parent was not chosen
 *                             has no parent.
 *                lifetimes    the blocks of chosen shaders, by threads and warps that ran one. Launched shaders still
 *                             tell them apart.
 *                call sites   those in chosen shaders.
 *                advice       on chosen shaders and on the rays that they trace. As the rest of the capture may speak
 *                             against it, none is certain.
 *              A launch that cannot run a chosen shader, since none of its pipelines has it, is not chosen either.
 *   pipelines  An execution belongs to a pipeline if, of all pipelines of its launch, that one has its shader. If
 *              several of them have it, it is not known which ran: then it is chosen if all of these are.
 *
 * Of several values of one option any may hold; of several options all must.
 *
 * PATTERNS (glob.h) are tried on a shader's name as reports show it, on its id, its entry point, the name, file and
 * hash of its module and its stage; on a pipeline's name and id; on the labels that a launch lies in, one by one and
 * joined by " / " as reports show them. A text that is such a name as it is means that, whatever characters it has. A
 * text that fits nothing is a list with commas.
 *
 * Not thread-safe while it is made and decided; then it is only read. Texts that it was given are not owned. */
#ifndef WARPSCOPE_MODEL_SELECTION_H
#define WARPSCOPE_MODEL_SELECTION_H

#include "warpscope/base/range.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/launch.h"

#define WS_SELECTION_MAX 32 /* values of one option */

enum ws_selection_option {
    WS_SELECT_SHADER,
    WS_SELECT_PIPELINE,
    WS_SELECT_LABEL,
    WS_SELECT_STAGE,
    WS_SELECT_FRAME,
    WS_SELECT_LAUNCH,
    WS_SELECT_COUNT,
};

/* Whether a launch is chosen, and with all its pipelines or with some of them only. */
enum ws_selection_launched { WS_LAUNCH_UNCHOSEN = 0, WS_LAUNCH_WHOLE, WS_LAUNCH_PARTLY };

/* Zero-initialised it chooses everything. */
struct ws_selection {
    /* What was asked for. */
    const char *texts[WS_SELECT_COUNT][WS_SELECTION_MAX];
    uint32_t counts[WS_SELECT_COUNT];
    uint32_t stages;                          /* mask of enum ws_stage; 0 = all */
    struct ws_range frames[WS_SELECTION_MAX]; /* by the place of their texts */
    struct ws_range launches[WS_SELECTION_MAX];

    /* What it is in one capture; set by ws_selection_decide. */
    const struct ws_catalog *catalog; /* NULL until then */
    bool *shaders;                    /* by index in the catalog; NULL = all */
    bool *pipelines;                  /* likewise */
    uint8_t *launched;                /* by place in `all`: enum ws_selection_launched */
    struct ws_launch_table all;       /* the launches of the capture, chosen or not */
    uint32_t shader_count;            /* chosen ones */
    uint32_t pipeline_count;
    uint32_t launch_count;
    uint64_t last; /* index of the last chosen launch */
    bool shared;   /* a chosen shader is both in chosen pipelines and in others */
};

/* Takes a value of one of the options. False and `error`, which is about wrong arguments. */
bool ws_selection_add(struct ws_selection *selection, enum ws_selection_option option, const char *text,
                      struct ws_error *error);

/* "--shader": static. */
const char *ws_selection_option_name(enum ws_selection_option option);

/* Whether anything was chosen; whether launches or executions of shaders were. NULL = no. */
bool ws_selection_is_set(const struct ws_selection *selection);
bool ws_selection_has_launches(const struct ws_selection *selection);
bool ws_selection_has_shaders(const struct ws_selection *selection);

/* Finds what was chosen in a capture. The catalog has all that the capture defines, named (names.h), and all its
 * launches, which the selection takes from it. The catalog must outlive it. False and `error`: it has not what was
 * asked for, and the error names what it has; or there is no memory. `path` is the capture's, for the message. */
bool ws_selection_decide(struct ws_selection *selection, struct ws_catalog *catalog, const char *path,
                         struct ws_error *error);
void ws_selection_finish(struct ws_selection *selection);

/* Prints what was chosen of launches, and of shaders with the names of the first `names`; nothing where all were:
 *
 *     1 of 3 launches (--launch 1)
 *     2 of 11 shaders (--shader '*hit*'): mesh.rchit:main, mesh.rahit:main */
void ws_selection_print_launches(const struct ws_selection *selection, FILE *stream);
void ws_selection_print_shaders(const struct ws_selection *selection, uint32_t names, FILE *stream);

/* Whether a launch is chosen, by its index, and whether executions of a shader in it are, by its index in the catalog.
 * True where the selection is NULL. Thread-safe. */
bool ws_selection_has_launch(const struct ws_selection *selection, uint64_t launch);
bool ws_selection_runs(const struct ws_selection *selection, uint64_t launch, uint32_t shader);

/* Whether a shader is chosen, and whether a pipeline has chosen shaders, by their indices in the catalog. True where the
 * selection is NULL. Thread-safe. */
bool ws_selection_has_shader(const struct ws_selection *selection, uint32_t shader);
bool ws_selection_has_pipeline(const struct ws_selection *selection, uint32_t pipeline);

/* A chunk of which only what was chosen is left. Zero-initialised is empty. */
struct ws_selected_chunk {
    struct ws_chunk chunk;
    struct ws_launch *launches;
    uint32_t launch_capacity;
    struct ws_shader_counters *counters;
    uint32_t counter_capacity;
};

void ws_selected_chunk_finish(struct ws_selected_chunk *selected);

/* What is left of a chunk once launches that were not chosen are gone; `*some` is false where that is nothing.
 * `selected->chunk` is valid as long as `chunk` and until the next call. False = no memory. */
bool ws_selection_launches(const struct ws_selection *selection, const struct ws_chunk *chunk,
                           struct ws_selected_chunk *selected, bool *some);

/* The same with counters of shaders that were not chosen gone from the launches. */
bool ws_selection_counters(const struct ws_selection *selection, const struct ws_chunk *chunk,
                           struct ws_selected_chunk *selected);

/* ws_reader_next, without what was not chosen of launches. `selection` may be NULL. */
enum ws_read_result ws_selection_next(const struct ws_selection *selection, struct ws_reader *reader,
                                      struct ws_selected_chunk *selected, struct ws_error *error);

#endif
