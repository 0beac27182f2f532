/* The call sites of modules, and which of them entry points reach (catalog.h). */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"
#include "warpscope/opcodes.h"
#include "warpscope/spirv/code.h"

const char *ws_call_word(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTraceRayKHR:
    case SpvOpTraceNV: return "traceRay";
    case SpvOpTraceRayMotionNV:
    case SpvOpTraceMotionNV: return "traceRayMotion";
    case SpvOpExecuteCallableKHR:
    case SpvOpExecuteCallableNV: return "executeCallable";
    case SpvOpReportIntersectionKHR: return "reportIntersection";
    case SpvOpRayQueryInitializeKHR: return "ray query";
    case SpvOpRayQueryProceedKHR: return "rayQueryProceed";
    case SpvOpHitObjectTraceRayNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_EXT: return "hitObjectTraceRay";
    case SpvOpHitObjectTraceRayMotionNV:
    case WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT: return "hitObjectTraceRayMotion";
    case SpvOpHitObjectExecuteShaderNV:
    case WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT: return "hitObjectExecuteShader";
    case WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT: return "hitObjectReorderExecuteShader";
    case WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT: return "hitObjectTraceReorderExecute";
    case WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT: return "hitObjectTraceMotionReorderExecute";
    case SpvOpReorderThreadWithHitObjectNV:
    case SpvOpReorderThreadWithHintNV:
    case WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT:
    case WS_OP_REORDER_THREAD_WITH_HINT_EXT: return "reorderThread";
    default: return NULL;
    }
}

static bool add(struct ws_catalog *catalog, struct ws_module_record *module, uint32_t *capacity,
                const struct ws_code *code, uint32_t instruction, uint32_t function)
{
    const struct ws_source_place *place = &code->places[instruction];
    struct ws_call_site_record *sites =
        ws_array_grow(module->call_sites, capacity, module->call_site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return false;
    module->call_sites = sites;
    struct ws_call_site_record *site = &sites[module->call_site_count++];
    *site = (struct ws_call_site_record){
        .offset = code->module.instructions[instruction].offset,
        .opcode = code->module.instructions[instruction].opcode,
        .function = function,
    };
    if (place->file == WS_NONE || place->line == 0)
        return true;
    site->line = place->line;
    site->file = ws_text_pool_add(&catalog->texts, code->files[place->file].name);
    return site->file != NULL;
}

bool ws_catalog_call_sites_add(struct ws_catalog *catalog, struct ws_module_record *module,
                               const struct ws_code *code)
{
    uint32_t capacity = 0;
    bool added = true;
    for (uint32_t i = 0; i < code->module.function_count; ++i) {
        const struct ws_function *function = &code->module.functions[i];
        for (uint32_t j = function->first; j < function->end && added; ++j)
            if (ws_call_word(code->module.instructions[j].opcode) != NULL)
                added = add(catalog, module, &capacity, code, j, function->id);
    }
    return added;
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* A call site, with what it is counted by. */
struct counted {
    const char *word;
    const char *file;
    uint32_t line;
    uint32_t place; /* in the entry's call sites */
};

/* By word, then by line, then in the order of the module. Files are texts of one pool: equal ones are one. */
static int compare_counted(const void *left, const void *right)
{
    const struct counted *a = left;
    const struct counted *b = right;
    const int words = strcmp(a->word, b->word);
    if (words != 0)
        return words;
    if (a->file != b->file)
        return (uintptr_t)a->file < (uintptr_t)b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Numbers [first, end) of the list, which are of one line. */
static void number_line(struct ws_entry_record *entry, const struct counted *list, uint32_t first,
                        uint32_t end)
{
    for (uint32_t i = first; i < end; ++i) {
        entry->call_sites[list[i].place].line_number = i - first + 1;
        entry->call_sites[list[i].place].line_count = end - first;
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct counted *a = left;
    const struct counted *b = right;
    const int words = strcmp(a->word, b->word);
    return words != 0 ? words : a->place < b->place ? -1 : a->place > b->place;
}

static void number(struct ws_entry_record *entry, struct counted *list)
{
    const uint32_t count = entry->call_site_count;
    qsort(list, count, sizeof(*list), compare_counted);
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        for (end = first + 1; end < count && list[end].word == list[first].word &&
                              list[end].file == list[first].file && list[end].line == list[first].line;)
            ++end;
        number_line(entry, list, first, end);
    }
    qsort(list, count, sizeof(*list), compare_places);
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        for (end = first + 1; end < count && list[end].word == list[first].word;)
            ++end;
        for (uint32_t i = first; i < end; ++i) {
            entry->call_sites[list[i].place].number = i - first + 1;
            entry->call_sites[list[i].place].count = end - first;
        }
    }
}

bool ws_catalog_call_sites_number(const struct ws_module_record *module, const struct ws_entry_info *info,
                                  struct ws_entry_record *entry)
{
    const uint32_t most = module->call_site_count;
    uint32_t *functions = malloc(info->function_count * sizeof(*functions) + 1);
    struct counted *list = calloc((size_t)most + 1, sizeof(*list));
    entry->call_sites = calloc((size_t)most + 1, sizeof(*entry->call_sites));
    const bool made = functions != NULL && list != NULL && entry->call_sites != NULL;
    if (made && info->function_count > 0)
        memcpy(functions, info->functions, info->function_count * sizeof(*functions));
    if (made)
        qsort(functions, info->function_count, sizeof(*functions), compare_ids);
    for (uint32_t i = 0; i < most && made; ++i) {
        const struct ws_call_site_record *site = &module->call_sites[i];
        if (bsearch(&site->function, functions, info->function_count, sizeof(*functions), compare_ids) ==
            NULL)
            continue;
        list[entry->call_site_count] =
            (struct counted){ws_call_word(site->opcode), site->file, site->line, entry->call_site_count};
        entry->call_sites[entry->call_site_count++].call_site = i;
    }
    if (made)
        number(entry, list);
    free(functions);
    free(list);
    return made;
}

bool ws_catalog_may_trace(const struct ws_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const struct ws_shader_record *shader = &catalog->shaders[i];
        const struct ws_module_record *module =
            shader->module < catalog->module_count ? &catalog->modules[shader->module] : NULL;
        const bool known = module != NULL && !module->unreadable && shader->entry < module->entry_count;
        if ((shader->stage & (WS_STAGE_RAYGEN | WS_STAGES_CALLED)) != 0 || !known ||
            module->entries[shader->entry].call_site_count > 0)
            return true;
    }
    return catalog->shader_count == 0;
}
