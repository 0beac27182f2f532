#include "analysis/diff/sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "warpscope/base/array.h"
#include "warpscope/model/names.h"
#include "warpscope/spirv/code.h"

/* Words of the modules of one capture that are asked for. */
struct modules {
    bool *wanted; /* by the catalog's modules */
    uint32_t **words;
    uint32_t *word_count;
    uint32_t count;
};

static bool modules_init(struct modules *modules, uint32_t count)
{
    *modules = (struct modules){.count = count};
    modules->wanted = calloc((size_t)count + 1, sizeof(*modules->wanted));
    modules->words = calloc((size_t)count + 1, sizeof(*modules->words));
    modules->word_count = calloc((size_t)count + 1, sizeof(*modules->word_count));
    return modules->wanted != NULL && modules->words != NULL && modules->word_count != NULL;
}

static void modules_finish(struct modules *modules)
{
    for (uint32_t i = 0; modules->words != NULL && i < modules->count; ++i)
        free(modules->words[i]);
    free(modules->wanted);
    free(modules->words);
    free(modules->word_count);
}

static bool take_module(struct modules *modules, const struct ws_catalog *catalog,
                        const struct ws_chunk_module *module)
{
    const uint32_t index = ws_catalog_module(catalog, module->id);
    if (index >= modules->count || !modules->wanted[index] || modules->words[index] != NULL)
        return true;
    modules->words[index] = malloc(4 * (size_t)module->word_count + 1);
    if (modules->words[index] == NULL)
        return false;
    if (module->word_count > 0)
        memcpy(modules->words[index], module->words, 4 * (size_t)module->word_count);
    modules->word_count[index] = module->word_count;
    return true;
}

/* False when there is no memory. */
static bool read_modules(struct modules *modules, const struct ws_report *report)
{
    struct ws_error unread = {{0}};
    struct ws_chunk chunk;
    bool taken = true;
    struct ws_reader *reader = ws_reader_open(report->path, &unread);
    while (reader != NULL && taken && ws_reader_next(reader, &chunk, &unread) == WS_READ_CHUNK)
        if (chunk.type == WS_CHUNK_MODULE)
            taken = take_module(modules, &report->catalog, &chunk.module);
    ws_reader_destroy(reader);
    return taken;
}

static const struct ws_source_file *find_file(const struct ws_code *code, const char *name)
{
    for (uint32_t i = 0; i < code->file_count; ++i)
        if (code->files[i].text != NULL && strcmp(code->files[i].name, name) == 0)
            return &code->files[i];
    return NULL;
}

static bool add_source(struct ws_diff_sources *sources, const uint32_t module[WS_DIFF_SIDES],
                       const struct ws_source_file *a, const struct ws_source_file *b)
{
    struct ws_diff_source *grown =
        ws_array_grow(sources->sources, &sources->capacity, sources->count + 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    sources->sources = grown;
    struct ws_diff_source *source = &grown[sources->count++];
    *source = (struct ws_diff_source){.module = {module[0], module[1]},
                                      .name = strdup(ws_file_name(a->name)),
                                      .text = {strdup(a->text), strdup(b->text)}};
    return source->name != NULL && source->text[0] != NULL && source->text[1] != NULL &&
           ws_diff_lines_init(&source->lines, source->text[0], source->text[1]);
}

static bool add_files(struct ws_diff_sources *sources, const uint32_t module[WS_DIFF_SIDES],
                      const struct modules modules[WS_DIFF_SIDES])
{
    struct ws_code *code[WS_DIFF_SIDES] = {NULL, NULL};
    struct ws_error unread = {{0}};
    bool added = true;
    for (uint32_t side = 0; side < WS_DIFF_SIDES; ++side)
        if (modules[side].words[module[side]] != NULL)
            code[side] = ws_code_create(modules[side].words[module[side]],
                                        modules[side].word_count[module[side]], &unread);
    for (uint32_t i = 0; added && code[0] != NULL && code[1] != NULL && i < code[0]->file_count; ++i) {
        const struct ws_source_file *file = &code[0]->files[i];
        const struct ws_source_file *other = file->text != NULL ? find_file(code[1], file->name) : NULL;
        if (other != NULL && strcmp(file->text, other->text) != 0 &&
            ws_diff_source_find(sources, 0, module[0], ws_file_name(file->name),
                                strlen(ws_file_name(file->name))) == NULL)
            added = add_source(sources, module, file, other);
    }
    ws_code_destroy(code[0]);
    ws_code_destroy(code[1]);
    return added;
}

/* The modules of shader `index` of A and its counterpart. False where there is none, or it has the same code. */
static bool find_modules(const struct ws_diff_match *match,
                         const struct ws_report *const reports[WS_DIFF_SIDES], uint32_t index,
                         uint32_t module[WS_DIFF_SIDES])
{
    const uint32_t other = match->shaders.other[0][index];
    if (other == WS_NONE || ws_diff_same_code(match, reports, 0, index))
        return false;
    module[0] = reports[0]->catalog.shaders[index].module;
    module[1] = reports[1]->catalog.shaders[other].module;
    return reports[0]->catalog.modules[module[0]].hash != reports[1]->catalog.modules[module[1]].hash;
}

bool ws_diff_sources_init(struct ws_diff_sources *sources, const struct ws_diff_match *match,
                          const struct ws_report *const reports[WS_DIFF_SIDES])
{
    struct modules modules[WS_DIFF_SIDES] = {{.count = 0}, {.count = 0}};
    uint32_t module[WS_DIFF_SIDES];
    bool wanted = false;
    bool made = true;
    *sources = (struct ws_diff_sources){.count = 0};
    for (uint32_t side = 0; made && side < WS_DIFF_SIDES; ++side)
        made = modules_init(&modules[side], reports[side]->catalog.module_count);
    for (uint32_t i = 0; made && i < match->shaders.count[0]; ++i)
        if (find_modules(match, reports, i, module)) {
            modules[0].wanted[module[0]] = true;
            modules[1].wanted[module[1]] = true;
            wanted = true;
        }
    for (uint32_t side = 0; made && wanted && side < WS_DIFF_SIDES; ++side)
        made = read_modules(&modules[side], reports[side]);
    for (uint32_t i = 0; made && wanted && i < match->shaders.count[0]; ++i)
        if (find_modules(match, reports, i, module) && modules[0].wanted[module[0]]) {
            modules[0].wanted[module[0]] = false; /* once, with its first counterpart */
            made = add_files(sources, module, modules);
        }
    modules_finish(&modules[0]);
    modules_finish(&modules[1]);
    return made;
}

void ws_diff_sources_finish(struct ws_diff_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; ++i) {
        ws_diff_lines_finish(&sources->sources[i].lines);
        free(sources->sources[i].name);
        free(sources->sources[i].text[0]);
        free(sources->sources[i].text[1]);
    }
    free(sources->sources);
    *sources = (struct ws_diff_sources){.count = 0};
}

const struct ws_diff_source *ws_diff_source_find(const struct ws_diff_sources *sources, uint32_t side,
                                                 uint32_t module, const char *name, size_t length)
{
    for (uint32_t i = 0; i < sources->count; ++i)
        if (sources->sources[i].module[side] == module && strlen(sources->sources[i].name) == length &&
            memcmp(sources->sources[i].name, name, length) == 0)
            return &sources->sources[i];
    return NULL;
}

/* The line of A that is the first, or with `step` -1 the last, of the lines `from` .. `to` of B; 0 where A has none. */
static uint32_t find_line(const struct ws_diff_lines *lines, uint32_t from, uint32_t to, int step)
{
    const uint32_t count = lines->join.count[1];
    for (uint32_t i = step > 0 ? from : to; i >= from && i <= to && i > 0 && i <= count;
         i += step > 0 ? 1u : UINT32_MAX)
        if (lines->join.other[1][i - 1] != WS_NONE)
            return lines->join.other[1][i - 1] + 1;
    return 0;
}

void ws_diff_source_place(const struct ws_diff_sources *sources, uint32_t module, const char *place,
                          char *text, size_t size)
{
    const char *colon = strrchr(place, ':');
    uint32_t from = 0;
    uint32_t to = 0;
    int read = 0;
    int read_to = 0;
    snprintf(text, size, "%s", place);
    if (colon == NULL || sscanf(colon, ":%9" SCNu32 "%n-%9" SCNu32 "%n", &from, &read, &to, &read_to) < 1 ||
        colon[read_to > 0 ? read_to : read] != '\0')
        return;
    const struct ws_diff_source *source =
        ws_diff_source_find(sources, 1, module, place, (size_t)(colon - place));
    if (source == NULL)
        return;
    to = read_to > 0 ? to : from;
    const uint32_t first = find_line(&source->lines, from, to, 1);
    const uint32_t last = find_line(&source->lines, from, to, -1);
    if (first == 0)
        snprintf(text, size, "%s of B", place);
    else if (read_to > 0)
        snprintf(text, size, "%s:%" PRIu32 "-%" PRIu32, source->name, first, last);
    else
        snprintf(text, size, "%s:%" PRIu32, source->name, first);
}
