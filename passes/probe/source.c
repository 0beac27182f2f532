#include "passes/probe/source.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/base/glob.h"

#define NAME_SIZE 512

void ws_probe_source_finish(struct ws_probe_source *source)
{
    ws_code_destroy(source->code);
    source->code = NULL;
}

/* Where something comes from; NULL where that is not known. A module whose debug information cannot be read has none. */
static const struct ws_source_place *find_place(struct ws_probe_source *source, uint32_t offset)
{
    uint32_t first = 0;
    uint32_t end = 0;
    struct ws_error error = {{0}};
    if (!source->read && source->word_count <= UINT32_MAX)
        source->code = ws_code_create(source->words, (uint32_t)source->word_count, &error);
    source->read = true;
    if (source->code == NULL)
        return NULL;
    ws_code_range(source->code, offset, 1, &first, &end);
    return first < end ? &source->code->places[first] : NULL;
}

uint32_t ws_probe_source_line(struct ws_probe_source *source, uint32_t offset)
{
    const struct ws_source_place *place = find_place(source, offset);
    return place != NULL && place->file != WS_NONE ? place->line : 0;
}

static bool file_fits(const char *pattern, const char *name)
{
    const char *last = strrchr(name, '/');
    return ws_glob_matches(pattern, name) || (last != NULL && ws_glob_matches(pattern, last + 1));
}

bool ws_probe_source_passes(struct ws_probe_source *source, const struct ws_probe_rule *rule, uint32_t offset)
{
    const bool by_file = rule->file[0] != '\0';
    const bool by_line = rule->line_last != 0;
    if (!by_file && !by_line)
        return true;
    const struct ws_source_place *place = find_place(source, offset);
    if (place == NULL || place->file == WS_NONE)
        return false;
    return (!by_file || file_fits(rule->file, source->code->files[place->file].name)) &&
           (!by_line || (rule->line_first <= place->line && place->line <= rule->line_last));
}

bool ws_probe_source_names(const struct ws_module *module, const struct ws_probe_rule *rule,
                           uint32_t function, const char *entry_point)
{
    char name[NAME_SIZE] = "";
    if (rule->function[0] == '\0' || (entry_point != NULL && ws_glob_matches(rule->function, entry_point)))
        return true;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpName || ws_operand(module, instruction, 0) != function)
            continue;
        const uint32_t length = ws_module_string(module, instruction, 1);
        for (uint32_t c = 0; length != WS_NONE && c < length && c + 1 < NAME_SIZE; c++) {
            name[c] = (char)(ws_operand(module, instruction, 1 + c / 4) >> (c % 4 * 8) & 0xff);
            if (name[c] == '(') {
                name[c] = '\0';
                break;
            }
        }
        break;
    }
    return ws_glob_matches(rule->function, name);
}
