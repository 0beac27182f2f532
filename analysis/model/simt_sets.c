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

double ws_simt_sets_count_error(const double sets[WS_SAMPLE_GROUPS])
{
    double mean = 0;
    double squares = 0;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        mean += sets[g] / WS_SAMPLE_GROUPS;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g)
        squares += (sets[g] - mean) * (sets[g] - mean);
    return sqrt((double)WS_SAMPLE_GROUPS / (WS_SAMPLE_GROUPS - 1) * squares);
}

bool ws_simt_sets_share_error(const double part[WS_SAMPLE_GROUPS], const double whole[WS_SAMPLE_GROUPS],
                              double estimate, double ratio, double *error)
{
    double residuals[WS_SAMPLE_GROUPS];
    double sizes = 0; /* of what the residuals are the differences of */
    double most = 0;
    for (uint32_t g = 0; g < WS_SAMPLE_GROUPS; ++g) {
        residuals[g] = part[g] - ratio * whole[g];
        sizes += fabs(part[g]) + fabs(ratio * whole[g]) + fabs(whole[g]);
        most = fmax(most, fabs(residuals[g]));
    }
    *error = 0;
    if (sizes == 0) /* all warps counted, or no drawn one came there */
        return true;
    if (estimate <= 0 || most <= sizes * ROUNDING)
        return false;
    *error = ws_simt_sets_count_error(residuals) / estimate;
    return true;
}
