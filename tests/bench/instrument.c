/* How fast modules are instrumented: `bench_instrument PASSES FILE...`, where PASSES is a list with commas, or "all".
 *
 * The files are SPIR-V modules, of whichever program. Each is instrumented and, for comparison, validated by SPIRV-Tools,
 * which reads the whole module too. Prints megabytes (10^6 bytes of the modules), the seconds of CPU time of instrumenting
 * and of validating, and megabytes of what was made; files that are no module are left out. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "passes/spirv/spirv_tools.h"
#include "warpscope/instrument.h"

enum { PASSES_MAX = 16 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The words of a file, to be freed; NULL where it cannot be read. */
static uint32_t *read_words(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    uint32_t *words = NULL;
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 4) {
        *count = (size_t)ftell(file) / 4;
        words = malloc(*count * 4);
        rewind(file);
    }
    if (words != NULL && fread(words, 4, *count, file) != *count) {
        free(words);
        words = NULL;
    }
    fclose(file);
    return words;
}

/* The names that `list` stands for; 0 where one is unknown. */
static size_t choose(const char *list, const char *passes[PASSES_MAX])
{
    size_t all = 0;
    size_t count = 0;
    const struct ws_pass_description *descriptions = ws_pass_list(&all);
    while (*list != '\0') {
        size_t first = 0;
        size_t more = 0;
        const size_t length = strcspn(list, ",");
        if (!ws_pass_choose(list, length, &first, &more))
            return 0;
        for (size_t i = first; i < first + more && count < PASSES_MAX; ++i)
            passes[count++] = descriptions[i].name;
        list += length + (list[length] == ',');
    }
    return count;
}

int main(int argc, char **argv)
{
    const char *passes[PASSES_MAX];
    const size_t pass_count = argc > 1 ? choose(argv[1], passes) : 0;
    const struct ws_instrument_options options = {.passes = passes, .pass_count = pass_count};
    double bytes = 0, bytes_made = 0, instrumenting = 0, validating = 0;
    if (pass_count == 0) {
        fputs("usage: bench_instrument PASSES FILE...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        struct ws_error error = {{0}};
        size_t count = 0;
        uint32_t *words = read_words(argv[i], &count);
        if (words == NULL)
            continue;
        const double begin = cpu_seconds();
        struct ws_instrumented *made = ws_instrument(words, count, &options, &error);
        const double instrumented = cpu_seconds();
        if (made != NULL) {
            ws_spirv_validate(words, count, &error);
            bytes += 4.0 * (double)count;
            bytes_made += 4.0 * (double)(made->words != NULL ? made->word_count : count);
            instrumenting += instrumented - begin;
            validating += cpu_seconds() - instrumented;
        }
        ws_instrumented_destroy(made);
        free(words);
    }
    printf("%.3f %.4f %.4f %.3f\n", bytes / 1e6, instrumenting, validating, bytes_made / 1e6);
    return bytes > 0 ? 0 : 1;
}
