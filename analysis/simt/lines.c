#include "analysis/simt/lines.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/spirv/cfg.h"
#include "warpscope/spirv/sites.h"

/* Blocks without lines that are passed over between two occurrences, and calls around inlined code. Real code has few;
 * the bounds keep the work linear in any module. */
#define PASSED_MOST 64
#define ARCS_MOST   1024
#define DEPTH_MOST  64

/* Where an occurrence is, in the source and in inlined code. */
struct place {
    uint32_t file;
    uint32_t line;
    uint32_t inlined_at;
};

struct occurrence {
    struct place place;
    uint32_t block;    /* index in the module's blocks */
    uint32_t row;      /* its counter; WS_NONE = not counted */
    uint32_t function; /* index in the code's functions */
    uint32_t first;    /* in the list of opcodes: those of its instructions, ascending */
    uint32_t count;
    uint32_t parent; /* of union and find: an index in the list, itself where it is the root */
    bool heads_loop; /* its last instruction is the OpBranch of a loop's header */
    bool side;       /* all that a side of a branch has */
};

struct work {
    const struct ws_code *code;
    const struct ws_module_record *module;
    uint32_t *block_of; /* per instruction: index in the module's blocks, WS_NONE = none */
    struct occurrence *list;
    uint32_t count;
    uint32_t capacity;
    uint32_t *opcodes; /* of all occurrences */
    uint32_t opcode_count;
    uint32_t *first_of; /* per block of the code: its first and last occurrence, WS_NONE = none */
    uint32_t *last_of;
    struct ws_id_map inlined; /* DebugInlinedAt -> an occurrence of the line of its call */
    bool failed;              /* no memory */
};

static bool is_same_place(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->line == b->line && a->inlined_at == b->inlined_at;
}

static uint32_t root_of(struct work *work, uint32_t index)
{
    while (work->list[index].parent != index) {
        work->list[index].parent = work->list[work->list[index].parent].parent;
        index = work->list[index].parent;
    }
    return index;
}

static void unite(struct work *work, uint32_t a, uint32_t b)
{
    a = root_of(work, a);
    b = root_of(work, b);
    if (a < b)
        work->list[b].parent = a;
    else
        work->list[a].parent = b;
}

static bool map_blocks(struct work *work)
{
    const uint32_t count = work->code->module.instruction_count;
    work->block_of = malloc(((size_t)count + 1) * sizeof(*work->block_of));
    if (work->block_of == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        work->block_of[i] = WS_NONE;
    for (uint32_t i = 0; i < work->module->block_count; ++i) {
        const struct ws_block_info *block = &work->module->blocks[i].info;
        uint32_t first = 0;
        uint32_t end = 0;
        ws_code_range(work->code, block->offset, block->length, &first, &end);
        for (uint32_t j = first; j < end; ++j)
            work->block_of[j] = i;
    }
    return true;
}

/* Adds the instruction to the last occurrence, or a new one. `last`: that of the same block of the code; WS_NONE. */
static bool add_instruction(struct work *work, uint32_t instruction, uint32_t function, uint32_t *last)
{
    const struct ws_source_place *at = &work->code->places[instruction];
    const struct place place = {at->file, at->line, at->inlined_at};
    const uint32_t opcode = work->code->module.instructions[instruction].opcode;
    const uint32_t block = work->block_of[instruction];
    if (*last == WS_NONE || work->list[*last].block != block ||
        !is_same_place(&work->list[*last].place, &place)) {
        struct occurrence *list = ws_array_grow(work->list, &work->capacity, work->count + 1, sizeof(*list));
        if (list == NULL)
            return false;
        work->list = list;
        *last = work->count++;
        list[*last] = (struct occurrence){.place = place,
                                          .block = block,
                                          .row = work->module->blocks[block].row,
                                          .function = function,
                                          .first = work->opcode_count,
                                          .parent = *last};
    }
    work->list[*last].count++;
    work->list[*last].heads_loop =
        opcode == SpvOpBranch && work->code->module.instructions[instruction - 1].opcode == SpvOpLoopMerge;
    work->opcodes[work->opcode_count++] = opcode;
    return true;
}

static int compare_opcodes(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Lists the occurrences of all blocks, in the order of the module. */
static bool list_occurrences(struct work *work)
{
    const struct ws_module *module = &work->code->module;
    work->first_of = malloc(((size_t)module->block_count + 1) * sizeof(*work->first_of));
    work->last_of = malloc(((size_t)module->block_count + 1) * sizeof(*work->last_of));
    work->opcodes = malloc(((size_t)module->instruction_count + 1) * sizeof(*work->opcodes));
    if (work->first_of == NULL || work->last_of == NULL || work->opcodes == NULL)
        return false;
    for (uint32_t i = 0; i < module->block_count; ++i) {
        const struct ws_block *block = &module->blocks[i];
        uint32_t last = WS_NONE;
        work->first_of[i] = WS_NONE;
        for (uint32_t j = block->first; j < block->end; ++j) {
            const struct ws_source_place *place = &work->code->places[j];
            if (work->block_of[j] == WS_NONE || place->file == WS_NONE || place->line == 0 ||
                !ws_instruction_is_executed(module, &module->instructions[j]))
                continue;
            if (!add_instruction(work, j, block->function, &last))
                return false;
            if (work->first_of[i] == WS_NONE)
                work->first_of[i] = last;
        }
        work->last_of[i] = last;
    }
    for (uint32_t i = 0; i < work->count; ++i)
        qsort(work->opcodes + work->list[i].first, work->list[i].count, sizeof(*work->opcodes),
              compare_opcodes);
    return true;
}

/* Notes that `occurrence` stands right before or behind code that was inlined, at that DebugInlinedAt or further in: it
 * is united with what is around the same inlined call already, if it is the line of that call. */
static void note_inlined(struct work *work, uint32_t occurrence, uint32_t inlined_at)
{
    const struct place *place = &work->list[occurrence].place;
    uint32_t line = 0;
    uint32_t outer = 0;
    for (uint32_t i = 0; i < DEPTH_MOST && ws_code_inlined_at(work->code, inlined_at, &line, &outer); ++i) {
        uint32_t other = 0;
        if (outer == place->inlined_at && line == place->line) {
            if (!ws_id_map_get(&work->inlined, inlined_at, &other))
                work->failed = work->failed || !ws_id_map_put(&work->inlined, inlined_at, occurrence);
            else if (is_same_place(&work->list[other].place, place))
                unite(work, occurrence, other);
        }
        inlined_at = outer;
    }
}

/* Control flow leads from one occurrence right to another. */
static void connect(struct work *work, uint32_t from, uint32_t to)
{
    const struct place *a = &work->list[from].place;
    const struct place *b = &work->list[to].place;
    if (is_same_place(a, b))
        unite(work, from, to);
    if (a->inlined_at == b->inlined_at)
        return;
    note_inlined(work, from, b->inlined_at);
    note_inlined(work, to, a->inlined_at);
}

/* Connects the occurrence with the first ones behind block `block` of the function. */
static void connect_successors(struct work *work, const struct ws_cfg *cfg,
                               const struct ws_function *function, uint32_t block, uint32_t from)
{
    uint32_t passed[PASSED_MOST] = {block};
    uint32_t count = 1;
    uint32_t arcs = 0; /* behind blocks that were passed over */
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = cfg->successor_first[passed[i]]; j < cfg->successor_first[passed[i] + 1]; ++j) {
            if (i > 0 && ++arcs > ARCS_MOST)
                return;
            const uint32_t next = cfg->successors[j];
            const uint32_t first = work->first_of[function->block_first + next];
            bool known = false;
            for (uint32_t k = 1; k < count && !known; ++k)
                known = passed[k] == next;
            if (first != WS_NONE)
                connect(work, from, first);
            else if (!known && count < PASSED_MOST)
                passed[count++] = next;
        }
}

/* Finds the sides of the function's branches that have one occurrence: no merge block and no continue target. False when there
 * is no memory. */
static bool find_sides(struct work *work, struct ws_arena *arena, const struct ws_cfg *cfg,
                       const struct ws_function *function)
{
    const struct ws_module *module = &work->code->module;
    bool *is_joint = ws_arena_allocate(arena, (size_t)cfg->block_count + 1, sizeof(*is_joint));
    if (is_joint == NULL)
        return false;
    for (uint32_t i = 0; i < cfg->block_count; ++i) {
        const struct ws_instruction *merge = ws_cfg_merge(module, &module->blocks[function->block_first + i]);
        const uint32_t targets = merge == NULL ? 0 : merge->opcode == SpvOpLoopMerge ? 2 : 1;
        for (uint32_t j = 0; j < targets; ++j) {
            const uint32_t joint = ws_cfg_find_block(module, function, ws_operand(module, merge, j));
            if (joint != WS_NONE)
                is_joint[joint] = true;
        }
    }
    for (uint32_t i = 0; i < cfg->block_count; ++i)
        for (uint32_t j = cfg->successor_first[i];
             j < cfg->successor_first[i + 1] && cfg->successor_first[i] + 1 < cfg->successor_first[i + 1];
             ++j) {
            const uint32_t side = function->block_first + cfg->successors[j];
            if (!is_joint[cfg->successors[j]] && work->first_of[side] != WS_NONE &&
                work->first_of[side] == work->last_of[side])
                work->list[work->first_of[side]].side = true;
        }
    return true;
}

static bool connect_function(struct work *work, struct ws_arena *arena, uint32_t index)
{
    const struct ws_module *module = &work->code->module;
    const struct ws_function *function = &module->functions[index];
    struct ws_error unread = {{0}};
    struct ws_cfg cfg = {.block_count = 0};
    const bool built = ws_cfg_build(&cfg, arena, module, index, &unread) && !cfg.opaque;
    work->failed = work->failed || ws_error_is_memory(&unread);
    work->failed = work->failed || (built && !find_sides(work, arena, &cfg, function));
    for (uint32_t i = 0; i < function->block_count; ++i) {
        const uint32_t block = function->block_first + i;
        const uint32_t last = work->last_of[block];
        if (last == WS_NONE)
            continue;
        for (uint32_t j = work->first_of[block]; j < last; ++j)
            connect(work, j, j + 1);
        if (built)
            connect_successors(work, &cfg, function, i, last);
    }
    return !work->failed;
}

static int compare_files(const struct occurrence *a, const struct occurrence *b)
{
    if (a->place.file != b->place.file)
        return a->place.file < b->place.file ? -1 : 1;
    return a->place.line < b->place.line ? -1 : a->place.line > b->place.line;
}

/* By line, DebugInlinedAt, function and counter, then in the order of the module. */
static int compare_together(const void *left, const void *right, void *user)
{
    const struct work *work = user;
    const uint32_t i = *(const uint32_t *)left;
    const uint32_t j = *(const uint32_t *)right;
    const struct occurrence *a = &work->list[i];
    const struct occurrence *b = &work->list[j];
    const int files = compare_files(a, b);
    if (files != 0)
        return files;
    if (a->place.inlined_at != b->place.inlined_at)
        return a->place.inlined_at < b->place.inlined_at ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return i < j ? -1 : i > j;
}

static bool run_together(const struct occurrence *a, const struct occurrence *b)
{
    return a->row != WS_NONE && a->row == b->row && a->function == b->function &&
           is_same_place(&a->place, &b->place);
}

/* Whether both have at least two instructions, and at least half of the longer one's are in the other too. */
static bool is_same_code(const struct work *work, uint32_t left, uint32_t right)
{
    const struct occurrence *a = &work->list[left];
    const struct occurrence *b = &work->list[right];
    const uint32_t longer = a->count > b->count ? a->count : b->count;
    const uint32_t shorter = a->count < b->count ? a->count : b->count;
    uint32_t common = 0;
    if (shorter < 2 || longer > 2 * shorter)
        return false;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        const int order = compare_opcodes(&work->opcodes[a->first + i], &work->opcodes[b->first + j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return 2 * common >= longer;
}

/* Unites occurrences [first, end) of the sorted list, which always run together, but for what is the same code once
 * more. */
static void unite_together(struct work *work, const uint32_t *sorted, uint32_t first, uint32_t end)
{
    uint32_t begin = first; /* of the copy */
    for (uint32_t i = first + 1; i < end; ++i) {
        bool again = false;
        for (uint32_t j = begin; j < i && j < begin + PASSED_MOST && !again; ++j)
            again = root_of(work, sorted[i]) != root_of(work, sorted[j]) &&
                    is_same_code(work, sorted[i], sorted[j]);
        if (again)
            begin = i;
        unite(work, sorted[begin], sorted[i]);
    }
}

static void unite_all(struct work *work, const uint32_t *sorted)
{
    for (uint32_t first = 0, end = 0; first < work->count; first = end) {
        for (end = first + 1;
             end < work->count && run_together(&work->list[sorted[first]], &work->list[sorted[end]]);)
            ++end;
        unite_together(work, sorted, first, end);
    }
}

/* Whether it is nothing but an OpBranch. That of a loop's header is more: each iteration comes to it, also where the loop ends
 * before its last part, or has no condition. So is a side of a branch that is nothing else, such as `case 1: break;`. */
static bool is_branch(const struct work *work, const struct occurrence *occurrence)
{
    return occurrence->count == 1 && work->opcodes[occurrence->first] == SpvOpBranch &&
           !occurrence->heads_loop && !occurrence->side;
}

/* By line, then by copy, then by block. */
static int compare_copies(const void *left, const void *right, void *user)
{
    const struct work *work = user;
    const struct occurrence *a = &work->list[*(const uint32_t *)left];
    const struct occurrence *b = &work->list[*(const uint32_t *)right];
    const int files = compare_files(a, b);
    if (files != 0)
        return files;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* Writes the line of occurrences [first, end) of the list sorted so. An occurrence that is nothing but an OpBranch says
 * something only of a line without any other: `break`, or `continue`. Else it is the way out of inlined code. */
static void write_line(struct work *work, const uint32_t *sorted, uint32_t first, uint32_t end,
                       struct ws_lines *lines)
{
    const struct occurrence *before = NULL;
    bool code = false;
    for (uint32_t i = first; i < end && !code; ++i)
        code = !is_branch(work, &work->list[sorted[i]]);
    const struct place *place = &work->list[sorted[first]].place;
    struct ws_source_line *line = &lines->lines[lines->line_count++];
    *line = (struct ws_source_line){place->file, place->line, lines->copy_count, 0};
    for (uint32_t i = first; i < end; ++i) {
        const struct occurrence *now = &work->list[sorted[i]];
        if (code && is_branch(work, now))
            continue;
        const bool new_copy = before == NULL || before->parent != now->parent;
        if (new_copy) {
            lines->copies[lines->copy_count++] = (struct ws_line_copy){lines->block_count, 0};
            line->copy_count++;
        }
        if (new_copy || before->block != now->block) {
            lines->blocks[lines->block_count++] = now->block;
            lines->copies[lines->copy_count - 1].block_count++;
        }
        before = now;
    }
}

static void write_lines(struct work *work, const uint32_t *sorted, struct ws_lines *lines)
{
    for (uint32_t first = 0, end = 0; first < work->count; first = end) {
        for (end = first + 1;
             end < work->count && compare_files(&work->list[sorted[first]], &work->list[sorted[end]]) == 0;)
            ++end;
        write_line(work, sorted, first, end, lines);
    }
}

static bool make(struct work *work, struct ws_lines *lines)
{
    struct ws_arena *arena = ws_arena_create();
    uint32_t *sorted = NULL;
    bool made = arena != NULL && map_blocks(work) && list_occurrences(work);
    for (uint32_t i = 0; i < work->code->module.function_count && made; ++i)
        made = connect_function(work, arena, i);
    ws_arena_destroy(arena);
    const size_t room = (size_t)work->count + 1;
    lines->lines = calloc(room, sizeof(*lines->lines));
    lines->copies = calloc(room, sizeof(*lines->copies));
    lines->blocks = calloc(room, sizeof(*lines->blocks));
    sorted = malloc(room * sizeof(*sorted));
    made = made && lines->lines != NULL && lines->copies != NULL && lines->blocks != NULL && sorted != NULL;
    if (made) {
        for (uint32_t i = 0; i < work->count; ++i)
            sorted[i] = i;
        qsort_r(sorted, work->count, sizeof(*sorted), compare_together, work);
        unite_all(work, sorted);
        for (uint32_t i = 0; i < work->count; ++i)
            work->list[i].parent = root_of(work, i);
        qsort_r(sorted, work->count, sizeof(*sorted), compare_copies, work);
        write_lines(work, sorted, lines);
    }
    free(sorted);
    return made;
}

struct ws_lines *ws_lines_create(const struct ws_code *code, const struct ws_module_record *module)
{
    struct work work = {.code = code, .module = module};
    struct ws_lines *lines = calloc(1, sizeof(*lines));
    const bool made = lines != NULL && make(&work, lines);
    free(work.block_of);
    free(work.list);
    free(work.opcodes);
    free(work.first_of);
    free(work.last_of);
    ws_id_map_finish(&work.inlined);
    if (made)
        return lines;
    ws_lines_destroy(lines);
    return NULL;
}

void ws_lines_destroy(struct ws_lines *lines)
{
    if (lines == NULL)
        return;
    free(lines->lines);
    free(lines->copies);
    free(lines->blocks);
    free(lines);
}

uint32_t ws_lines_find(const struct ws_lines *lines, uint32_t file, uint32_t line)
{
    uint32_t low = 0;
    uint32_t high = lines->line_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct ws_source_line *at = &lines->lines[middle];
        if (at->file < file || (at->file == file && at->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    return low < lines->line_count && lines->lines[low].file == file && lines->lines[low].line == line
               ? low
               : WS_NONE;
}

uint32_t ws_lines_most(const struct ws_lines *lines, const struct ws_line_copy *copy,
                       const struct ws_simt_counts *of_block)
{
    uint32_t most = lines->blocks[copy->block_first];
    for (uint32_t i = copy->block_first; i < copy->block_first + copy->block_count; ++i) {
        const struct ws_simt_counts *block = &of_block[lines->blocks[i]];
        if (ws_simt_sum(block->warps, block->threads) >
            ws_simt_sum(of_block[most].warps, of_block[most].threads))
            most = lines->blocks[i];
    }
    return most;
}

void ws_lines_count(const struct ws_lines *lines, uint32_t line, const struct ws_simt_counts *of_block,
                    struct ws_simt_counts *counts)
{
    const struct ws_source_line *of = &lines->lines[line];
    memset(counts, 0, sizeof(*counts));
    for (uint32_t i = of->copy_first; i < of->copy_first + of->copy_count; ++i)
        if (lines->copies[i].block_count > 0)
            ws_simt_counts_add(counts, &of_block[ws_lines_most(lines, &lines->copies[i], of_block)]);
}
