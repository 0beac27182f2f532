/* Instruments compiled shaders in several ways; each result must be valid.
 *
 *   stages SHADER.spv... */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <spirv-tools/libspirv.h>

#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "tests/golden/everywhere.h"

#define WORDS_MAX (1u << 20)

static bool validate(const uint32_t *words, size_t word_count, const char *path, const char *what)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_diagnostic diagnostic = NULL;
    const bool valid = spvValidateBinary(context, words, word_count, &diagnostic) == SPV_SUCCESS;
    if (!valid) {
        fprintf(stderr, "%s, %s:\n", path, what);
        spvDiagnosticPrint(diagnostic);
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return valid;
}

static bool check(const uint32_t *words, size_t word_count, const char *path, bool per_thread)
{
    const struct ws_pass *const passes[] = {
        ws_pass_find("simt_efficiency"),   &everywhere,
        ws_pass_find("execution_trace"),   ws_pass_find("divergence"),
        ws_pass_find("thread_compaction"), ws_pass_find("warp_entry_exit"),
        ws_pass_find("ray_events")};
    const struct ws_instrument_options options = {.subgroup_stages = per_thread ? UINT32_C(1) << 31 : 0};
    struct ws_error error = {0};
    struct ws_instrumented *result =
        ws_run_passes(words, word_count, passes, sizeof(passes) / sizeof(passes[0]), &options, &error);
    if (result == NULL || result->words == NULL) {
        fprintf(stderr, "%s: %s\n", path, result == NULL ? error.message : "nothing was instrumented");
        ws_instrumented_destroy(result);
        return false;
    }
    bool good = validate(result->words, result->word_count, path, per_thread ? "per thread" : "per warp");
    uint32_t entries = 0;
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct ws_site_info *site = &result->sites[i];
        const bool counts =
            site->kind == WS_SITE_BLOCK || site->kind == WS_SITE_LAUNCH || site->kind == WS_SITE_COUNT;
        good = good && site->row < (counts                       ? result->row_count
                                    : site->kind == WS_SITE_DATA ? WS_DATA_WORDS_MAX + 1
                                                                 : i + 1);
        entries += site->kind == WS_SITE_ENTRY;
    }
    good = good && entries == (per_thread ? 0 : result->entry_count);
    good = good && (result->skip_count == 0 || per_thread);
    if (!good) {
        fprintf(stderr, "%s: %u sites, %u rows, %u skips\n", path, result->site_count, result->row_count,
                result->skip_count);
    }
    ws_instrumented_destroy(result);
    return good;
}

/* A pass by itself: what it skips is no fault. */
static bool check_alone(const uint32_t *words, size_t word_count, const char *path, const char *name,
                        enum ws_clock clock)
{
    const struct ws_pass *const pass = ws_pass_find(name);
    const struct ws_instrument_options options = {.clock = clock};
    struct ws_error error = {0};
    struct ws_instrumented *result = ws_run_passes(words, word_count, &pass, 1, &options, &error);
    bool good =
        result != NULL && (result->words == NULL || validate(result->words, result->word_count, path, name));
    ws_instrumented_destroy(result);
    return good;
}

int main(int argc, char **argv)
{
    static uint32_t words[WORDS_MAX];
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        const size_t word_count = file == NULL ? 0 : fread(words, sizeof(*words), WORDS_MAX, file);
        if (file != NULL)
            fclose(file);
        good = validate(words, word_count, argv[i], "as compiled") &&
               check(words, word_count, argv[i], false) && check(words, word_count, argv[i], true) &&
               check_alone(words, word_count, argv[i], "memory_access", WS_CLOCK_NONE) &&
               check_alone(words, word_count, argv[i], "memory_trace", WS_CLOCK_NONE) &&
               check_alone(words, word_count, argv[i], "memory_check", WS_CLOCK_NONE) &&
               check_alone(words, word_count, argv[i], "payloads", WS_CLOCK_NONE) &&
               check_alone(words, word_count, argv[i], "warp_time", WS_CLOCK_DEVICE) &&
               check_alone(words, word_count, argv[i], "warp_time", WS_CLOCK_SUBGROUP) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
