/* Fuzz target: the text of a probe, read as a file, as one line, and as a compiled probe. Each must be taken, or refused
 * with a message that can be shown. What is taken is not compiled: glslang has its own tests. */
#include <string.h>

#include "analysis/probe/program.h"
#include "tests/fuzz/fuzz.h"
#include "warpscope/probe.h"

static void take(const char *text, bool is_one_line)
{
    const struct ws_probe_source source = {
        .label = "probe", .name = "probe", .text = text, .is_one_line = is_one_line};
    struct ws_complaints complaints = {0};
    char *said = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&said, &size);
    struct ws_probe_program *program = ws_probe_program_create(&source, &complaints);
    fuzz_check((program == NULL) == (complaints.errors > 0), "a probe is refused without a message");
    for (uint32_t i = 0; program != NULL && i < program->rule_count; i++) {
        const struct ws_probe_rule *rule = &program->rules[i];
        fuzz_check(rule->function_count > 0 &&
                       rule->function_first + rule->function_count <= program->overload_count,
                   "a place calls no function");
    }
    for (uint32_t i = 0; i < complaints.count; i++)
        fuzz_check(complaints.items[i].offset == SIZE_MAX || complaints.items[i].offset <= strlen(text),
                   "a message is about a place behind the text");
    if (stream != NULL) {
        ws_complaints_print(&complaints, &source, stream);
        fclose(stream);
    }
    free(said);
    ws_complaints_finish(&complaints);
    ws_probe_program_destroy(program);
}

static void take_blob(const uint8_t *data, size_t size)
{
    struct ws_error error = {{0}};
    uint32_t *words = calloc(size / 4 + 1, 4);
    if (words == NULL)
        return;
    memcpy(words, data, size / 4 * 4);
    struct ws_probe *probe = ws_probe_read(words, size / 4, &error);
    fuzz_check((probe == NULL) == (error.message[0] != '\0'),
               "a compiled probe is refused without a message");
    ws_probe_destroy(probe);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    take(text, false);
    take(text, true);
    take_blob(data, size);
    free(text);
    return 0;
}

/* Words and signs of the language put in, taken out, and put twice. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    static const char *const parts[] = {"//! ",
                                        "after ",
                                        "before ",
                                        "loop begin\n",
                                        "output a: ",
                                        "count",
                                        "histogram linear 0 1 9",
                                        "values 4",
                                        "table { uint a; }",
                                        "record {",
                                        "sample 2 {",
                                        "lanes",
                                        "}",
                                        "{",
                                        "(",
                                        ")",
                                        ";",
                                        "float result",
                                        "OpFMul ",
                                        "float ",
                                        "in fragment ",
                                        "file *.c ",
                                        "line 3-4 ",
                                        "\"",
                                        "/*",
                                        "*/",
                                        "#if\n",
                                        "\\\n",
                                        "\n",
                                        "//",
                                        "per shader",
                                        "\xc3",
                                        "9"};
    uint64_t state = fuzz_state(seed);
    for (uint64_t changes = 1 + fuzz_below(&state, 4); changes > 0; changes--) {
        const char *part = parts[fuzz_below(&state, sizeof(parts) / sizeof(parts[0]))];
        const size_t at = fuzz_below(&state, size + 1);
        const size_t removed = fuzz_below(&state, 3) == 0 ? fuzz_below(&state, size - at + 1) % 24 : 0;
        const size_t added = fuzz_below(&state, 3) != 0 ? strlen(part) : 0;
        if (size - removed + added > capacity)
            continue;
        memmove(data + at + added, data + at + removed, size - at - removed);
        memcpy(data + at, part, added);
        size = size - removed + added;
    }
    return size;
}
