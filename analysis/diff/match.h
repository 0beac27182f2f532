/* Which shaders, pipelines and launches of two captures are the same. Each step joins what the steps before it left:
 *
 *   SHADERS    1. by content: hash of the module, stage, entry point, specialization (launch_content.h)
 *              2. by stage and name, as reports show it (names.h)
 *              3. by stage and entry point, where one is left on each side
 *   PIPELINES  1. by their shaders, kind and name   2. by shaders and kind   3. by name and kind
 *              4. by kind, where one is left on each side
 *   LAUNCHES   1. by content, order in the frame, and frame, counted from the first one of the capture
 *              2. by kind, label and pipelines   3. by kind and label, both in the order of the capture
 *
 * Example: a shader that was recompiled has another content and the same name: 2 joins it, and its rows are compared; it
 * is CHANGED. One that has another name and the same content is RENAMED.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_MATCH_H
#define WS_ANALYSIS_DIFF_MATCH_H

#include "analysis/diff/join.h"

struct ws_report;

struct ws_diff_match {
    struct ws_diff_join shaders;   /* indices in the catalogs */
    struct ws_diff_join pipelines; /* likewise */
    struct ws_diff_join launches;  /* places in the tables of launches */
};

enum ws_diff_state { WS_DIFF_SAME, WS_DIFF_CHANGED, WS_DIFF_RENAMED, WS_DIFF_REMOVED, WS_DIFF_ADDED };

/* False when there is no memory; then too it needs ws_diff_match_finish. */
bool ws_diff_match_init(struct ws_diff_match *match, const struct ws_report *const reports[WS_DIFF_SIDES]);
void ws_diff_match_finish(struct ws_diff_match *match);

/* What became of a shader of A or B. */
enum ws_diff_state ws_diff_shader_state(const struct ws_diff_match *match,
                                        const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side,
                                        uint32_t shader);

/* "same", "changed", ... */
const char *ws_diff_state_name(enum ws_diff_state state);

/* Whether both have a shader with the same code: the same module and entry point. */
bool ws_diff_same_code(const struct ws_diff_match *match,
                       const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side, uint32_t shader);

/* What a launch is, whatever its size, frame and order: kind, label, pipelines as joint numbers. Never 0. */
uint64_t ws_diff_launch_kind(const struct ws_diff_match *match,
                             const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t side,
                             uint32_t launch);

#endif
