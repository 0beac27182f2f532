/* Where the accesses of a module come in its code, when functions that one place calls stand there. */
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/model/catalog.h"
#include "warpscope/spirv/code.h"

#define FRAMES_MAX 32 /* functions that stand in each other: what is further in stands by itself */
#define LOOPS_MAX  32 /* loops around one place: what is further in is none */

struct walk {
    const struct ws_module *code;
    struct ws_module_traces *traces;
    uint32_t *numbers; /* per id: index of the function that it is + 1; 0 = it is none */
    uint32_t *callers; /* per function: places that call it */
    uint32_t *heights;
    uint32_t *roots;  /* per function: the outermost one that it stands in; WS_NONE = not met yet */
    uint32_t *orders; /* per instruction */
    uint32_t *loops;  /* likewise: the innermost loop around it */
    uint32_t *ends;   /* per loop: where it ends, a word offset */
    uint32_t *depths; /* per loop: loops around it, itself included */
    uint32_t order;
};

/* A function that is walked through. */
struct frame {
    uint32_t next;   /* instruction */
    uint32_t end;    /* of the function */
    uint32_t around; /* the loop around its call */
    uint32_t loop;   /* the innermost loop here */
    uint32_t header; /* offset of the block */
};

/* The function that an instruction calls; WS_NONE = it calls none that has a body. */
static uint32_t called_by(const struct walk *walk, const struct ws_instruction *instruction)
{
    const uint32_t id = instruction->opcode == SpvOpFunctionCall ? ws_operand(walk->code, instruction, 2) : 0;
    return id != 0 && id < walk->code->bound ? walk->numbers[id] - 1 : WS_NONE;
}

/* Each round makes one more level known, and recursion ends at the highest one. */
static void find_heights(struct walk *walk)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round < WS_TRACED_HEIGHT_MAX; ++round) {
        changed = false;
        for (uint32_t i = 0; i < walk->code->function_count; ++i) {
            const struct ws_function *function = &walk->code->functions[i];
            for (uint32_t j = function->first; j < function->end; ++j) {
                const uint32_t called = called_by(walk, &walk->code->instructions[j]);
                if (called == WS_NONE || walk->heights[called] < walk->heights[i] ||
                    walk->heights[called] >= WS_TRACED_HEIGHT_MAX)
                    continue;
                walk->heights[i] = walk->heights[called] + 1;
                changed = true;
            }
        }
    }
}

static bool init(struct walk *walk)
{
    const struct ws_module *code = walk->code;
    uint32_t loops = 0;
    walk->numbers = calloc((size_t)code->bound + 1, sizeof(uint32_t));
    walk->callers = calloc((size_t)code->function_count + 1, sizeof(uint32_t));
    walk->heights = calloc((size_t)code->function_count + 1, sizeof(uint32_t));
    walk->roots = calloc((size_t)code->function_count + 1, sizeof(uint32_t));
    walk->orders = calloc((size_t)code->instruction_count + 1, sizeof(uint32_t));
    walk->loops = calloc((size_t)code->instruction_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < code->instruction_count; ++i)
        loops += code->instructions[i].opcode == SpvOpLoopMerge;
    walk->ends = calloc((size_t)loops + 1, sizeof(uint32_t));
    walk->depths = calloc((size_t)loops + 1, sizeof(uint32_t));
    walk->traces->loops = calloc((size_t)loops + 1, sizeof(uint32_t));
    if (walk->numbers == NULL || walk->callers == NULL || walk->heights == NULL || walk->roots == NULL ||
        walk->orders == NULL || walk->loops == NULL || walk->ends == NULL || walk->depths == NULL ||
        walk->traces->loops == NULL)
        return false;
    for (uint32_t i = 0; i < code->function_count; ++i) {
        const uint32_t id = code->functions[i].id;
        walk->roots[i] = WS_NONE;
        if (id < code->bound && code->functions[i].block_count > 0)
            walk->numbers[id] = i + 1;
    }
    for (uint32_t i = 0; i < code->instruction_count; ++i) {
        const uint32_t called = called_by(walk, &code->instructions[i]);
        walk->loops[i] = WS_NONE;
        if (called != WS_NONE)
            walk->callers[called]++;
    }
    find_heights(walk);
    return true;
}

static void finish(struct walk *walk)
{
    free(walk->numbers);
    free(walk->callers);
    free(walk->heights);
    free(walk->roots);
    free(walk->orders);
    free(walk->loops);
    free(walk->ends);
    free(walk->depths);
}

/* How far a loop reaches whose merge instruction this is; 0 = there is no such block behind it. */
static uint32_t find_end(const struct ws_module *code, const struct ws_instruction *merge)
{
    const struct ws_instruction *block = ws_module_definition(code, ws_operand(code, merge, 0));
    return block != NULL && block->opcode == SpvOpLabel && block->offset > merge->offset ? block->offset : 0;
}

/* A loop begins: what stands before this in its header is in it, too. */
static void open_loop(struct walk *walk, struct frame *frame, uint32_t number)
{
    const struct ws_instruction *merge = &walk->code->instructions[number];
    const uint32_t end = find_end(walk->code, merge);
    const uint32_t depth = frame->loop != WS_NONE ? walk->depths[frame->loop] : 0;
    if (end == 0 || depth >= LOOPS_MAX)
        return;
    const uint32_t loop = walk->traces->loop_count++;
    walk->traces->loops[loop] = frame->loop;
    walk->ends[loop] = end;
    walk->depths[loop] = depth + 1;
    for (uint32_t i = number; i > 0 && walk->code->instructions[i].offset >= frame->header; --i)
        if (walk->loops[i] == frame->loop)
            walk->loops[i] = loop;
    frame->loop = loop;
}

static struct frame begin_function(const struct walk *walk, uint32_t function, uint32_t loop)
{
    return (struct frame){.next = walk->code->functions[function].first,
                          .end = walk->code->functions[function].end,
                          .around = loop,
                          .loop = loop};
}

/* Goes through a function and those that stand in it. */
static void walk_root(struct walk *walk, uint32_t root)
{
    struct frame frames[FRAMES_MAX];
    uint32_t depth = 0;
    frames[depth++] = begin_function(walk, root, WS_NONE);
    walk->roots[root] = root;
    while (depth > 0) {
        struct frame *frame = &frames[depth - 1];
        if (frame->next >= frame->end) {
            depth--;
            continue;
        }
        const uint32_t number = frame->next++;
        const struct ws_instruction *instruction = &walk->code->instructions[number];
        while (frame->loop != frame->around && walk->ends[frame->loop] <= instruction->offset)
            frame->loop = walk->traces->loops[frame->loop];
        if (instruction->opcode == SpvOpLabel)
            frame->header = instruction->offset;
        walk->orders[number] = walk->order++;
        walk->loops[number] = frame->loop;
        if (instruction->opcode == SpvOpLoopMerge)
            open_loop(walk, frame, number);
        const uint32_t called = called_by(walk, instruction);
        if (called == WS_NONE || walk->callers[called] != 1 || walk->roots[called] != WS_NONE ||
            depth == FRAMES_MAX)
            continue;
        walk->roots[called] = root;
        frames[depth++] = begin_function(walk, called, frame->loop);
    }
}

/* Goes through all functions, lower ones first; those that nothing calls, or several places do, stand by themselves. */
static void walk_all(struct walk *walk)
{
    for (uint32_t height = 0; height <= WS_TRACED_HEIGHT_MAX; ++height)
        for (uint32_t i = 0; i < walk->code->function_count; ++i)
            if (walk->heights[i] == height && walk->roots[i] == WS_NONE && walk->callers[i] != 1)
                walk_root(walk, i);
    for (uint32_t i = 0; i < walk->code->function_count; ++i)
        if (walk->roots[i] == WS_NONE)
            walk_root(walk, i);
}

/* The function that an instruction stands in; WS_NONE = none. */
static uint32_t function_of(const struct ws_module *code, uint32_t instruction)
{
    uint32_t first = 0;
    uint32_t end = code->function_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (code->functions[middle].first <= instruction)
            first = middle + 1;
        else
            end = middle;
    }
    return first > 0 && instruction < code->functions[first - 1].end ? first - 1 : WS_NONE;
}

static struct ws_traced_position position_of(const struct walk *walk, const struct ws_code *code,
                                             uint32_t offset)
{
    uint32_t instruction = 0;
    uint32_t end = 0;
    ws_code_range(code, offset, 1, &instruction, &end);
    const uint32_t function = instruction < end ? function_of(walk->code, instruction) : WS_NONE;
    if (function == WS_NONE || walk->roots[function] == WS_NONE)
        return (struct ws_traced_position){.loop = WS_NONE};
    const uint32_t root = walk->roots[function];
    return (struct ws_traced_position){walk->orders[instruction], walk->loops[instruction], root + 1,
                                       walk->heights[root]};
}

bool ws_traced_positions_add(struct ws_module_record *module, const struct ws_code *code)
{
    struct walk walk = {.code = &code->module, .traces = module->traces};
    module->traces->positions = calloc((size_t)module->site_count + 1, sizeof(*module->traces->positions));
    const bool added = module->traces->positions != NULL && init(&walk);
    if (added)
        walk_all(&walk);
    for (uint32_t i = 0; added && i < module->site_count; ++i)
        module->traces->positions[i] = position_of(&walk, code, module->sites[i].info.offset);
    finish(&walk);
    return added;
}
