/* The interface of an analysis, and the list of all analyses. `warpscope report FILE NAME` finds an analysis
 * by its name.
 *
 * To add an analysis, write one file that defines a struct ws_analysis, and add one line to registry.c.
 * Declare its columns (columns.h): tables, JSON, CSV and --help are made from that declaration. What is worth knowing of
 * its results it tells the summary (findings.h). A small
 * example to start from is analysis/simt/warp_entry_exit.c. */
#ifndef WARPSCOPE_REPORT_ANALYSIS_H
#define WARPSCOPE_REPORT_ANALYSIS_H

#include <stdio.h>

#include "warpscope/model/overview.h"
#include "warpscope/model/replay.h"
#include "warpscope/model/selection.h"
#include "warpscope/report/columns.h"
#include "warpscope/report/members.h"

/* The most analyses that registry.c can list, with those of plug-ins (plugin.h). */
#define WS_ANALYSES_MAX 30

struct ws_findings;
struct ws_json;
struct ws_plots;
struct ws_ray_marks;
struct ws_scene_preview;

/* What the user asked for on the command line. Texts are not owned. */
struct ws_analysis_options {
    /* --thread x[,y[,z]]: the work id of a thread. For fragment shaders it is a pixel, for vertex shaders
     * vertex,instance. */
    bool has_thread;
    uint32_t thread[3];
    bool
        with_warp; /* with `has_thread`: what the thread's warp executed, too, behind each trace of the thread */
    bool has_warp; /* --warp N: index of a warp */
    uint32_t warp;
    /* --shader, --launch, ...: what was chosen, for analyses that heed it themselves; NULL = everything. In a
     * request it is not decided yet. */
    const struct ws_selection *selection;
    /* --rows N: the most rows in each table of the text report. 0 = the usual number, UINT32_MAX = all. */
    uint32_t rows;
    bool whole; /* the report is for programs (--json, --csv): nothing is left out because it is long */
    struct ws_view view; /* --by, --sort, --fields and --filter, for ws_groups_create */
    bool plots;          /* `plots` will be called, so the data of pictures must be kept */
    /* Path of the capture, for an analysis that must read the capture a second time. NULL = the capture is no
     * file, and can be read only once. */
    const char *path;
    /* What analyses of one report share that look at the geometry first (analysis/scene/scene_preview.h). */
    struct ws_scene_preview **preview;
    struct ws_ray_marks
        *marks; /* gets which rays advice is about (analysis/advice/ray_marks.h); NULL = nobody asks */
    const char *caches; /* --caches DEVICE: whose caches are modelled; NULL = the usual ones */
    double
        worth; /* --worth N: what sorting saves must be so many times what it costs; 0 = the usual number */
    bool compiled; /* --compiled: accesses as a compiler would leave them */
    void *user;    /* for the own analysis of a command, such as `warpscope export`; the others ignore it */
    /* The report is of several analyses. What takes far longer than the others may look at a part of what is there, and
     * says so. */
    bool several;
    const char *tree; /* --tree FILE: the tree that bvh_reconstruct is compared with; NULL = none */
    uint32_t shards;  /* --shards 1/N: caches follows one of N lines for other sizes; 0 or 1 = all */
    uint32_t
        lanes; /* --lanes N: of the warps that caches puts together from narrower ones; 0 = as recorded */
    uint32_t
        page; /* --page N: bytes of the pages that caches tells of, a power of two; 0 = the usual number */
    const char *bvh; /* --bvh KEY=VALUE,...: what the trees of bvh_model are like; NULL = as usual */
    bool summary;    /* only `findings` will be called: what they do not tell need not be found out */
};

struct ws_analysis {
    const char *name;    /* "divergence" */
    const char *summary; /* one line */
    /* What it answers, in a few words: "why lanes are idle". The summary says it where the capture lacks what the
     * analysis needs. */
    const char *answers;
    /* Names of passes, NULL after the last; "probe:" is any pass that begins so. The capture must have at least one of
     * them. An empty list: it
     * needs none. NULL = the analysis needs geometry instead. */
    const char *const *passes;
    const struct ws_columns *columns; /* its columns (columns.h); NULL = it has none */
    const char *words;                /* explains its words in --help; NULL = they need no explanation */
    const char *csv_help; /* explains its CSV in --help if `csv` writes it; NULL = `columns` does */
    /* Returns why this build cannot do the analysis, a sentence without full stop; NULL = it can. The
     * function itself may be NULL: every build can. */
    const char *(*missing)(void);
    bool chooses; /* it uses --thread and --warp */
    /* Why its figures cannot be those of some shaders only (--shader, --pipeline, --stage): "structures are built by
     * no shader"; NULL = they can. Launches that were not chosen are never shown to an analysis, nor are counters of
     * shaders that were not. Executions of these in the replay are: whoever hears them asks ws_selection_runs. */
    const char *no_shaders;
    bool by_name; /* only a report that names it has it: a report of all analyses leaves it out */
    /* It shows names (names.h) while it still receives the capture, as one that writes rows at once does. Then what
     * the capture defines is read before everything else. */
    bool names_first;

    /* Returns empty results for a capture. NULL = the options are wrong, which `error` explains, or there
     * is no memory. The catalog stays where it is and can be kept. It may be empty here: it fills while the capture is
     * read, and is whole when `end` is called. */
    void *(*create)(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error);
    void (*destroy)(void *results);

    /* The two ways to receive the capture. Each may be NULL, and an analysis may use both.
     *   replay            receives the replay of the records (replay.h)
     *   record, then end  receive every chunk in order, then the end
     * record and end return false with `error` set, or false alone if there is no memory. */
    const struct ws_replay_operations *replay;
    bool (*record)(void *results, const struct ws_chunk *chunk, struct ws_error *error);
    bool (*end)(void *results, struct ws_error *error);
    /* Called after the end: false if the thread or warp that was chosen is not there; `error` says what is. NULL = it
     * always is. */
    bool (*has_chosen)(const void *results, struct ws_error *error);

    /* Receives the analysis's number in the replay: its place in context->user is context->user[user]. Called
     * once, before the replay begins. NULL = the analysis does not need the number. */
    void (*attach)(void *results, uint32_t user);

    /* Adds consumers beside `replay` (ws_replay_add): of records of another pass, or of what another analysis finds out. Called
     * after attach; and once before that, only to see whether they have room, when none is added. False = the replay has no
     * room, or there is no memory. NULL = it hears nothing else. */
    bool (*hear)(void *results, struct ws_replay *replay);

    /* Returns the sums by its columns, which the results own. NULL = it has no columns. */
    const struct ws_groups *(*groups)(const void *results);

    /* How the results are shown. text, json and csv may be NULL if the analysis has columns: then the
     * declaration is enough. With --by the columns are shown in place of text, and json is not called; with
     * --by, --sort, --fields or --filter they are shown in place of csv. False = no memory. Errors of the
     * stream are for the caller to find. */

    /* Adds what is worth knowing (findings.h) for the summary. The results are complete. NULL = it has figures alone, or
     * takes far longer than the others: the summary leaves it out. False = no memory. */
    bool (*findings)(const void *results, struct ws_findings *findings);

    /* Returns why there is nothing to report, a clause such as "no ray was recorded"; NULL = there is something. A report of
     * several analyses says it in one line, in place of a section. The function itself may be NULL. */
    const char *(*nothing)(const void *results);
    /* Prints sections. Each is an empty line, a heading, and the contents. */
    bool (*text)(const void *results, FILE *stream);
    /* Prints lines for the foot of the report, each with two spaces in front; NULL = none. */
    void (*notes)(const void *results, FILE *stream);
    /* Writes members behind the tables of `columns`, one by one and long lists row by row (json.h): what is no
     * table. They are always the same ones, null where there is no value, and `members` declares them. */
    bool (*json)(const void *results, struct ws_json *json);
    const struct ws_member *members; /* name = NULL after the last; NULL = json is NULL */
    /* Prints one line with the names of the columns, then one line per row. */
    bool (*csv)(const void *results, FILE *stream);
    /* Draws pictures. False and `error` if one cannot be written. NULL = it draws none. */
    bool (*plots)(const void *results, struct ws_plots *plots, struct ws_error *error);
};

/* Makes an analysis known that is not built in, as the last. There is room for WS_PLUGIN_ANALYSES_MAX. */
void ws_analysis_add(const struct ws_analysis *analysis);

/* Returns the analysis with that name; NULL if there is none. */
const struct ws_analysis *ws_analysis_find(const char *name);

/* Returns the name that an analysis has now, given one that it had before; NULL if no analysis had it. */
const char *ws_analysis_new_name(const char *name);

/* Returns the list of all analyses, with NULL after the last. */
const struct ws_analysis *const *ws_analysis_list(void);

/* Returns whether this build can do the analysis and the capture has what it needs. `overview` is of the
 * part of the capture that has been read so far. If the result is false, `error` names what the build
 * lacks, or the pass or geometry that the capture lacks and how to record it. `error` may be NULL. `path`
 * is the path of the capture, for the message. */
bool ws_analysis_is_served(const struct ws_analysis *analysis, const struct ws_overview *overview,
                           const char *path, struct ws_error *error);

/* Names what a capture must have for the analysis: "pass divergence", "pass simt_efficiency or ray_events", "geometry", "a
 * probe". `size` is 16 at least. */
void ws_analysis_needs(const struct ws_analysis *analysis, char *text, size_t size);

/* Returns whether the analysis can heed what was chosen; `selection` may be NULL. If not, `error` says why: that is about
 * wrong arguments. */
bool ws_analysis_heeds(const struct ws_analysis *analysis, const struct ws_selection *selection,
                       struct ws_error *error);

#endif
