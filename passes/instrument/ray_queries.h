/* Ray queries: which query an instruction is about, and what can be read of it after a step.
 *
 * Pointers to ray queries are logical: they come from an OpVariable, an element of an array of queries
 * (OpAccessChain), or a parameter, for which each caller hands in a variable or a parameter of its own
 * (SPIR-V 2.16.1: an argument is a memory object declaration, not an element). */
#ifndef WS_PASSES_INSTRUMENT_RAY_QUERIES_H
#define WS_PASSES_INSTRUMENT_RAY_QUERIES_H

#include "passes/instrument/runner_state.h"

#define WS_QUERY_INDICES_MAX 4 /* arrays of arrays */

/* A query as an instruction names it. */
struct ws_ray_query {
    uint32_t base;                          /* OpVariable or OpFunctionParameter; WS_NONE = neither */
    uint32_t pointer;                       /* type of the base */
    uint32_t indices[WS_QUERY_INDICES_MAX]; /* from it to the query, ids of the module */
    uint32_t index_count;
};

/* A function that reads the state of a query: one per type of base and number of indices. */
struct ws_query_reader {
    uint32_t pointer;
    uint32_t index_count;
    uint32_t function;
    struct ws_query_reader *next;
};

struct ws_ray_queries {
    uint32_t *variables; /* per id: of parameters, the variable that every call hands in; 0 = none does,
                            WS_NONE = it cannot be told */
    struct ws_query_reader *readers;
    uint32_t result; /* type of what they return; 0 = not there yet */
};

/* What is known of the module's queries, made when first asked for. NULL on no memory, the editor failed. */
struct ws_ray_queries *ws_ray_queries_get(struct ws_runner *runner);

/* Follows the pointer `id` to its base. */
void ws_ray_query_find(const struct ws_module *module, uint32_t id, struct ws_ray_query *query);

/* Id of the function that reads a query after a step, and its result's type. Its arguments: the base, whether
 * there is a candidate (bool), the indices (32-bit unsigned); what it returns has WS_QUERY_WORDS members. 0
 * where there can be none. */
uint32_t ws_ray_query_reader(struct ws_runner *runner, const struct ws_ray_query *query, uint32_t *result);

#endif
