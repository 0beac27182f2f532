/* Joins the things of two captures, A and B, that are the same: each with at most one of the other side. Keys say what is
 * the same; of several with one key, the first of A is joined with the first of B, the second with the second, and so on.
 * Not thread-safe. */
#ifndef WS_ANALYSIS_DIFF_JOIN_H
#define WS_ANALYSIS_DIFF_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#define WS_DIFF_SIDES 2 /* A and B */

/* Zero-initialised is empty. */
struct ws_diff_join {
    uint32_t *other[WS_DIFF_SIDES]; /* of each thing of a side: its counterpart; WS_NONE = it has none */
    uint32_t count[WS_DIFF_SIDES];
};

/* Nothing is joined at first. False when there is no memory; then too it needs ws_diff_join_finish. */
bool ws_diff_join_init(struct ws_diff_join *join, uint32_t count_a, uint32_t count_b);
void ws_diff_join_finish(struct ws_diff_join *join);

/* Joins those that have no counterpart yet by their keys, one for each thing of a side. What has the key 0 is left out.
 * False when there is no memory. */
bool ws_diff_join_by(struct ws_diff_join *join, const uint64_t *keys_a, const uint64_t *keys_b);

/* One number for a thing and its counterpart: that of A's list; those of B alone come behind all of A. */
uint32_t ws_diff_joint(const struct ws_diff_join *join, uint32_t side, uint32_t index);

#endif
