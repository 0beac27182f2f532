#include "tests/model/figures/visits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/run/module.h"

/* ---- call sites by way ---- */

static void list_slots(struct model_visits *visits, const struct model_program *program, uint32_t shader,
                       const bool *reached, struct model_slot *around, uint32_t function)
{
    const struct model_shader *self = &program->shaders[shader];
    for (uint32_t i = 0; i < self->functions[function].count; i++) {
        const uint32_t index = self->functions[function].order[i];
        const struct model_block *block = &self->blocks[index];
        uint32_t chain[MODEL_LOOPS], depth = 0;
        for (uint32_t loop = block->around; loop != MODEL_NONE; loop = self->functions[function].parent[loop])
            chain[depth++] = loop;
        for (uint32_t j = 0; reached[index] && j < block->action_count; j++) {
            const struct model_action *action = &block->actions[j];
            struct model_slot slot = *around;
            const bool site = model_is_site(action);
            if (!site && action->kind != MODEL_CALL)
                continue;
            if (visits->slot_count == MODEL_SLOTS || slot.depth + depth > 14) {
                visits->too_many = true;
                return;
            }
            for (uint32_t d = depth; d-- > 0;) {
                slot.frames[slot.depth] = slot.way_count;
                slot.loops[slot.depth++] = chain[d];
            }
            slot.way[slot.way_count++] = (struct model_place_of){index, j};
            if (site)
                visits->slots[visits->slot_count++] = slot;
            else
                list_slots(visits, program, shader, reached, &slot, action->target);
        }
    }
}

/* ---- following one thread through one execution ---- */

struct walk {
    struct model_visits *visits;
    const struct model_shader *shader;
    uint32_t number; /* of the shader */
    uint32_t thread;
    uint32_t ordinal;
    uint32_t event;
    struct model_place_of way[MODEL_WAY];
    uint32_t frame;
    bool active[MODEL_WAY][MODEL_BLOCKS]; /* per function of the way, by header: the thread is in it */
    uint32_t iterations[MODEL_WAY][MODEL_BLOCKS]; /* of loops */
};

/* Whether the slot's way is that of the walk. */
static bool is_beyond(const struct walk *walk, const struct model_slot *slot)
{
    return slot->shader == walk->number && slot->way_count > walk->frame &&
           memcmp(slot->way, walk->way, walk->frame * sizeof(*walk->way)) == 0;
}

static void add_symbol(struct walk *walk, uint32_t slot, uint32_t depth, bool taken)
{
    struct model_visits *visits = walk->visits;
    if (visits->symbol_count == visits->symbol_capacity) {
        visits->symbol_capacity = visits->symbol_capacity * 2 + 1024;
        visits->symbols = realloc(visits->symbols, visits->symbol_capacity * sizeof(*visits->symbols));
        if (visits->symbols == NULL)
            abort();
    }
    struct model_symbol *symbol = &visits->symbols[visits->symbol_count++];
    *symbol = (struct model_symbol){.slot = slot,
                                    .thread = walk->thread,
                                    .key = {walk->ordinal},
                                    .length = depth + 1,
                                    .sequence = walk->event,
                                    .taken = taken};
    visits->last[slot][walk->thread] = visits->symbol_count;
    for (uint32_t d = 0; d < depth; d++) {
        const struct model_slot *self = &visits->slots[slot];
        symbol->key[d + 1] = walk->iterations[self->frames[d]][self->loops[d]];
    }
}

/* Whether the slot has a symbol of the present iteration of the first `depth` loops around it. */
static bool has_symbol(const struct walk *walk, uint32_t slot, uint32_t depth)
{
    const struct model_slot *self = &walk->visits->slots[slot];
    const uint32_t last = walk->visits->last[slot][walk->thread];
    const struct model_symbol *symbol = last > 0 ? &walk->visits->symbols[last - 1] : NULL;
    bool same = symbol != NULL && symbol->key[0] == walk->ordinal;
    for (uint32_t d = 0; d < depth && same; d++) {
        same =
            symbol->length > d + 1 && symbol->key[d + 1] == walk->iterations[self->frames[d]][self->loops[d]];
    }
    return same;
}

/* How many loops are around the function of the walk. */
static uint32_t depth_of_frame(const struct walk *walk, const struct model_slot *slot)
{
    uint32_t depth = 0;
    while (depth < slot->depth && slot->frames[depth] < walk->frame)
        depth++;
    return depth;
}

/* Whether the way to the call site leads through the loop's continue construct, which is its continue target.
 */
static bool is_late(const struct walk *walk, const struct model_slot *slot, uint32_t header)
{
    return slot->way[walk->frame].block == walk->shader->blocks[header].continue_target;
}

/* A continue target, or where the loop has ended: those that did not come to a call site in this iteration.
 * What is called in the continue construct counts to the next iteration, and has none in the first. */
static void end_iteration(struct walk *walk, uint32_t header, bool loop_ends)
{
    const uint32_t iteration = walk->iterations[walk->frame][header];
    for (uint32_t s = 0; s < walk->visits->slot_count; s++) {
        const struct model_slot *slot = &walk->visits->slots[s];
        for (uint32_t d = 0; is_beyond(walk, slot) && d < slot->depth; d++) {
            const bool late = is_late(walk, slot, header);
            const bool decides = late ? iteration > 0 : !loop_ends;
            if (slot->frames[d] == walk->frame && slot->loops[d] == header && decides &&
                !has_symbol(walk, s, d + 1))
                add_symbol(walk, s, d + 1, false);
        }
    }
    walk->iterations[walk->frame][header]++;
}

/* The merge block of an outermost selection, of call sites that no loop of their functions is around. */
static void end_selection(struct walk *walk, uint32_t merge)
{
    for (uint32_t s = 0; s < walk->visits->slot_count; s++) {
        const struct model_slot *slot = &walk->visits->slots[s];
        if (!is_beyond(walk, slot))
            continue;
        const struct model_block *block = &walk->shader->blocks[slot->way[walk->frame].block];
        const uint32_t depth = depth_of_frame(walk, slot);
        if (block->around == MODEL_NONE && block->selection == merge && slot->depth == depth &&
            !has_symbol(walk, s, depth))
            add_symbol(walk, s, depth, false);
    }
}

static void come_to_block(struct walk *walk, uint32_t index)
{
    const struct model_function *function = &walk->shader->functions[walk->shader->blocks[index].function];
    bool around[MODEL_BLOCKS] = {false};
    for (uint32_t loop = walk->shader->blocks[index].around; loop != MODEL_NONE;
         loop = function->parent[loop])
        around[loop] = true;
    for (uint32_t i = 0; i < walk->shader->block_count; i++) {
        const struct model_block *header = &walk->shader->blocks[i];
        if (header->continue_target == MODEL_NONE || header->function != walk->shader->blocks[index].function)
            continue;
        if (around[i] && !walk->active[walk->frame][i])
            walk->iterations[walk->frame][i] = 0;
        walk->active[walk->frame][i] = around[i];
        if (header->continue_target == index || header->merge == index)
            end_iteration(walk, i, header->merge == index);
    }
    end_selection(walk, index);
}

static void come_to_action(struct walk *walk, uint32_t index, uint32_t action)
{
    const struct model_action *self = &walk->shader->blocks[index].actions[action];
    walk->way[walk->frame] = (struct model_place_of){index, action};
    if (self->kind == MODEL_CALL) {
        walk->frame++;
        memset(walk->active[walk->frame % MODEL_WAY], 0, sizeof(walk->active[0]));
        return;
    }
    for (uint32_t s = 0; s < walk->visits->slot_count; s++) {
        const struct model_slot *slot = &walk->visits->slots[s];
        if (is_beyond(walk, slot) && slot->way_count == walk->frame + 1 &&
            slot->way[walk->frame].block == index && slot->way[walk->frame].action == action)
            add_symbol(walk, s, slot->depth, true);
    }
}

/* Follows a thread through an execution that it entered with the event at `first`. */
static void follow(struct walk *walk, const struct model_run *run, uint32_t first)
{
    for (uint32_t i = first; i < run->event_count; i++) {
        const struct model_event *event = &run->events[i];
        if (event->execution != run->events[first].execution || !model_set_has(&event->set, walk->thread))
            continue;
        walk->event = i;
        switch (event->kind) {
        case MODEL_EVENT_BLOCK:
            if (event->action == 0)
                come_to_block(walk, event->block);
            break;
        case MODEL_EVENT_BEFORE: come_to_action(walk, event->block, event->action); break;
        case MODEL_EVENT_AFTER:
            if (walk->shader->blocks[event->block].actions[event->action].kind == MODEL_CALL)
                walk->frame--;
            break;
        default: break;
        }
    }
}

static int compare_threads(const void *a, const void *b)
{
    const struct model_symbol *left = a, *right = b;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return left->sequence < right->sequence ? -1 : 1;
}

static int compare_keys(const void *a, const void *b)
{
    const struct model_symbol *left = a, *right = b;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    return memcmp(left->key, right->key, sizeof(left->key));
}

static void sort(struct model_visits *visits)
{
    free(visits->taken);
    visits->taken = malloc((visits->symbol_count + 1) * sizeof(*visits->taken));
    visits->taken_count = 0;
    if (visits->taken == NULL)
        abort();
    for (uint32_t i = 0; i < visits->symbol_count; i++)
        if (visits->symbols[i].taken)
            visits->taken[visits->taken_count++] = visits->symbols[i];
    if (visits->symbol_count > 0) {
        qsort(visits->symbols, visits->symbol_count, sizeof(*visits->symbols), compare_threads);
        qsort(visits->taken, visits->taken_count, sizeof(*visits->taken), compare_keys);
    }
}

void model_visits_make(struct model_visits *visits, const struct model_program *program,
                       const struct model_run *run)
{
    static uint32_t ordinals[MODEL_SHADERS][MODEL_THREADS];
    memset(ordinals, 0, sizeof(ordinals));
    memset(visits->entered, 0, sizeof(visits->entered));
    visits->slot_count = 0;
    visits->symbol_count = 0;
    visits->too_many = false;
    for (uint32_t s = 0; s < program->shader_count; s++) {
        bool reached[MODEL_BLOCKS];
        struct model_slot slot = {.shader = s};
        model_reached(&program->shaders[s], reached);
        list_slots(visits, program, s, reached, &slot, 0);
    }
    memset(visits->last, 0, visits->slot_count * sizeof(*visits->last));
    for (uint32_t i = 0; i < run->event_count && !visits->too_many; i++) {
        const struct model_event *event = &run->events[i];
        const uint32_t shader = run->executions[event->execution].shader;
        for (uint32_t t = 0; t < MODEL_THREADS && event->kind == MODEL_EVENT_ENTER; t++) {
            static struct walk walk;
            if (model_set_has(&event->set, t)) {
                memset(&walk, 0, sizeof(walk));
                walk.visits = visits;
                walk.shader = &program->shaders[shader];
                walk.number = shader;
                walk.thread = t;
                walk.ordinal = ordinals[shader][t]++;
                follow(&walk, run, i);
                model_set_add(&visits->entered[shader], t);
            }
        }
    }
    sort(visits);
}

void model_visits_finish(struct model_visits *visits)
{
    free(visits->symbols);
    free(visits->taken);
}

/* ---- what follows from them ---- */

/* How many loops ended before a symbol, `first` being the first of the thread's path: those within the first
 * whose iteration is another than that of the symbol before it in this execution of the shader; all where
 * there is none, in a later execution. */
static uint32_t ended_loops(const struct model_symbol *first, const struct model_symbol *symbol,
                            uint32_t depth)
{
    const struct model_symbol *before = symbol;
    uint32_t level = 0;
    do {
        if (before == first)
            return symbol == first ? 0 : depth;
        before--;
    } while (before->key[0] != symbol->key[0]);
    while (level < before->length && level < symbol->length && before->key[level] == symbol->key[level])
        level++;
    return level < depth ? depth - level : 0;
}

static void write_run(FILE *stream, char symbol, uint32_t count, bool first)
{
    if (count == 0)
        return;
    fprintf(stream, first ? "" : " ");
    if (symbol == '|')
        for (uint32_t i = 0; i < count; i++)
            fputc('|', stream);
    else if (count > 1)
        fprintf(stream, "%c^%u", symbol, count);
    else
        fputc(symbol, stream);
}

/* The first symbol of a slot and thread, or where it would stand. */
static uint32_t find_thread(const struct model_visits *visits, uint32_t slot, uint32_t thread)
{
    const struct model_symbol wanted = {.slot = slot, .thread = thread};
    uint32_t first = 0, end = visits->symbol_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (compare_threads(&visits->symbols[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    /* Of equal ones the comparison takes the right one for the larger. */
    while (first > 0 && visits->symbols[first - 1].slot == slot &&
           visits->symbols[first - 1].thread == thread)
        first--;
    return first;
}

char *model_visits_path(const struct model_visits *visits, uint32_t slot, uint32_t thread)
{
    const struct model_symbol *before = NULL, *start = NULL;
    char *text = NULL;
    size_t size = 0;
    uint32_t run = 0;
    bool first = true;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort();
    for (uint32_t i = find_thread(visits, slot, thread); i < visits->symbol_count; i++) {
        const struct model_symbol *symbol = &visits->symbols[i];
        if (symbol->slot != slot || symbol->thread != thread)
            break;
        start = start == NULL ? symbol : start;
        const uint32_t ended = ended_loops(start, symbol, visits->slots[slot].depth);
        if (before != NULL && (ended > 0 || before->taken != symbol->taken)) {
            write_run(stream, before->taken ? '1' : '0', run, first);
            write_run(stream, '|', ended, false);
            first = false;
            run = 0;
        }
        run++;
        before = symbol;
    }
    write_run(stream, before != NULL && before->taken ? '1' : '0', run, first);
    if (before == NULL)
        fputc('-', stream);
    fclose(stream);
    return text;
}

uint64_t model_visits_required(const struct model_visits *visits, const struct model_warps *warps,
                               uint32_t slot, uint64_t window)
{
    uint64_t required = 0;
    for (uint32_t i = 0; i < visits->taken_count;) {
        const struct model_symbol *first = &visits->taken[i];
        uint32_t active[MODEL_THREADS] = {0}; /* per warp, in one visit */
        for (; i < visits->taken_count && compare_keys(&visits->taken[i], first) == 0; i++)
            active[warps->warp_of[visits->taken[i].thread]]++;
        for (uint64_t warp = 0; warp < warps->warp_count && first->slot == slot; warp += window) {
            uint64_t sum = 0;
            for (uint64_t w = warp; w < warp + window && w < warps->warp_count; w++)
                sum += active[w];
            required += (sum + warps->lanes - 1) / warps->lanes;
        }
    }
    return required;
}
