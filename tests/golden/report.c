/* A capture in, its reports out: text, JSON, CSV and the annotated source as text and JSON, each held against what was
 * expected.
 *
 *   report HALF.spvasm TEXT JSON CSV ANNOTATED LINES            compare
 *   report --write HALF.spvasm TEXT JSON CSV ANNOTATED LINES    write the expectations anew
 *
 * The shader doubles every other value: half the lanes of each warp take either branch. 128 threads in warps
 * of 8 run it twice over, and so, per run, with executions x active lanes and instructions of each block:
 *   head  16 x 8, 7    then  16 x 4, 7    twice()  16 x 4, 3    else  16 x 4, 4    end  16 x 8, 1
 * Efficiency is 448 / 640 = 70.0 %, weighted 1920 / 2816 = 68.2 %. In the second run the last warp is of 4
 * lanes only, and so 2 lanes in the branches: 888 / 1280 = 69.4 %, weighted 3806 / 5632 = 67.6 %, lost to
 * partial warps 4 / 256 = 1.6 %.
 *
 * Of the second run and the first, line 12 has 3 instructions of the head: 3 x (31 x 8 + 4) = 756 thread executions. Line 13
 * has the other 4: 1008. Line 14 has all 7 of `then`: 7 x (31 x 4 + 2) = 882, line 7 the 3 of twice(): 378, line 16 the 4 of
 * `else`: 504. With the OpReturn, which has no line, 252 times, these are all 3780. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/simt/simt_efficiency.h"
#include "layer/capture/capture_writer.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/output/json.h"

enum { BINS = 8, LABEL_HEAD = 6, LABEL_THEN = 30, LABEL_ELSE = 44, LABEL_TWICE = 12 };

static void stop(const char *what, const struct ws_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error != NULL ? error->message : "");
    exit(1);
}

/* The rows of one run; the last warp has 4 lanes when `partial`. */
static uint32_t *count(const struct ws_instrumented *instrumented, bool partial)
{
    uint32_t *rows = calloc((size_t)instrumented->row_count * BINS, sizeof(*rows));
    if (rows == NULL)
        stop("no memory", NULL);
    for (uint32_t i = 0; i < instrumented->site_count; ++i) {
        const struct ws_site_info *site = &instrumented->sites[i];
        uint32_t *row = rows + (size_t)site->row * BINS;
        uint32_t label = instrumented->blocks[site->block].label;
        uint32_t lanes = label == LABEL_HEAD ? 8 : 4;
        if (site->kind == WS_SITE_LAUNCH) {
            row[0] = 8;
            row[1] = 2;
            row[2] = 1;
            row[3] = 1;
        } else if (label == LABEL_HEAD || label == LABEL_THEN || label == LABEL_ELSE ||
                   label == LABEL_TWICE) {
            row[lanes - 1] = partial ? 15 : 16;
            row[lanes / 2 - 1] = partial ? 1 : 0;
        }
    }
    return rows;
}

static bool write_head(struct ws_capture_writer *writer, const uint32_t *words, size_t word_count,
                       const struct ws_instrumented *instrumented, struct ws_error *error)
{
    const char *arguments[] = {"./half", "two words"};
    const char *passes[] = {"simt_efficiency"};
    const uint32_t shaders[] = {3};
    const struct ws_chunk_info info = {.version = "0.1.0",
                                       .application = "half",
                                       .arguments = arguments,
                                       .argument_count = 2,
                                       .process_id = 7,
                                       .start = UINT64_C(1700000000000000000),
                                       .passes = passes,
                                       .pass_count = 1};
    const struct ws_chunk_device device = {.id = 0,
                                           .name = "device",
                                           .driver_name = "driver",
                                           .driver_info = "1.0",
                                           .api_version = 1u << 22 | 3u << 12 | 7,
                                           .subgroup_size = 8,
                                           .subgroup_size_min = 4,
                                           .subgroup_size_max = 8,
                                           .bins = BINS,
                                           .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_module module = {
        .id = 2, .hash = 0xabcdef, .words = words, .word_count = (uint32_t)word_count};
    const struct ws_chunk_sites sites = {.module = 2,
                                         .row_count = instrumented->row_count,
                                         .passes = passes,
                                         .pass_count = 1,
                                         .entries = instrumented->entries,
                                         .entry_count = instrumented->entry_count,
                                         .blocks = instrumented->blocks,
                                         .block_count = instrumented->block_count,
                                         .sites = instrumented->sites,
                                         .site_count = instrumented->site_count};
    const struct ws_chunk_shader shader = {.id = 3, .module = 2, .stage = WS_STAGE_COMPUTE, .name = "main"};
    const struct ws_chunk_pipeline pipeline = {
        .id = 4, .kind = WS_PIPELINE_COMPUTE, .shaders = shaders, .shader_count = 1};
    const struct ws_chunk_name name = {WS_NAME_PIPELINE, 4, "halve, \"then\" double"};
    return ws_capture_write_info(writer, &info, error) && ws_capture_write_device(writer, &device, error) &&
           ws_capture_write_module(writer, &module, error) && ws_capture_write_sites(writer, &sites, error) &&
           ws_capture_write_shader(writer, &shader, error) &&
           ws_capture_write_pipeline(writer, &pipeline, error) && ws_capture_write_name(writer, &name, error);
}

static bool write_run(struct ws_capture_writer *writer, const struct ws_instrumented *instrumented,
                      uint64_t index, struct ws_error *error)
{
    const uint32_t pipeline = 4;
    uint32_t *rows = count(instrumented, index == 1);
    const struct ws_shader_counters counters = {3, 0, instrumented->row_count, BINS, rows};
    const struct ws_launch launch = {.index = index,
                                     .kind = WS_LAUNCH_DISPATCH,
                                     .flags = index == 1 ? WS_LAUNCH_INDIRECT : 0,
                                     .label = index == 0 ? "first" : "second \x1b[31m\xc2\x9b\x7f",
                                     .pipelines = &pipeline,
                                     .pipeline_count = 1,
                                     .shaders = &counters,
                                     .shader_count = 1};
    const struct ws_chunk_submission submission = {.index = index,
                                                   .frame = index,
                                                   .flags = index == 1 ? WS_SUBMISSION_OVERLAPPED : 0,
                                                   .launches = &launch,
                                                   .launch_count = 1};
    bool written = ws_capture_write_submission(writer, &submission, error);
    free(rows);
    return written;
}

static bool write_foot(struct ws_capture_writer *writer, struct ws_error *error)
{
    const struct ws_chunk_skip site = {WS_SKIP_SITE, 2, 0, 100, 2, "site limit reached"};
    const struct ws_chunk_skip shader = {WS_SKIP_SHADER, WS_NONE, WS_NONE, WS_NONE, 1, "no SPIR-V was given"};
    const struct ws_chunk_message message = {WS_WARNING, "something was odd"};
    const struct ws_chunk_done done = {2, 2, 2, 5};
    return ws_capture_write_skip(writer, &site, error) && ws_capture_write_skip(writer, &site, error) &&
           ws_capture_write_skip(writer, &shader, error) &&
           ws_capture_write_message(writer, &message, error) &&
           ws_capture_write_message(writer, &message, error) && ws_capture_write_done(writer, &done, error);
}

static void write_capture(const char *path, const uint32_t *words, size_t word_count)
{
    static const char *const passes[] = {"simt_efficiency"};
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 1};
    struct ws_error error = {{0}};
    struct ws_instrumented *instrumented = ws_instrument(words, word_count, &options, &error);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    if (instrumented == NULL || writer == NULL ||
        !write_head(writer, words, word_count, instrumented, &error) ||
        !write_run(writer, instrumented, 0, &error) || !write_run(writer, instrumented, 1, &error) ||
        !write_foot(writer, &error))
        stop("the capture", &error);
    ws_capture_writer_destroy(writer);
    ws_instrumented_destroy(instrumented);
}

static void read_capture(struct ws_report *report, const uint32_t *words, size_t word_count)
{
    char path[] = "/tmp/warpscope-test-XXXXXX";
    struct ws_error error = {{0}};
    int file = mkstemp(path);
    if (file < 0)
        stop("a temporary file", NULL);
    close(file);
    write_capture(path, words, word_count);
    if (!ws_report_read(report, path, NULL, &error))
        stop("reading", &error);
    report->path = "half.wscope";
    unlink(path);
}

/* One of the four outputs. */
static bool print_lines(const struct ws_report *report, const uint32_t *words, size_t word_count,
                        FILE *stream, struct ws_error *error)
{
    const struct ws_annotate_figures_of figures = {
        .catalog = &report->catalog,
        .simt = ws_report_simt(report),
    };
    struct ws_json json;
    ws_json_begin(&json, stream);
    const bool written =
        ws_annotate_json(&figures, 0, words, (uint32_t)word_count, WS_ANNOTATE_BEST, false, &json, error);
    return ws_json_end(&json) && written;
}

static void print(const struct ws_report *report, int which, const uint32_t *words, size_t word_count,
                  FILE *stream)
{
    struct ws_error error = {{0}};
    bool printed = false;
    switch (which) {
    case 0: printed = ws_report_text(report, stream); break;
    case 1: printed = ws_report_json(report, stream); break;
    case 2: printed = ws_report_csv(report, stream); break;
    case 3:
        printed = ws_annotate(ws_report_simt(report), 0, words, (uint32_t)word_count, WS_ANNOTATE_BEST,
                              stream, &error);
        break;
    default: printed = print_lines(report, words, word_count, stream, &error); break;
    }
    if (!printed)
        stop("printing", &error);
}

/* Whether the file holds just this text. */
static bool matches(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *expected = calloc(1, size + 2);
    if (file == NULL || expected == NULL)
        stop(path, NULL);
    size_t read = fread(expected, 1, size + 1, file);
    bool same = read == size && memcmp(expected, text, size) == 0;
    fclose(file);
    free(expected);
    return same;
}

/* SPIRV-Cross and SPIRV-Tools may word their texts differently from version to version; what is ours in them
 * may not change. */
static void check_forms(const struct ws_report *report, const uint32_t *words, size_t word_count)
{
    static const enum ws_annotate_form forms[] = {WS_ANNOTATE_GLSL, WS_ANNOTATE_SPIRV};
    for (int i = 0; i < 2; ++i) {
        struct ws_error error = {{0}};
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (stream == NULL ||
            !ws_annotate(ws_report_simt(report), 0, words, (uint32_t)word_count, forms[i], stream, &error))
            stop("annotating", &error);
        fclose(stream);
        if (strstr(text, "/* executions 32  98.4 %  8:31 4:1 */") == NULL ||
            strstr(text, "/* executions 32  49.2 %  4:31 2:1 */") == NULL) {
            fputs(text, stderr);
            stop("the annotated shader lacks its numbers", NULL);
        }
        free(text);
    }
}

/* A shader that was not instrumented is shown all the same, without numbers. */
static void check_left_alone(const uint32_t *words, size_t word_count)
{
    static const char *const passes[] = {"simt_efficiency"};
    const struct ws_chunk_info info = {.version = "0.1.0", .passes = passes, .pass_count = 1};
    const struct ws_chunk_device device = {.subgroup_size = 8, .bins = BINS};
    const struct ws_chunk_module module = {.words = words, .word_count = (uint32_t)word_count};
    const struct ws_chunk_shader shader = {.entry = WS_NONE, .stage = WS_STAGE_COMPUTE, .name = "main"};
    char path[] = "/tmp/warpscope-test-XXXXXX";
    struct ws_error error = {{0}};
    struct ws_report report;
    char *text = NULL;
    size_t size = 0;
    int file = mkstemp(path);
    FILE *stream = open_memstream(&text, &size);
    struct ws_capture_writer *writer = file < 0 ? NULL : ws_capture_writer_create(path, &error);
    if (stream == NULL || writer == NULL || !ws_capture_write_info(writer, &info, &error) ||
        !ws_capture_write_device(writer, &device, &error) ||
        !ws_capture_write_module(writer, &module, &error) ||
        !ws_capture_write_shader(writer, &shader, &error))
        stop("the capture", &error);
    ws_capture_writer_destroy(writer);
    close(file);
    if (!ws_report_read(&report, path, NULL, &error) ||
        !ws_annotate(ws_report_simt(&report), 0, words, (uint32_t)word_count, WS_ANNOTATE_SOURCE, stream,
                     &error))
        stop("a shader that was left alone", &error);
    unlink(path);
    fclose(stream);
    if (strstr(text, "not instrumented") == NULL || strstr(text, "void main()") == NULL)
        stop("a shader that was left alone lacks its source", NULL);
    free(text);
    ws_report_finish(&report);
}

int main(int argument_count, char **arguments)
{
    bool write = argument_count > 1 && strcmp(arguments[1], "--write") == 0;
    char **files = arguments + (write ? 2 : 1);
    int failed = 0;
    size_t word_count = 0;
    struct ws_report report;
    if (argument_count != (write ? 8 : 7)) {
        fprintf(stderr, "usage: %s [--write] HALF.spvasm TEXT JSON CSV ANNOTATED LINES\n", arguments[0]);
        return 2;
    }
    size_t source_size = 0;
    FILE *source = fopen(files[0], "rb");
    static char assembly[1 << 16];
    if (source == NULL || (source_size = fread(assembly, 1, sizeof(assembly) - 1, source)) == 0)
        stop(files[0], NULL);
    fclose(source);
    uint32_t *words = assembly_read(assembly, 0x00010000, &word_count);
    read_capture(&report, words, word_count);
    for (int i = 0; i < 5; ++i) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = write ? fopen(files[1 + i], "wb") : open_memstream(&text, &size);
        if (stream == NULL)
            stop(files[1 + i], NULL);
        print(&report, i, words, word_count, stream);
        fclose(stream);
        if (!write && !matches(files[1 + i], text, size)) {
            fprintf(stderr, "%s differs; what came is:\n%s\n", files[1 + i], text);
            failed = 1;
        }
        free(text);
    }
    check_forms(&report, words, word_count);
    check_left_alone(words, word_count);
    ws_report_finish(&report);
    free(words);
    return failed;
}
