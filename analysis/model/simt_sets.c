#include "warpscope/model/simt_sets.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-12 /* of sums of numbers that are not whole: less is no difference */

void ws_simt_set_row_count(struct ws_simt_set_row *row, uint32_t group, uint32_t weight, uint64_t executions,
                           uint64_t active)
{
    const double scale = weight * sqrt(1 - 1.0 / weight);
    row->executions[group] += scale * (double)executions;
    row->active[group] += scale * (double)active;
}

void ws_simt_set_row_add(struct ws_simt_set_row *to, const struct ws_simt_set_row *from)
{
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g) {
        to->executions[g] += from->executions[g];
        to->active[g] += from->active[g];
    }
}

struct ws_simt_sets ws_simt_sets_of(const struct ws_simt_set_row *row, double size, double blocks,
                                    double instructions)
{
    struct ws_simt_sets sets = {{0}};
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g) {
        sets.executions[g] = blocks * row->executions[g];
        sets.active[g] = blocks * row->active[g];
        sets.slots[g] = size * blocks * row->executions[g];
        sets.weighted_active[g] = instructions * row->active[g];
        sets.weighted_slots[g] = size * instructions * row->executions[g];
    }
    return sets;
}

struct ws_simt_sets ws_simt_sets_of_instructions(const struct ws_simt_sets *block, double count)
{
    struct ws_simt_sets sets = {{0}};
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        sets.weighted_active[g] = count * block->active[g];
    return sets;
}

static void add(double *to, const double *from)
{
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        to[g] += from[g];
}

bool ws_simt_sets_add(struct ws_simt_sets **to, const struct ws_simt_sets *from)
{
    if (from == NULL)
        return true;
    if (*to == NULL)
        *to = calloc(1, sizeof(**to));
    if (*to == NULL)
        return false;
    add((*to)->executions, from->executions);
    add((*to)->active, from->active);
    add((*to)->slots, from->slots);
    add((*to)->weighted_active, from->weighted_active);
    add((*to)->weighted_slots, from->weighted_slots);
    return true;
}

/* The standard error of the sum of `x`. False where all are equal, but for rounding of sums as large as `sizes`. */
static bool spread_of(const double x[WS_SAMPLE_GROUPS], double sizes, double *error)
{
    double mean = 0;
    double squares = 0;
    double least = x[0];
    double most = x[0];
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g) {
        mean += x[g] / WS_SAMPLE_GROUPS;
        least = fmin(least, x[g]);
        most = fmax(most, x[g]);
    }
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        squares += (x[g] - mean) * (x[g] - mean);
    *error = sqrt((double)WS_SAMPLE_GROUPS / (WS_SAMPLE_GROUPS - 1) * squares);
    return most - least > sizes * ROUNDING;
}

static double sum_of(const double sets[WS_SAMPLE_GROUPS])
{
    double sum = 0;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        sum += fabs(sets[g]);
    return sum;
}

bool ws_simt_sets_count_error(const double sets[WS_SAMPLE_GROUPS], double *error)
{
    const double sizes = sum_of(sets);
    *error = 0;
    return sizes == 0 || spread_of(sets, sizes, error);
}

/* Whether all sets that counted have one ratio, which is that of their sums then. */
static bool are_alike(const double part[WS_SAMPLE_GROUPS], const double whole[WS_SAMPLE_GROUPS], double parts,
                      double wholes)
{
    bool alike = true;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        alike =
            alike && fabs(part[g] * wholes - parts * whole[g]) <= (parts + wholes) * ROUNDING * fabs(wholes);
    return alike;
}

bool ws_simt_sets_share_error(const double part[WS_SAMPLE_GROUPS], const double whole[WS_SAMPLE_GROUPS],
                              double estimate, double ratio, double *error)
{
    double residuals[WS_SAMPLE_GROUPS];
    const double parts = sum_of(part);
    const double wholes = sum_of(whole);
    *error = 0;
    if (parts + wholes == 0)
        return true;
    if (estimate <= 0 || are_alike(part, whole, parts, wholes))
        return false;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        residuals[g] = part[g] - ratio * whole[g];
    if (!spread_of(residuals, parts + wholes, error))
        return false;
    *error /= estimate;
    return true;
}
