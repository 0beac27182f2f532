/* An analysis: how it is fed with a capture, and how its results are shown. `warpscope report FILE NAME`
 * finds it by name.
 *
 * To add an analysis, write one file that defines a struct ws_analysis, and add one line to registry.c.
 * Declare its columns (columns.h): tables, JSON, CSV and --help come from that declaration. A small one to
 * start from is analysis/simt/warp_entry_exit.c. */
#ifndef WS_ANALYSIS_REPORT_ANALYSIS_H
#define WS_ANALYSIS_REPORT_ANALYSIS_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "analysis/model/overview.h"
#include "analysis/model/replay.h"
#include "analysis/report/columns.h"

/* Most analyses that there can be. */
#define WS_ANALYSES_MAX 16

struct ws_json;
struct ws_plots;

/* What the user asked for on the command line. Texts are not owned. */
struct ws_analysis_options {
    /* --thread x[,y[,z]]: for fragment shaders a pixel, for vertex shaders vertex,instance. */
    bool has_thread;
    uint32_t thread[3];
    bool has_warp; /* --warp N: a warp's index */
    uint32_t warp;
    bool has_launch; /* --launch N */
    uint64_t launch;
    uint32_t rows;       /* --rows N: most rows of each table; 0 = the usual number, UINT32_MAX = all */
    struct ws_view view; /* --by, --sort, --fields and --filter, for ws_groups_create */
    bool plots;          /* plots will be called: pictures are worth their memory */
    const char *path;    /* of the capture, for an analysis that reads it beforehand; NULL = it is no file */
    void *user;          /* for an analysis that a command has of its own */
};

struct ws_analysis {
    const char *name;          /* "divergence" */
    const char *summary;       /* one line */
    const char *const *passes; /* the capture must have one of these; NULL-terminated. NULL: it must have
                                  geometry */
    const struct ws_columns
        *columns;                 /* of its tables, JSON and CSV (columns.h); NULL: it writes them by hand */
    const char *words;            /* what its words mean, for --help; NULL: they need no explanation */
    const char *csv_help;         /* the columns of its CSV, where `columns` does not say them */
    const char *(*missing)(void); /* why this build cannot do it, a sentence without full stop; NULL, the
                                     function or its result: it can */
    bool chooses;                 /* it takes --thread, --warp and --launch */

    /* Results of a whole capture, empty. NULL = no memory, or `error` says what is wrong with the options. */
    void *(*create)(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error);
    void (*destroy)(void *results);

    /* How it is fed: by the replay of records (replay.h), and/or chunk by chunk; either may be NULL. */
    const struct ws_replay_operations *replay;
    bool (*record)(void *results, const struct ws_chunk *chunk, struct ws_error *error);
    bool (*end)(void *results, struct ws_error *error);

    /* `user`: the number of context->user, if it has a replay, is given before the first chunk that the
     * replay gets; NULL if it is not needed. */
    void (*attach)(void *results, uint32_t user);

    /* The sums by its columns; NULL where it has none. */
    const struct ws_groups *(*groups)(const void *results);

    /* How it is shown; each may be NULL where columns say it all. False = no memory; errors of the stream are
     * the caller's to find. */
    bool (*text)(const void *results,
                 FILE *stream); /* sections: an empty line, a heading, and what is in it */
    void (*notes)(const void *results, FILE *stream); /* lines for the foot of the report, after two spaces
                                                         each; may be NULL */
    bool (*json)(const void *results, cJSON *object); /* members of the object that stands under its name */
    /* Instead of json, for lists too long for memory: writes its members one by one (json.h). Reported alone,
     * they stand in the report's outermost object, beside `capture`; else under its name too. */
    bool (*json_members)(const void *results, struct ws_json *json);
    bool (*csv)(const void *results, FILE *stream); /* a line with the names of the columns, then the rows */
    bool (*plots)(const void *results, struct ws_plots *plots, struct ws_error *error); /* may be NULL */
};

/* NULL when there is none of that name. */
const struct ws_analysis *ws_analysis_find(const char *name);

/* All analyses, NULL after the last. */
const struct ws_analysis *const *ws_analysis_list(void);

/* Whether this build can do the analysis, and a capture has what it needs, by what has been read of it so
 * far. If not, `error` says what the build lacks, or which pass, or that geometry, the capture was recorded
 * without, and how to record it. `path`: the capture's. */
bool ws_analysis_is_served(const struct ws_analysis *analysis, const struct ws_overview *overview,
                           const char *path, struct ws_error *error);

#endif
