#include "analysis/viewer/shaders/modules.h"

#include <stdlib.h>
#include <string.h>

struct modules {
    struct ws_shader_words *words; /* parallel to the catalog's modules */
    uint32_t count;
};

static void destroy(void *data)
{
    struct modules *modules = data;
    for (uint32_t i = 0; modules->words != NULL && i < modules->count; ++i)
        free(modules->words[i].words);
    free(modules->words);
    free(modules);
}

static bool take(struct modules *modules, const struct ws_catalog *catalog,
                 const struct ws_chunk_module *module)
{
    const uint32_t index = ws_catalog_module(catalog, module->id);
    if (index >= modules->count || modules->words[index].words != NULL)
        return true;
    struct ws_shader_words *words = &modules->words[index];
    words->words = malloc(4 * (size_t)module->word_count + 1);
    if (words->words == NULL)
        return false;
    if (module->word_count > 0)
        memcpy(words->words, module->words, 4 * (size_t)module->word_count);
    words->count = module->word_count;
    return true;
}

/* False and `error` when there is no memory, or the capture cannot be read. */
static bool read_all(struct modules *modules, const struct ws_viewer_capture *capture, struct ws_error *error)
{
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(capture->report.path, error);
    enum ws_read_result result = WS_READ_ERROR;
    bool taken = true;
    if (reader != NULL)
        result = ws_reader_next(reader, &chunk, error);
    for (; taken && result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, error))
        if (chunk.type == WS_CHUNK_MODULE)
            taken = take(modules, &capture->report.catalog, &chunk.module);
    ws_reader_destroy(reader);
    if (!taken)
        return ws_error_set(error, "no memory for the modules of the capture");
    return result != WS_READ_ERROR;
}

const struct ws_shader_words *ws_viewer_modules(struct ws_viewer_capture *capture, struct ws_error *error)
{
    if (capture->parts[WS_VIEWER_PART_SHADERS].data != NULL)
        return ((const struct modules *)capture->parts[WS_VIEWER_PART_SHADERS].data)->words;
    struct modules *modules = calloc(1, sizeof(*modules));
    if (modules == NULL) {
        ws_error_set(error, "no memory for the modules of the capture");
        return NULL;
    }
    modules->count = capture->report.catalog.module_count;
    modules->words = calloc((size_t)modules->count + 1, sizeof(*modules->words));
    if (modules->words == NULL)
        ws_error_set(error, "no memory for the modules of the capture");
    if (modules->words == NULL || !read_all(modules, capture, error)) {
        destroy(modules);
        return NULL;
    }
    capture->parts[WS_VIEWER_PART_SHADERS].data = modules;
    capture->parts[WS_VIEWER_PART_SHADERS].destroy = destroy;
    return modules->words;
}
