/* Changes SPIR-V as one who knows where instructions begin: operands, opcodes and lengths get other numbers,
 * instructions are left out, repeated and exchanged. The header is mostly kept. */
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define HEADER           5
#define INSTRUCTIONS_MAX 65536

struct module {
    uint32_t *words;
    size_t count;
    size_t capacity;
    uint32_t starts[INSTRUCTIONS_MAX + 1]; /* of instructions, and the end */
    size_t instructions;
};

static void find_instructions(struct module *module)
{
    size_t at = HEADER;
    module->instructions = 0;
    while (at < module->count && module->instructions < INSTRUCTIONS_MAX) {
        module->starts[module->instructions++] = (uint32_t)at;
        const size_t length = module->words[at] >> 16;
        at += length > 0 ? length : 1;
    }
    module->starts[module->instructions] = (uint32_t)module->count;
}

/* Puts a copy of words first .. end - 1 before word `to`. */
static void copy_words(struct module *module, size_t first, size_t end, size_t to)
{
    const size_t length = end - first;
    uint32_t *copy = malloc(4 * length + 1);
    if (copy != NULL && module->count + length <= module->capacity) {
        memcpy(copy, module->words + first, 4 * length);
        memmove(module->words + to + length, module->words + to, 4 * (module->count - to));
        memcpy(module->words + to, copy, 4 * length);
        module->count += length;
    }
    free(copy);
}

static void drop_words(struct module *module, size_t first, size_t end)
{
    memmove(module->words + first, module->words + end, 4 * (module->count - end));
    module->count -= end - first;
}

static void change(struct module *module, uint64_t *state)
{
    const size_t chosen = (size_t)fuzz_below(state, module->instructions);
    const size_t other = (size_t)fuzz_below(state, module->instructions);
    const size_t first = module->starts[chosen], end = module->starts[chosen + 1];
    uint32_t *word = &module->words[first + fuzz_below(state, end - first)];
    switch (fuzz_below(state, 9)) {
    case 0: drop_words(module, first, end); break;
    case 1: copy_words(module, first, end, module->starts[other]); break;
    case 2:
        module->words[first] = (module->words[first] & 0xffff0000) | (uint32_t)fuzz_below(state, 460);
        break;
    case 3: module->words[first] += (uint32_t)(fuzz_below(state, 5) - 2) << 16; break;
    case 4: *word = (uint32_t)fuzz_number(state); break;
    case 5: *word += (uint32_t)fuzz_below(state, 5) - 2; break;
    case 6:
        *word = module->words[module->starts[other] +
                              fuzz_below(state, 3) % (module->starts[other + 1] - module->starts[other])];
        break;
    case 7: *word ^= UINT32_C(1) << fuzz_below(state, 32); break;
    default: module->count = fuzz_below(state, 8) == 0 ? first : module->count; break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    static struct module module;
    uint64_t state = fuzz_state(seed);
    if (fuzz_below(&state, 32) == 0 || size / 4 <= HEADER)
        return LLVMFuzzerMutate(data, size, capacity);
    module.words = malloc(capacity + 4);
    if (module.words == NULL)
        return size;
    module.count = size / 4;
    module.capacity = capacity / 4;
    memcpy(module.words, data, 4 * module.count);
    for (uint64_t i = fuzz_below(&state, 4) == 0 ? 3 : 1; i > 0; --i) {
        find_instructions(&module);
        if (module.instructions > 0)
            change(&module, &state);
    }
    memcpy(data, module.words, 4 * module.count);
    size = 4 * module.count;
    free(module.words);
    return size;
}
