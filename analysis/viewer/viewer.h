/* What the viewer's page reads (`warpscope view`, `warpscope html`): version 1 of its interface.
 *
 * Everything that the page shows is an ANSWER to a QUERY on a RESOURCE: `scene.json?launch=3`. The served page fetches
 * `data/scene.json?launch=3`; the single file holds a chosen set of answers, which are found by the same text. Figures
 * come from the functions that reports and exports print: the page computes none of them again.
 *
 * A QUERY is the resource's name and, behind "?", keys with values, joined by "&", percent-encoded (query.h). Every
 * resource understands `capture=b`, the second of two captures; without it the first is meant. A resource whose name ends in
 * ".json" answers with JSON, the others with binary data, little endian. The shape of an answer stands at the head of
 * the resource's own file. `capture.json` says "format": "warpscope-view", "version": 1; the version changes when a
 * member goes or changes its meaning, not when one comes.
 *
 * AN ERROR is an unknown resource (404), or an unknown key, a malformed value, a launch, thread or shader that is not
 * there (400). The answer is then {"error": TEXT}.
 *
 * To add a resource, write one file that defines a struct ws_viewer_resource, and add one line to resources.c.
 *
 * Nothing here is thread-safe: one query is answered at a time. */
#ifndef WS_ANALYSIS_VIEWER_VIEWER_H
#define WS_ANALYSIS_VIEWER_VIEWER_H

#include <stdio.h>

#include "analysis/report/report.h"
#include "analysis/viewer/query.h"

#define WS_VIEWER_FORMAT       "warpscope-view"
#define WS_VIEWER_VERSION      1
#define WS_VIEWER_CAPTURES_MAX 2

struct ws_ray_marks;
struct ws_scene;
struct ws_viewer;
struct ws_viewer_capture;

/* What a family of resources keeps of a capture between two queries: made when it is first needed. */
enum ws_viewer_part {
    WS_VIEWER_PART_RAYS,
    WS_VIEWER_PART_RAY_SET,
    WS_VIEWER_PART_SCENE,
    WS_VIEWER_PART_PICTURES,
    WS_VIEWER_PART_SHADERS,
    WS_VIEWER_PART_THREADS,
    WS_VIEWER_PART_LINKS,
    WS_VIEWER_PART_RATES,
    WS_VIEWER_PARTS
};

/* One capture of the view. Made and owned by the viewer. */
struct ws_viewer_capture {
    const char *key; /* "a", "b" */
    const char *path;
    uint32_t number;            /* index in the viewer's captures */
    struct ws_report report;    /* of all analyses, with every row (options.whole) */
    struct ws_ray_marks *marks; /* which rays its advice is about (analysis/advice/ray_marks.h) */
    struct ws_scene *own_scene; /* private: ws_viewer_scene */
    struct {
        void *data; /* NULL = not made yet */
        void (*destroy)(void *data);
    } parts[WS_VIEWER_PARTS];
};

/* Reads a capture by `request`, within the limits that the user set, and shows the progress where there is a terminal:
 * ws_report_read, as the command has it. */
typedef bool ws_viewer_read_function(void *user, struct ws_report *report, const char *path,
                                     struct ws_report_request *request, struct ws_error *error);

struct ws_viewer_options {
    const char *paths[WS_VIEWER_CAPTURES_MAX]; /* NULL behind the last; not owned */
    const char *times;                         /* of the first capture, as report.h says; NULL = its own */
    const struct ws_selection *selection;      /* what of each capture is shown; not decided yet; not owned */
    ws_viewer_read_function *read;
    void *user; /* given to `read` */
};

enum ws_viewer_why {
    WS_VIEWER_NO_ROOM,      /* the budget is spent */
    WS_VIEWER_OTHER_LAUNCH, /* it is of a launch that the file does not show (launches_shown.h) */
    WS_VIEWER_NO_ANSWER,    /* there is none: the capture is damaged, say */
    WS_VIEWER_WHYS
};

/* Answers of one resource that were left out of the single file for one reason; those that there are not, of all resources.
 * So their list is short, however many launches there are. */
struct ws_viewer_left_out {
    const struct ws_viewer_resource *resource;
    enum ws_viewer_why why;
    uint64_t answers;
    char first[256];           /* query of the first of them; cut where it is longer */
    char words[WS_ERROR_SIZE]; /* of WS_VIEWER_NO_ANSWER: why the first has no answer */
};

#define WS_VIEWER_LEFT_OUT_MOST 32

struct ws_viewer {
    struct ws_viewer_options options;
    struct ws_viewer_capture captures[WS_VIEWER_CAPTURES_MAX];
    uint32_t capture_count;
    bool has_read; /* private: since the last answer */
    /* Of the single file; else zero. */
    bool single_file;
    uint64_t budget; /* bytes */
    struct ws_viewer_left_out left_out[WS_VIEWER_LEFT_OUT_MOST];
    uint32_t left_out_count;
};

/* How much an answer matters to the single file: what ranks higher is left out first. */
enum ws_viewer_rank {
    WS_RANK_ALWAYS,
    WS_RANK_FIRST,     /* what the page shows when it opens */
    WS_RANK_LINKED,    /* what a click leads to: on advice, on a row of a table, on an item to step through */
    WS_RANK_BESIDE,    /* other views of the same */
    WS_RANK_FARTHER,   /* of other launches */
    WS_RANK_THREADS,   /* the rest fills the budget: threads of a sample of rays, */
    WS_RANK_RAYS,      /* then all rays, in parts, */
    WS_RANK_TOLD,      /* then all of them in words. The first that does not fit ends its rank */
    WS_RANK_NEVER = 99 /* of a launch that the file does not show: only counted */
};

/* Gives an answer to be held in the single file: the query's text without `capture`, and how much it matters (enum
 * ws_viewer_rank). False = no memory. */
typedef bool ws_viewer_embed(void *user, const char *query, unsigned rank);

struct ws_viewer_resource {
    const char *name; /* what stands behind data/: "scene.json", "rays" */
    const char *help; /* one line */
    const char
        *keys; /* the keys that it understands, with blanks between: "launch first count"; NULL = none */
    /* Writes the answer. False and `error` where there is none, or no memory. Errors of the stream are for the caller to
     * find. */
    bool (*answer)(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                   const struct ws_viewer_query *query, FILE *stream, struct ws_error *error);
    /* Names the answers that the single file is to hold, of one capture; `budget` is the size of the file in bytes. NULL: the
     * query without keys, always. */
    bool (*embed)(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                  ws_viewer_embed *embed, void *user);
};

/* Returns the list of all resources, with NULL after the last; and the one of that name, or NULL. */
const struct ws_viewer_resource *const *ws_viewer_resources(void);
const struct ws_viewer_resource *ws_viewer_resource_find(const char *name);

/* Reads the captures. False and `error` when one cannot be read; then the viewer needs no ws_viewer_finish. */
bool ws_viewer_init(struct ws_viewer *viewer, const struct ws_viewer_options *options,
                    struct ws_error *error);
void ws_viewer_finish(struct ws_viewer *viewer);

enum ws_viewer_result {
    WS_VIEWER_ANSWERED,
    WS_VIEWER_UNKNOWN, /* there is no such resource */
    WS_VIEWER_REFUSED, /* the query is wrong, or names what is not there */
    WS_VIEWER_FAILED,  /* no memory */
};

/* Answers a query, given as its text (query.h) without "data/": on WS_VIEWER_ANSWERED `*answer` has `*size` bytes, and
 * belongs to the caller. Otherwise `error` says why, and `*answer` is NULL. */
enum ws_viewer_result ws_viewer_answer(struct ws_viewer *viewer, const char *text, char **answer,
                                       size_t *size, struct ws_error *error);

/* For resources. */

/* Reads a capture once more, for what is not in its report: request->options.selection and `times` are set here. The
 * caller finishes the report. Reading takes as long as the first time, so keep what was found (enum ws_viewer_part). */
bool ws_viewer_read(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                    struct ws_report_request *request, struct ws_report *report, struct ws_error *error);

/* A report of one launch. */
struct ws_viewer_launch_report {
    struct ws_report report;
    char launch[24]; /* what its selection points to: it cannot be moved */
};

/* The same for one launch of those that the user chose. */
bool ws_viewer_read_launch(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t launch,
                           struct ws_report_request *request, struct ws_viewer_launch_report *report,
                           struct ws_error *error);

/* The geometry of the capture, read when it is first asked for. NULL and `error` when there is no memory. A capture without
 * geometry has an empty scene. */
struct ws_scene *ws_viewer_scene(struct ws_viewer_capture *capture, struct ws_error *error);

/* Takes the value of the key `launch`: a launch of the capture that was chosen. NULL and `error` where it is not given, or
 * not there. */
const struct ws_launch_record *ws_viewer_launch(const struct ws_viewer_capture *capture,
                                                const struct ws_viewer_query *query, struct ws_error *error);

#endif
