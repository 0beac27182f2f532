#include "analysis/annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"

/* Comments begin in this column of the text, where it leaves them room. */
#define COMMENT_COLUMN 64

/* Blocks named in comments behind one line, at most. */
#define COMMENTS_MOST 4

static const struct ws_module_record *module_of(const struct ws_annotation *annotation)
{
    const struct ws_catalog *catalog = annotation->results->catalog;
    return &catalog->modules[catalog->shaders[annotation->shader].module];
}

uint64_t ws_annotate_executions(const struct ws_annotation *annotation, uint32_t block)
{
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    ws_simt_block(annotation->results, annotation->shader, block, &counts, &histogram);
    return counts.warps + counts.threads;
}

static void print_gutter(const struct ws_annotation *annotation, uint32_t block, FILE *stream)
{
    struct ws_simt_counts counts;
    struct ws_simt_histogram histogram;
    double value = 0;
    if (block == WS_NONE) {
        fprintf(stream, "%12s  %7s |", "", "");
        return;
    }
    if (module_of(annotation)->blocks[block].row == WS_NONE) {
        fprintf(stream, "%12s  %7s |", "not counted", "");
        return;
    }
    ws_simt_block(annotation->results, annotation->shader, block, &counts, &histogram);
    fprintf(stream, "%12" PRIu64 "  ", counts.warps + counts.threads);
    if (ws_simt_efficiency(&counts, &value) == WS_SIMT_SURE)
        fprintf(stream, "%5.1f %% |", 100 * value);
    else
        fprintf(stream, "%7s |", "-");
}

static void print_comment(const struct ws_simt_counts *counts, const struct ws_simt_histogram *histogram,
                          FILE *stream)
{
    char doubt_text[128];
    double value = 0;
    char *bins = ws_histogram_text(histogram);
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    fprintf(stream, "  /* executions %" PRIu64, counts->warps + counts->threads);
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, "  %.1f %%", 100 * value);
    else if (doubt != WS_SIMT_NOTHING)
        fprintf(stream, "  %s", ws_simt_doubt_text(doubt, counts, doubt_text, sizeof(doubt_text)));
    if (bins != NULL && bins[0] != '\0')
        fprintf(stream, "  %s", bins);
    fputs(" */", stream);
    free(bins);
}

bool ws_annotate_same(const struct ws_annotation *annotation, uint32_t left, uint32_t right)
{
    const struct ws_block_record *blocks = module_of(annotation)->blocks;
    struct ws_simt_counts a, b;
    struct ws_simt_histogram histogram_a, histogram_b;
    if (blocks[left].row == blocks[right].row)
        return true;
    ws_simt_block(annotation->results, annotation->shader, left, &a, &histogram_a);
    ws_simt_block(annotation->results, annotation->shader, right, &b, &histogram_b);
    if (a.warps != b.warps || a.threads != b.threads || a.active != b.active)
        return false;
    return histogram_a.bins == histogram_b.bins &&
           (histogram_a.bins == 0 || memcmp(histogram_a.counts, histogram_b.counts,
                                            histogram_a.bins * sizeof(*histogram_a.counts)) == 0);
}

uint32_t ws_annotate_distinct(const struct ws_annotation *annotation, uint32_t *blocks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && kept <= COMMENTS_MOST; ++i) {
        bool known = module_of(annotation)->blocks[blocks[i]].row == WS_NONE;
        for (uint32_t j = 0; j < kept && !known; ++j)
            known = ws_annotate_same(annotation, blocks[j], blocks[i]);
        if (!known)
            blocks[kept++] = blocks[i];
    }
    return kept;
}

static void print_comments(const struct ws_annotation *annotation, const uint32_t *begins,
                           uint32_t begin_count, FILE *stream)
{
    for (uint32_t i = 0; i < begin_count && i < COMMENTS_MOST; ++i) {
        struct ws_simt_counts counts;
        struct ws_simt_histogram histogram;
        if (module_of(annotation)->blocks[begins[i]].row == WS_NONE)
            continue;
        ws_simt_block(annotation->results, annotation->shader, begins[i], &counts, &histogram);
        print_comment(&counts, &histogram, stream);
    }
    if (begin_count > COMMENTS_MOST)
        fputs("  /* ... */", stream);
}

void ws_annotate_line(const struct ws_annotation *annotation, uint32_t block, uint32_t number,
                      const char *text, size_t length, const uint32_t *begins, uint32_t begin_count,
                      FILE *stream)
{
    char line[1024];
    snprintf(line, sizeof(line), "%.*s", (int)(length < sizeof(line) ? length : sizeof(line) - 1), text);
    ws_text_cut(line);
    print_gutter(annotation, block, stream);
    if (number > 0)
        fprintf(stream, line[0] != '\0' ? "%6" PRIu32 " " : "%6" PRIu32, number);
    fputs(line[0] != '\0' ? " " : "", stream);
    ws_text_print(stream, line);
    if (begin_count > 0) {
        size_t width = ws_text_width(line);
        fprintf(stream, "%*s", (int)(width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 0), "");
        print_comments(annotation, begins, begin_count, stream);
    }
    fputc('\n', stream);
}

/* Maps every instruction to its block. */
static bool map_blocks(struct ws_annotation *annotation)
{
    const struct ws_catalog *catalog = annotation->results->catalog;
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, annotation->shader);
    uint32_t count = annotation->code->module.instruction_count;
    annotation->block_of = malloc(((size_t)count + 1) * sizeof(*annotation->block_of));
    if (annotation->block_of == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        annotation->block_of[i] = WS_NONE;
    for (uint32_t i = 0; entry != NULL && i < entry->block_count; ++i) {
        const struct ws_block_info *block = &module_of(annotation)->blocks[entry->blocks[i]].info;
        uint32_t first = 0;
        uint32_t end = 0;
        ws_code_range(annotation->code, block->offset, block->length, &first, &end);
        for (uint32_t j = first; j < end; ++j)
            annotation->block_of[j] = entry->blocks[i];
    }
    return true;
}

static void print_head(const struct ws_annotation *annotation, FILE *stream)
{
    char name[256];
    double value = 0;
    const struct ws_catalog *catalog = annotation->results->catalog;
    const struct ws_shader_record *shader = &catalog->shaders[annotation->shader];
    const struct ws_simt_counts *counts = &annotation->results->shaders[annotation->shader].group.counts;
    ws_catalog_shader_name(catalog, annotation->shader, name, sizeof(name));
    fprintf(stream, "shader %" PRIu32 ": ", shader->id);
    ws_text_print(stream, name);
    fprintf(stream, ", %s, module %016" PRIx64 "\n", ws_stage_name(shader->stage),
            module_of(annotation)->hash);
    if (shader->entry == WS_NONE) {
        fputs("not instrumented\n", stream);
        return;
    }
    fprintf(stream, "%" PRIu64 " executions", counts->warps + counts->threads);
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, ", efficiency %.1f %%", 100 * value);
    else if (doubt != WS_SIMT_NOTHING)
        fprintf(stream, ", %s", ws_simt_doubt_text(doubt, counts, name, sizeof(name)));
    fputc('\n', stream);
}

static bool print_form(const struct ws_annotation *annotation, enum ws_annotate_form form, FILE *stream,
                       struct ws_error *error)
{
    switch (form) {
    case WS_ANNOTATE_SOURCE: return ws_annotate_source(annotation, stream, error);
    case WS_ANNOTATE_GLSL: return ws_annotate_glsl(annotation, stream, error);
    default: return ws_annotate_spirv(annotation, stream, error);
    }
}

bool ws_annotate(const struct ws_simt_results *results, uint32_t shader, const uint32_t *module_words,
                 uint32_t word_count, enum ws_annotate_form form, FILE *stream, struct ws_error *error)
{
    struct ws_annotation annotation = {
        .results = results, .shader = shader, .words = module_words, .word_count = word_count};
    bool printed = false;
    struct ws_code *code = ws_code_create(module_words, word_count, error);
    annotation.code = code;
    if (code == NULL)
        return false;
    if (!map_blocks(&annotation)) {
        ws_error_set(error, "no memory");
        goto error;
    }
    print_head(&annotation, stream);
    if (form != WS_ANNOTATE_BEST)
        printed = print_form(&annotation, form, stream, error);
    for (int each = WS_ANNOTATE_SOURCE; form == WS_ANNOTATE_BEST && !printed && each <= WS_ANNOTATE_SPIRV;
         ++each) {
        struct ws_error unused = {{0}};
        printed = print_form(&annotation, (enum ws_annotate_form)each, stream,
                             each == WS_ANNOTATE_SPIRV ? error : &unused);
    }
error:
    free(annotation.block_of);
    ws_code_destroy(code);
    return printed;
}
