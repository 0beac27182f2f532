/* The lines of shaders that changed, with what they execute before and after: those whose text or figures changed, that are
 * new, or gone. A line stands for its row in the table `lines` of the analysis `hotspots`, so lines without code are not
 * among them. Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_CHANGED_LINES_H
#define WS_ANALYSIS_DIFF_CHANGED_LINES_H

#include "analysis/diff/diff.h"

enum ws_diff_line_state { WS_DIFF_LINE_SAME, WS_DIFF_LINE_CHANGED, WS_DIFF_LINE_GONE, WS_DIFF_LINE_NEW };

struct ws_diff_changed_line {
    const struct ws_diff_source *source;
    enum ws_diff_line_state state;      /* of its text */
    uint32_t shader[WS_DIFF_SIDES];     /* indices in the catalogs */
    uint32_t line[WS_DIFF_SIDES];       /* from 1; 0 = there is none */
    bool executed[WS_DIFF_SIDES];       /* it has code, and so figures */
    double executions[WS_DIFF_SIDES];   /* thread executions, divided as the table is */
    bool has_efficiency[WS_DIFF_SIDES]; /* it is known */
    double efficiency[WS_DIFF_SIDES];
};

struct ws_diff_changed_lines {
    struct ws_diff_changed_line *lines; /* those whose thread executions changed by most first */
    uint32_t count;
    uint32_t capacity;
};

/* False when there is no memory; then too it needs ws_diff_changed_lines_finish. */
bool ws_diff_changed_lines_init(struct ws_diff_changed_lines *lines, const struct ws_diff *diff);
void ws_diff_changed_lines_finish(struct ws_diff_changed_lines *lines);

/* "same", "changed", "gone", "new" */
const char *ws_diff_line_state_name(enum ws_diff_line_state state);

/* The text of a line of its source, without the blanks around it; tabs in it are blanks. "" where there is none. */
void ws_diff_changed_line_text(const struct ws_diff_changed_line *line, uint32_t side, char *text,
                               size_t size);

#endif
