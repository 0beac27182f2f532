/* What copying a function of a unit into a module takes: the same for every module, and so found once. Most of a function is
 * copied as it is, with other ids; what depends on the module is listed. */
#ifndef WS_PASSES_LINK_RECIPE_H
#define WS_PASSES_LINK_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

struct ws_unit_code;

struct ws_unit_recipe {
    uint32_t first; /* words of the unit: [first, end) */
    uint32_t end;
    const uint32_t *ids; /* offsets, ascending, of those of these words that are ids */
    uint32_t id_count;
    const uint32_t *results; /* ids that it defines, in the order of its words */
    uint32_t result_count;
    /* What it names beyond these, each once, by its first mention: globals, and functions that it calls. Of what a function
     * stands for another (struct ws_unit_code, aliases), the other. */
    const uint32_t *needed;
    uint32_t needed_count;
    /* Instructions, ascending, whose copy may differ in more than ids: loads of built-ins, atomics and memory barriers, and
     * calls of what another function stands for. */
    const uint32_t *adapted;
    uint32_t adapted_count;
    const uint32_t *decorated; /* ids that it defines and OpDecorate names, ascending */
    uint32_t decorated_count;
};

/* Finds the recipe of a function, by its index, unless it is known: `code->recipes`. Of shared units all are known. False
 * where there is no memory. */
bool ws_unit_find_recipe(struct ws_unit_code *code, uint32_t function);

#endif
