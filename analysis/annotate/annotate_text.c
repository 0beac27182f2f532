/* The annotated shader as text: `warpscope annotate`. */
#include <inttypes.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/annotate_memory.h"
#include "analysis/annotate/annotate_yields.h"
#include "analysis/report/report.h"
#include "warpscope/base/text.h"
#include "warpscope/model/names.h"

/* Comments begin in this column, or behind the text if that is longer. */
#define COMMENT_COLUMN 64

/* The most comments behind one line. */
#define COMMENTS_MOST 4

struct printer {
    FILE *stream;
    const struct ws_probes *probes; /* NULL = none */
    struct ws_annotate_yields yields;
    const struct ws_groups *caches; /* NULL = none */
    struct ws_annotate_memory memory;
    uint32_t file; /* of the lines that come; WS_NONE = none */
    bool counted;  /* blocks were counted at all */
    bool failed;
};

static void print_gutter(const struct ws_annotate_figures *figures, FILE *stream)
{
    const struct ws_simt_counts *counts = &figures->counts;
    double value = 0;
    if (!figures->code) {
        fprintf(stream, "%12s  %7s |", "", "");
        return;
    }
    if (!figures->counted) {
        fprintf(stream, "%12s  %7s |", "not counted", "");
        return;
    }
    fprintf(stream, "%12" PRIu64 "  ", ws_simt_sum(counts->warps, counts->threads));
    if (ws_simt_efficiency(counts, &value) == WS_SIMT_SURE)
        fprintf(stream, "%5.1f %% |", 100 * value);
    else
        fprintf(stream, "%7s |", "-");
}

static void print_comment(const struct ws_simt_counts *counts, const struct ws_simt_histogram *histogram,
                          FILE *stream)
{
    char doubt_text[128];
    double value = 0;
    char bins[WS_HISTOGRAM_TEXT];
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    fprintf(stream, "  /* executions %" PRIu64, counts->warps + counts->threads);
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, "  %.1f %%", 100 * value);
    else if (doubt != WS_SIMT_NOTHING)
        fprintf(stream, "  %s", ws_simt_doubt_text(doubt, counts, doubt_text, sizeof(doubt_text)));
    ws_histogram_text(histogram, UINT32_MAX, bins, sizeof(bins));
    if (bins[0] != '\0')
        fprintf(stream, "  %s", bins);
    fputs(" */", stream);
}

static void print_comments(const struct ws_annotation *annotation, const struct ws_annotate_line *line,
                           FILE *stream)
{
    for (uint32_t i = 0; i < line->begin_count && i < COMMENTS_MOST; ++i) {
        const struct ws_annotate_figures figures = ws_annotate_block(annotation, line->begins[i]);
        struct ws_simt_counts counts;
        struct ws_simt_histogram histogram;
        if (!figures.counted)
            continue;
        ws_simt_block(annotation->results, annotation->shader, line->begins[i], &counts, &histogram);
        print_comment(&counts, &histogram, stream);
    }
    if (line->begin_count > COMMENTS_MOST)
        fputs("  /* ... */", stream);
}

/* "nan.born 12". */
static void print_yield(const struct printer *printer, const struct ws_annotate_yield *yield)
{
    const struct ws_probes_output *output = &printer->probes->outputs[yield->output];
    char words[256];
    ws_probes_tell(output, &yield->sums, words, sizeof(words));
    ws_text_print(printer->stream, ws_probes_name(printer->probes, output));
    fputc('.', printer->stream);
    ws_text_print(printer->stream, words);
}

/* What probes yielded on a line: "nan.born 12, nan.first 12 times", as a comment. */
static void print_yields(struct printer *printer, const struct ws_annotate_line *line)
{
    struct ws_annotate_yield yield;
    bool any = false;
    for (uint32_t at = 0; ws_annotate_yields_next(&printer->yields, printer->file, line, &at, &yield);
         any = true) {
        fputs(any ? ", " : "  /* ", printer->stream);
        print_yield(printer, &yield);
    }
    fputs(any ? " */" : "", printer->stream);
}

static void print_rate(FILE *stream, const char *name, uint64_t hits, uint64_t sectors)
{
    if (sectors > 0)
        fprintf(stream, ", %s %.1f %%", name, 100.0 * (double)hits / (double)sectors);
}

/* What caches made of accesses on a line: one comment for each kind and buffer. */
static void print_memory(const struct printer *printer, const struct ws_annotate_line *line)
{
    FILE *stream = printer->stream;
    struct ws_annotate_access access;
    for (uint32_t at = 0; ws_annotate_memory_next(&printer->memory, printer->file, line, &at, &access);) {
        const struct ws_caches_sums *sums = &access.sums;
        fprintf(stream, "  /* %s ", ws_access_kind_name(access.kind));
        ws_text_print(stream, access.buffer != NULL ? access.buffer : "?");
        fprintf(stream, ": requests %" PRIu64 ", sectors %.2f each", sums->requests,
                (double)sums->sectors / (double)sums->requests);
        print_rate(stream, "L1", sums->l1_hits, sums->l1_sectors);
        print_rate(stream, "L2", sums->l2_hits, sums->l2_sectors);
        fprintf(stream, ", bytes from memory %" PRIu64 " */", sums->memory_bytes);
    }
}

static bool has_memory(const struct printer *printer, const struct ws_annotate_line *line)
{
    struct ws_annotate_access access;
    uint32_t at = 0;
    return ws_annotate_memory_next(&printer->memory, printer->file, line, &at, &access);
}

/* Outputs per shader, which have no place. */
static void print_whole(const struct printer *printer, const struct ws_annotation *annotation)
{
    struct ws_annotate_yield yield;
    bool any = false;
    for (uint32_t at = 0; ws_annotate_yields_whole(&printer->yields, annotation, &at, &yield); any = true) {
        fputs(any ? ", " : "yields of the whole shader: ", printer->stream);
        print_yield(printer, &yield);
    }
    fputs(any ? "\n" : "", printer->stream);
}

static bool has_yields(struct printer *printer, const struct ws_annotate_line *line)
{
    struct ws_annotate_yield yield;
    uint32_t at = 0;
    return ws_annotate_yields_next(&printer->yields, printer->file, line, &at, &yield);
}

/* Executions and efficiency, the line's number and text, and behind it, for each of the blocks that begin in it, a comment
 * with executions, efficiency and active lanes, then what probes yielded, and what caches made of accesses. */
static void print_line(void *user, const struct ws_annotation *annotation,
                       const struct ws_annotate_line *line)
{
    struct printer *printer = user;
    FILE *stream = printer->stream;
    const bool yielded = has_yields(printer, line) || has_memory(printer, line);
    struct ws_annotate_figures figures = line->figures;
    char text[1024];
    snprintf(text, sizeof(text), "%.*s", (int)(line->length < sizeof(text) ? line->length : sizeof(text) - 1),
             line->text);
    ws_text_cut(text);
    figures.code = figures.code && printer->counted;
    print_gutter(&figures, stream);
    if (line->number > 0)
        fprintf(stream, text[0] != '\0' ? "%6" PRIu32 " " : "%6" PRIu32, line->number);
    fputs(text[0] != '\0' ? " " : "", stream);
    ws_text_print(stream, text);
    if (line->begin_count > 0 || yielded) {
        size_t width = ws_text_width(text);
        fprintf(stream, "%*s", (int)(width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 0), "");
        print_comments(annotation, line, stream);
        print_yields(printer, line);
        print_memory(printer, line);
    }
    fputc('\n', stream);
}

static void print_file(void *user, const struct ws_annotation *annotation, uint32_t file)
{
    struct printer *printer = user;
    FILE *stream = printer->stream;
    printer->file = file;
    fputc('\n', stream);
    if (file == WS_NONE && annotation->form == WS_ANNOTATE_GLSL)
        fputs("GLSL that SPIRV-Cross, a decompiler, made of the module's SPIR-V: it is not the shader's own "
              "text\n",
              stream);
    if (file == WS_NONE)
        return;
    fputs("file ", stream);
    ws_text_print(stream, annotation->code->files[file].name);
    fputs(annotation->code->files[file].text != NULL ? "\n" : " (the module does not hold its text)\n",
          stream);
}

static void print_head(void *user, const struct ws_annotation *annotation)
{
    struct printer *printer = user;
    FILE *stream = printer->stream;
    char name[256];
    double value = 0;
    const struct ws_catalog *catalog = annotation->catalog;
    const struct ws_shader_record *shader = &catalog->shaders[annotation->shader];
    printer->failed = !ws_annotate_yields_find(&printer->yields, printer->probes, annotation) ||
                      !ws_annotate_memory_find(&printer->memory, printer->caches, annotation);
    fprintf(stream, "shader %" PRIu32 ": ", shader->id);
    ws_text_print(stream, ws_shader_name(catalog, annotation->shader));
    fprintf(stream, ", %s, module %016" PRIx64 "\n", ws_stage_name(shader->stage),
            catalog->modules[shader->module].hash);
    if (shader->entry == WS_NONE) {
        fputs("not instrumented\n", stream);
        return;
    }
    print_whole(printer, annotation);
    if (annotation->results == NULL)
        return;
    const struct ws_simt_counts *counts = &annotation->results->shaders[annotation->shader].counts;
    fprintf(stream, "%" PRIu64 " execution%s", counts->warps + counts->threads,
            ws_plural(counts->warps + counts->threads, "s"));
    enum ws_simt_doubt doubt = ws_simt_efficiency(counts, &value);
    if (doubt == WS_SIMT_SURE)
        fprintf(stream, ", efficiency %.1f %%", 100 * value);
    else if (doubt != WS_SIMT_NOTHING)
        fprintf(stream, ", %s", ws_simt_doubt_text(doubt, counts, name, sizeof(name)));
    if (annotation->results->shaders[annotation->shader].row_sets != NULL)
        fputs(", estimated from the warps that counted (--sample), as are those of lines", stream);
    fputc('\n', stream);
}

static void print_end(void *user, const struct ws_annotation *annotation, enum ws_annotate_form form)
{
    const struct printer *printer = user;
    struct ws_annotate_yield yield;
    bool any = false;
    (void)annotation;
    (void)form;
    for (uint32_t at = 0; ws_annotate_yields_rest(&printer->yields, &at, &yield); any = true) {
        fputs(any ? ", " : "\nyields at places that have no line here: ", printer->stream);
        print_yield(printer, &yield);
    }
    fputs(any ? "\n" : "", printer->stream);
}

bool ws_annotate_text(const struct ws_annotate_figures_of *figures, uint32_t shader,
                      const uint32_t *module_words, uint32_t word_count, enum ws_annotate_form form,
                      FILE *stream, struct ws_error *error)
{
    static const struct ws_annotate_sink sink = {print_head, print_file, print_line, print_end};
    struct printer printer = {.stream = stream,
                              .probes = figures->probes,
                              .caches = figures->caches,
                              .file = WS_NONE,
                              .counted = figures->simt != NULL};
    const bool printed = ws_annotate_into(figures->catalog, figures->simt, shader, module_words, word_count,
                                          form, &sink, &printer, error);
    ws_annotate_yields_finish(&printer.yields);
    ws_annotate_memory_finish(&printer.memory);
    return printed &&
           (!printer.failed || ws_error_set(error, "no memory for what the lines of the shader came to"));
}

bool ws_annotate(const struct ws_simt_results *results, uint32_t shader, const uint32_t *module_words,
                 uint32_t word_count, enum ws_annotate_form form, FILE *stream, struct ws_error *error)
{
    const struct ws_annotate_figures_of figures = {.catalog = results->catalog, .simt = results};
    return ws_annotate_text(&figures, shader, module_words, word_count, form, stream, error);
}
