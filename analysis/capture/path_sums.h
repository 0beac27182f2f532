/* Adds up the turns of a loop of a path (paths.h): in how many of them lanes came by each step, and how often each lane did.
 *
 * GROUPS. The turns of a lane stand in words, some thirty in each. All lanes begin with turn 0 and fill their words alike, so
 * word w of all lanes is of the same turns. Then nothing is walked turn by turn: in how many turns lanes came by a step is the
 * number of ones in the OR of their words, and a group that repeats is counted once, times how often it came. For example, of
 * turns of one bit, a mark before them left out,
 *
 *     lane 0   1 0 1 0     lanes came by in 3 turns, as the OR 1 1 1 0 says,
 *     lane 1   1 1 0 0     and each of them in 2
 *
 * Words that no layer writes, with few turns in a group that is not the lane's last one, are walked instead. */
#ifndef WS_ANALYSIS_CAPTURE_PATH_SUMS_H
#define WS_ANALYSIS_CAPTURE_PATH_SUMS_H

#include "analysis/capture/path_loop.h"

/* All are 0. Before the walk of the loop, which says which lanes there are. False if there is no memory. */
bool ws_path_sums_init(struct ws_path_sums *sums, const struct ws_path_loop *loop, uint32_t steps);
void ws_path_sums_finish(struct ws_path_sums *sums);

/* Whether the words of all lanes are of the same turns. Before the walk. */
bool ws_path_sums_are_groups(const struct ws_path_loop *loop);

/* Adds all turns of the loop by its words, before the walk, which it does not change. */
enum ws_path_result ws_path_sums_groups(struct ws_path_sums *sums, const struct ws_path_loop *loop,
                                        const struct ws_path_step *steps);

/* Adds so many turns like the one at work in the walk. */
enum ws_path_result ws_path_sums_turns(struct ws_path_sums *sums, const struct ws_path_loop *loop,
                                       uint64_t turns);

#endif
