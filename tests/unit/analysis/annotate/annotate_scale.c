/* Annotating takes time with the lines and blocks of a shader, not with their product: a module whose text
 * says
 * `#line 5` tens of thousands of times, and all of whose tens of thousands of blocks stand on line 5.
 * Squared, this takes minutes and runs into the time limit of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "analysis/annotate/annotate.h"
#include "analysis/annotate/report_simt.h"
#include "analysis/simt/simt_efficiency.h"
#include "layer/capture/capture_writer.h"
#include "warpscope/passes.h"

enum {
    BLOCKS = 20000,
    REPEATS = 7000, /* of the directive in one instruction, whose words are fewer than 65536 */
    TEXTS = 3,
    BINS = 4,
    ID_ENTRY = 1,
    ID_FILE,
    ID_VOID,
    ID_TYPE,
    ID_FIRST_LABEL,
};

static const char directive[] = "#line 5\n\n";

static uint32_t words[TEXTS * 20000 + BLOCKS * 8 + 100];
static uint32_t word_count;

static void put(uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    words[word_count++] = (count + 1) << SpvWordCountShift | opcode;
    for (uint32_t i = 0; i < count; i++)
        words[word_count++] = operands[i];
}

#define PUT(opcode, ...)                                                                                     \
    put(opcode, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* An instruction that ends with the text, as OpSource and OpSourceContinued do. */
static void put_text(uint32_t opcode, const uint32_t *operands, uint32_t count, const char *text)
{
    uint32_t text_words = (uint32_t)strlen(text) / 4 + 1;
    put(opcode, operands, count);
    words[word_count - count - 1] += text_words << SpvWordCountShift;
    memset(words + word_count, 0, text_words * sizeof(*words));
    memcpy(words + word_count, text, strlen(text));
    word_count += text_words;
}

static void put_module(struct ws_block_info *blocks)
{
    static char text[REPEATS * (sizeof(directive) - 1) + 1];
    for (uint32_t i = 0; i < REPEATS; ++i)
        strcpy(text + i * (sizeof(directive) - 1), directive);
    const uint32_t header[] = {SpvMagicNumber, 0x10000, 0, ID_FIRST_LABEL + BLOCKS, 0};
    memcpy(words, header, sizeof(header));
    word_count = 5;
    PUT(SpvOpCapability, SpvCapabilityShader);
    PUT(SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    put_text(SpvOpEntryPoint, (const uint32_t[]){SpvExecutionModelGLCompute, ID_ENTRY}, 2, "main");
    put_text(SpvOpString, (const uint32_t[]){ID_FILE}, 1, "long.comp");
    put_text(SpvOpSource, (const uint32_t[]){SpvSourceLanguageGLSL, 450, ID_FILE}, 3, text);
    for (uint32_t i = 1; i < TEXTS; ++i)
        put_text(SpvOpSourceContinued, NULL, 0, text);
    PUT(SpvOpTypeVoid, ID_VOID);
    PUT(SpvOpTypeFunction, ID_TYPE, ID_VOID);
    PUT(SpvOpFunction, ID_VOID, ID_ENTRY, 0, ID_TYPE);
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        blocks[i] = (struct ws_block_info){ID_FIRST_LABEL + i, word_count, 0, ID_ENTRY, 1};
        PUT(SpvOpLabel, ID_FIRST_LABEL + i);
        PUT(SpvOpLine, ID_FILE, 5, 0);
        if (i + 1 < BLOCKS)
            PUT(SpvOpBranch, ID_FIRST_LABEL + i + 1);
        else
            words[word_count++] = 1u << SpvWordCountShift | SpvOpReturn;
        blocks[i].length = word_count - blocks[i].offset;
    }
    words[word_count++] = 1u << SpvWordCountShift | SpvOpFunctionEnd;
}

static void write_capture(const char *path)
{
    static struct ws_block_info blocks[BLOCKS];
    static struct ws_site_info sites[BLOCKS];
    static uint32_t counters[BLOCKS * BINS];
    const uint32_t function = ID_ENTRY;
    put_module(blocks);
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        sites[i] = (struct ws_site_info){0, 0, WS_SITE_BLOCK, i, blocks[i].offset, i};
        counters[i * BINS] = i % 2 + 1;
    }
    const struct ws_entry_info entry = {"main", WS_STAGE_COMPUTE, ID_ENTRY, 0, BLOCKS, false, &function, 1};
    const struct ws_shader_counters shader = {1, 0, BLOCKS, BINS, counters};
    const struct ws_launch launch = {.kind = WS_LAUNCH_DISPATCH, .shaders = &shader, .shader_count = 1};
    struct ws_error error = {{0}};
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    assert_non_null(writer);
    assert_true(ws_capture_write_device(writer, &(struct ws_chunk_device){.bins = BINS}, &error));
    assert_true(ws_capture_write_module(
        writer, &(struct ws_chunk_module){.words = words, .word_count = word_count}, &error));
    assert_true(ws_capture_write_sites(
        writer,
        &(struct ws_chunk_sites){.row_count = BLOCKS,
                                 .passes = (const char *const[]){WS_PASS_SIMT_EFFICIENCY},
                                 .pass_count = 1,
                                 .entries = &entry,
                                 .entry_count = 1,
                                 .blocks = blocks,
                                 .block_count = BLOCKS,
                                 .sites = sites,
                                 .site_count = BLOCKS},
        &error));
    assert_true(ws_capture_write_shader(
        writer, &(struct ws_chunk_shader){.id = 1, .stage = WS_STAGE_COMPUTE, .name = "main"}, &error));
    assert_true(ws_capture_write_submission(
        writer, &(struct ws_chunk_submission){.launches = &launch, .launch_count = 1}, &error));
    ws_capture_writer_destroy(writer);
}

static void many_lines_and_blocks(void **state)
{
    (void)state;
    char path[] = "/tmp/warpscope-test-XXXXXX";
    struct ws_report report;
    struct ws_error error = {{0}};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_capture(path);
    if (!ws_report_read(&report, path, NULL, &error))
        fail_msg("%s", error.message);
    unlink(path);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!ws_annotate(ws_report_simt(&report), 0, words, word_count, WS_ANNOTATE_SOURCE, stream, &error))
        fail_msg("%s", error.message);
    fclose(stream);
    /* Blocks ran once or twice: two comments behind every line that has number 5, and the larger number
     * before. */
    uint32_t shown = 0;
    for (const char *at = text; (at = strstr(at, "           2        - |     5")) != NULL; ++at)
        ++shown;
    assert_int_equal(shown, REPEATS * TEXTS);
    assert_non_null(
        strstr(text, "/* executions 1  the subgroup size was not recorded  1:1 */  /* executions 2"));
    free(text);
    ws_report_finish(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_lines_and_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
