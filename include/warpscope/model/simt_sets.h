/* How far off the figures of sampled counters may be.
 *
 * A sampled shader (warpscope/root.h, SAMPLING) counts 1 warp in w, in one of G = WS_SAMPLE_GROUPS sets of rows, each drawn at
 * random. So the sets are G independent samples, and how much they differ tells how much the figure would differ if other
 * warps had been drawn. Work that belongs together, such as a warp's whole loop, falls into one set, so it does not look like
 * many independent observations.
 *
 * Let c[g] be what set g counted, and x[g] = w c[g] sqrt(1 - 1/w), summed over launches: where all warps counted (w = 1), a
 * launch has no error. With the mean m of x:
 *
 *   estimate of a count                 sum of w c[g]
 *   its standard error                  sqrt(G / (G - 1) x sum of (x[g] - m)^2)
 *
 * The efficiency r = A / S is a ratio of two estimates, which vary together. By its linear form (Cochran, Sampling Techniques,
 * 3rd ed., 6.4), with e[g] = a[g] - r s[g], x of active lanes less r times x of slots:
 *
 *   its standard error                  sqrt(G / (G - 1) x sum of (e[g] - mean of e)^2) / S
 *
 * An error is one of three:
 *
 *   0           where no drawn warp came: all x are 0, and what is told was counted of all warps
 *   not known   where drawn warps came, and nothing differs among the sets that could tell how much others would:
 *                 of a count, all x[g] are equal
 *                 of a ratio, all sets that counted have the same a[g] / s[g], or all e[g] are equal
 *   known       else, by the formulas above
 *
 * All drawn warps were full, say, or those of one set alone were drawn. Other warps need not be so. The spread says nothing
 * then, and an error of 0 would say that the figure is exact. That stays so beside launches of which all warps were counted:
 * they make r another ratio than that of the drawn warps, and so e other than 0, but say nothing of warps that were not drawn.
 * No bound stands in its place: n warps without a partial one leave room for 3 / n of them in 19 of 20 cases (the rule of
 * three), but counters count executions of blocks, and a warp's whole loop is one observation, not n. A ratio that the code
 * fixes, such as the share of an opcode in a shader of one block, is exact, but nothing counted tells it from such a chance:
 * its error is not known, too.
 *
 * Two of three times the figure of all warps lies within one standard error of the estimate, 19 of 20 times within two and a
 * half (Student's t with G - 1 = 7 degrees of freedom). Where few warps were drawn, the error itself is rough.
 *
 * Example: 1 warp in 4, the sets counted 10, 12, 10, 8, 10, 11, 9, 10. The estimate is 4 x 80 = 320; sum of (c - 10)^2 = 10, so
 * the error is 4 x sqrt(3/4) x sqrt(8/7 x 10) = 11.7. If all of these warps were full, their efficiency is 1, and its error is
 * not known. If one of set 0 had 4 of 8 lanes, it is known: r = 636 / 640, so e is 80 - 4 - 80 r = -3.5 in set 0. Had each set
 * counted 10, the error of the count would not be known.
 *
 * Callers own all structs; only ws_simt_sets_add allocates. Functions keep no state: threads may call them at once with
 * structs of their own. */
#ifndef WARPSCOPE_MODEL_SIMT_SETS_H
#define WARPSCOPE_MODEL_SIMT_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/root.h"

/* x[g] of a counter row. Not scaled by what the row stands for. */
struct ws_simt_set_row {
    double executions[WS_SAMPLE_GROUPS];
    double active[WS_SAMPLE_GROUPS];
};

/* x[g] of the sums that figures are made of. */
struct ws_simt_sets {
    double executions[WS_SAMPLE_GROUPS]; /* by warps and by threads */
    double active[WS_SAMPLE_GROUPS];
    double slots[WS_SAMPLE_GROUPS];
    double weighted_active[WS_SAMPLE_GROUPS];
    double weighted_slots[WS_SAMPLE_GROUPS];
};

/* Adds what a row of set `group` counted, of one warp in `weight`. */
void ws_simt_set_row_count(struct ws_simt_set_row *row, uint32_t group, uint32_t weight, uint64_t executions,
                           uint64_t active);

/* Adds a row to another. */
void ws_simt_set_row_add(struct ws_simt_set_row *to, const struct ws_simt_set_row *from);

/* The sets of `blocks` blocks with `instructions` instructions in all, which share a row and run in warps of `size` lanes; 0 =
 * the size is not known, or threads were counted. */
struct ws_simt_sets ws_simt_sets_of(const struct ws_simt_set_row *row, double size, double blocks,
                                    double instructions);

/* What of these sets `count` instructions of one block have, whose sets are `block`: as instructions only. */
struct ws_simt_sets ws_simt_sets_of_instructions(const struct ws_simt_sets *block, double count);

/* Adds `from`, which may be NULL, to `*to`, which is allocated where it is NULL. False without memory. */
bool ws_simt_sets_add(struct ws_simt_sets **to, const struct ws_simt_sets *from);

/* The standard error of a count. False where it is not known. */
bool ws_simt_sets_count_error(const double sets[WS_SAMPLE_GROUPS], double *error);

/* The standard error of a ratio of two counts. `part` and `whole`: their sets. `estimate`: of the whole, above 0. `ratio`: of
 * the estimates. False where the error is not known. */
bool ws_simt_sets_share_error(const double part[WS_SAMPLE_GROUPS], const double whole[WS_SAMPLE_GROUPS],
                              double estimate, double ratio, double *error);

#endif
