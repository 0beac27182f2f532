/* Aligns the lines of two versions of a text: which line of B is which line of A.
 *
 * Lines that are equal are joined along a shortest edit script, found by E. W. Myers' greedy algorithm ("An O(ND) Difference
 * Algorithm and Its Variations", Algorithmica 1, 1986, figure 2). Between two joined lines stand those that were taken out
 * and those that were put in: the first of the one are joined with the first of the other, as CHANGED lines.
 *   Example: A = "a b c d", B = "a x c y d": b and x are joined (changed), c and c, d and d; y is new.
 * Texts that differ by more than WS_DIFF_EDITS_MAX lines, or in a part of more than WS_DIFF_LINES_MAX lines, are joined where
 * they begin and end alike only: that bounds time and memory (4 MB).
 *
 * (The diff libraries of Debian are part of larger things: that of libgit2 comes with its network and its cryptography.)
 * Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_LINES_H
#define WS_ANALYSIS_DIFF_LINES_H

#include <stddef.h>

#include "analysis/diff/join.h"

#define WS_DIFF_EDITS_MAX 1000      /* lines taken out and put in */
#define WS_DIFF_LINES_MAX (1 << 17) /* of both sides */

/* A line: not ended, not owned. */
struct ws_diff_line {
    const char *text;
    size_t length;
};

/* Zero-initialised is empty. Lines count from 0. */
struct ws_diff_lines {
    struct ws_diff_line *lines[WS_DIFF_SIDES];
    struct ws_diff_join join;
};

/* The texts must live as long as the lines. False when there is no memory; then too it needs ws_diff_lines_finish. */
bool ws_diff_lines_init(struct ws_diff_lines *lines, const char *a, const char *b);
void ws_diff_lines_finish(struct ws_diff_lines *lines);

/* Whether a line that has a counterpart is equal to it. */
bool ws_diff_line_is_equal(const struct ws_diff_lines *lines, uint32_t side, uint32_t line);

#endif
