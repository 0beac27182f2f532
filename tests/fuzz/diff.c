/* Fuzz target: two hostile captures compared. A is the input, B the input changed once more, by its own hash. The words of the
 * input (capture_mutator.h) are conditions of --fail-if.
 *
 * Each condition is taken, or refused with a message. JSON is JSON in UTF-8; of a capture with itself no figure changed. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/diff/condition.h"
#include "analysis/diff/diff.h"
#include "tests/fuzz/capture_mutator.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"

/* So many steps for a small capture: a hundredth of the usual. */
#define STEPS (WS_STEPS_LEAST / 100)
#define GROWN 4096 /* bytes that a change may add */

static int open_capture(const uint8_t *data, size_t size, char path[64])
{
    const int file = memfd_create("capture", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    fuzz_check(write(file, data, size) == (ssize_t)size, "no memory");
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

static bool read_report(struct ws_report *report, const char *path)
{
    const struct ws_report_request request = {.all = true, .options = {.whole = true}};
    struct ws_error error = {{0}};
    ws_budget_begin(0);
    const bool read = ws_report_read(report, path, &request, &error);
    fuzz_check(read || error.message[0] != '\0', "a capture is refused without a message");
    return read;
}

static void check_conditions(const struct ws_diff *diff, const char *words, size_t size)
{
    char text[512];
    for (size_t at = 0; at < size;) {
        const char *end = memchr(words + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - words) - at : size - at;
        struct ws_diff_condition condition;
        struct ws_error error = {{0}};
        snprintf(text, sizeof(text), "%.*s", (int)(length < sizeof(text) ? length : sizeof(text) - 1),
                 words + at);
        const bool good = ws_diff_condition_parse(&condition, text, &error) &&
                          ws_diff_condition_check(&condition, diff, &error);
        fuzz_check(good == (error.message[0] == '\0'), "a condition is refused without a message");
        at += length + 1;
    }
}

static void check_json(const struct ws_diff *diff)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return;
    const bool written = ws_diff_json(diff, NULL, 0, stream);
    fclose(stream);
    cJSON *json = written ? cJSON_ParseWithLength(text, size) : NULL;
    fuzz_check(!written || json != NULL, "a comparison is no JSON");
    char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
        ws_text_repair(copy, size);
        fuzz_check(memcmp(copy, text, size) == 0, "a comparison is no UTF-8");
    }
    cJSON_Delete(json);
    free(copy);
    free(text);
}

static void check_text(const struct ws_diff *diff)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return;
    ws_diff_text(diff, 0, true, 80, stream);
    ws_diff_csv(diff, stream);
    fclose(stream);
    for (const char *at = text; *at != '\0'; ++at)
        fuzz_check(*at == '\n' || ws_text_control_length(at) == 0, "a control character is printed");
    free(text);
}

static void compare(const struct ws_report *a, const struct ws_report *b, const char *words, size_t size)
{
    struct ws_diff diff;
    ws_budget_begin(0);
    if (!ws_diff_init(&diff, a, b, NULL))
        return;
    fuzz_check(a != b || diff.figure_count == 0, "a capture differs from itself");
    check_json(&diff);
    check_text(&diff);
    check_conditions(&diff, words, size);
    ws_diff_finish(&diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[2][64];
    struct ws_report reports[2];
    size_t word_size = 0;
    ws_budget_set_least(STEPS);
    uint8_t *copy = malloc(size + GROWN);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    capture_seal(copy, size);
    const char *found = capture_words(copy, size, &word_size);
    char *words = found != NULL ? strndup(found, word_size) : NULL;
    const int a = open_capture(copy, size, path[0]);
    const size_t changed = capture_mutate(copy, size, size + GROWN, (unsigned)XXH3_64bits(data, size), NULL);
    capture_seal(copy, changed);
    const int b = open_capture(copy, changed, path[1]);
    if (a >= 0 && b >= 0 && read_report(&reports[0], path[0])) {
        compare(&reports[0], &reports[0], words != NULL ? words : "", words != NULL ? strlen(words) : 0);
        if (read_report(&reports[1], path[1])) {
            compare(&reports[0], &reports[1], words != NULL ? words : "", words != NULL ? strlen(words) : 0);
            ws_report_finish(&reports[1]);
        }
        ws_report_finish(&reports[0]);
    }
    free(words);
    free(copy);
    if (a >= 0)
        close(a);
    if (b >= 0)
        close(b);
    return 0;
}

/* A condition, or what is nearly one. */
static const char *word(uint64_t *state, bool first)
{
    static const char *const figures[] = {"efficiency",
                                          "simt_efficiency.shaders.executions",
                                          "rays",
                                          "time.time_ns",
                                          "hotspots.lines.share",
                                          "any_hits",
                                          "",
                                          ".",
                                          "a.b.c.d",
                                          "efficency"};
    static const char *const rows[] = {"", "", "@*", "@[", "@*main", "@", "@\\", "@**********a"};
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "=", "!=", "==", "=<", ""};
    static const char *const numbers[] = {"0",    "-2%", "1e308", "nan", "inf%",
                                          "0x10", "",    "%",     "5 %", "-0.0%%"};
    static char made[256];
    (void)first;
#define CHOOSE(list) list[fuzz_below(state, sizeof(list) / sizeof(list[0]))]
    snprintf(made, sizeof(made), "%s%s%s%s", CHOOSE(figures), CHOOSE(rows), CHOOSE(comparisons),
             CHOOSE(numbers));
#undef CHOOSE
    return made;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, word);
}
