/* A file that a command writes stands under its name only when it is whole: it is written into a folder beside it that nobody
 * else sees, and moved from there. A failed write leaves what was there, and so does a signal (SIGINT, SIGTERM, SIGHUP), which
 * also takes the folder away. The same goes for a whole folder of files. What is left of a run that was killed by SIGKILL the
 * next run there takes away: whoever writes holds a lock on the folder (flock).
 *
 * One at a time: a signal has to know it. Functions that return bool return false after an error, which they write to
 * `error`. Not thread-safe. */
#ifndef WS_ANALYSIS_OUTPUT_STAGING_H
#define WS_ANALYSIS_OUTPUT_STAGING_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "warpscope/error.h"

struct ws_staging {
    char target[PATH_MAX]; /* the file that is meant; where a link leads */
    char folder
        [PATH_MAX]; /* "" = there is none: the target is no regular file, such as a pipe, and is written as it is */
    char path[PATH_MAX]; /* where to write */
    bool is_tree;        /* a folder is meant: files and folders are written below `path`, which is there */
    bool has_made;       /* the target, which was not there */
    int lock;            /* of the folder, which is in use while it is held; -1 = none */
};

/* False and `error` where `target` is a link that leads nowhere. To move a file there would replace the link, and to make
 * what it names would write where whoever made the link pleases, past what the system protects (fs.protected_symlinks). */
bool ws_staging_check_link(const char *target, struct ws_error *error);

/* False and `error` where `target` is the file `input`, by this name or by another (the same device and inode): to write it
 * would replace what is read. `what` names who writes: "-o"; `kind` is what to name another of: "file". */
bool ws_staging_spares(const char *target, const char *what, const char *input, const char *kind,
                       struct ws_error *error);

/* Removes folders in `folder` that runs made to write into, and that are in nobody's use: such a run was killed. Those of other
 * users and those of the last minute stay. Returns whether there were some. */
bool ws_staging_remove_left(const char *folder);

/* Makes the folder. */
bool ws_staging_begin(struct ws_staging *staging, const char *target, struct ws_error *error);

/* The same for a folder, which is made if it is not there. What is written below `path` is moved into it. */
bool ws_staging_begin_tree(struct ws_staging *staging, const char *target, struct ws_error *error);

/* Opens a file `name` of a tree. It replaces one of that name, and nothing else: no link, no folder, and no capture. NULL and
 * `error`. The second closes it; `written` false: the writer failed, and has said so in `error`. */
FILE *ws_staging_open_part(const struct ws_staging *staging, const char *name, struct ws_error *error);
bool ws_staging_close_part(const struct ws_staging *staging, const char *name, FILE *stream, bool written,
                           struct ws_error *error);

/* Puts `named` in place of `path` where the error has it: nobody knows that path. */
void ws_staging_name(const struct ws_staging *staging, const char *named, struct ws_error *error);

/* Moves what was written to where it belongs, or drops it after an error. Of a capture that is not `whole` it replaces no file:
 * that one may have more. */
bool ws_staging_keep(struct ws_staging *staging, bool whole, struct ws_error *error);

/* Removes what was written. Does nothing after ws_staging_keep. */
void ws_staging_drop(struct ws_staging *staging);

/* The same for one who writes into a stream, which the second closes; of target "-" it is stdout. NULL and `error`, and
 * nothing is to be closed. */
FILE *ws_staging_open(struct ws_staging *staging, const char *target, struct ws_error *error);

/* `written` false: the writer failed, and has said so in `error`. `whole` as above. */
bool ws_staging_close(struct ws_staging *staging, FILE *stream, bool written, bool whole,
                      struct ws_error *error);

#endif
