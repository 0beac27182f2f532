/* Fuzz target: the answers of the viewer's page. The words of the input (capture_mutator.h) are queries, which are asked of
 * the capture, beside those that the single file would hold.
 *
 * Each is answered, or refused with a message. An answer of a name that ends in .json is JSON in UTF-8. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "analysis/viewer/viewer.h"
#include "tests/fuzz/capture_mutator.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"

/* So many steps for a small capture: a hundredth of the usual. */
#define STEPS       (WS_STEPS_LEAST / 100)
#define FILE_SIZE   (UINT64_C(1) << 20)
#define QUERIES_MAX 64

struct asking {
    struct ws_viewer *viewer;
    uint32_t count;
};

static bool read_report(void *user, struct ws_report *report, const char *path,
                        struct ws_report_request *request, struct ws_error *error)
{
    (void)user;
    ws_budget_begin(0);
    return ws_report_read(report, path, request, error);
}

static void check_json(const char *query, const char *answer, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL)
        return;
    memcpy(copy, answer, size);
    copy[size] = '\0';
    ws_text_repair(copy, size);
    if (memcmp(copy, answer, size) != 0)
        fuzz_fail("%s: the answer is no UTF-8", query);
    cJSON *json = cJSON_ParseWithLength(answer, size);
    if (json == NULL)
        fuzz_fail("%s: no JSON: %.200s", query, cJSON_GetErrorPtr() != NULL ? cJSON_GetErrorPtr() : answer);
    cJSON_Delete(json);
    free(copy);
}

static void ask(struct ws_viewer *viewer, const char *query)
{
    struct ws_error error = {{0}};
    char *answer = NULL;
    size_t size = 0;
    const size_t name = strcspn(query, "?");
    const enum ws_viewer_result result = ws_viewer_answer(viewer, query, &answer, &size, &error);
    fuzz_check((result == WS_VIEWER_ANSWERED) == (answer != NULL), "an answer is there and is not");
    fuzz_check((result == WS_VIEWER_ANSWERED) == (error.message[0] == '\0'),
               "a query is refused without a message");
    if (result == WS_VIEWER_ANSWERED && name >= 5 && memcmp(query + name - 5, ".json", 5) == 0)
        check_json(query, answer, size);
    free(answer);
}

/* What the single file would hold. Of a damaged capture some of it may be refused. */
static bool embed(void *user, const char *query, unsigned rank)
{
    struct asking *asking = user;
    (void)rank;
    if (asking->count++ >= QUERIES_MAX)
        return true;
    ask(asking->viewer, query);
    return true;
}

static void ask_words(struct ws_viewer *viewer, const char *words, size_t size)
{
    char query[WS_VIEWER_QUERY_SIZE + 64];
    for (size_t at = 0; at < size;) {
        const char *end = memchr(words + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - words) - at : size - at;
        snprintf(query, sizeof(query), "%.*s", (int)(length < sizeof(query) ? length : sizeof(query) - 1),
                 words + at);
        ask(viewer, query);
        at += length + 1;
    }
}

static void ask_all(struct ws_viewer *viewer)
{
    const struct ws_viewer_resource *const *resources = ws_viewer_resources();
    struct asking asking = {.viewer = viewer};
    for (size_t i = 0; resources[i] != NULL; ++i) {
        asking.count = 0;
        if (resources[i]->embed == NULL)
            embed(&asking, resources[i]->name, 0);
        else
            resources[i]->embed(viewer, &viewer->captures[0], FILE_SIZE, embed, &asking);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    size_t word_size = 0;
    struct ws_error error = {{0}};
    struct ws_viewer viewer;
    const struct ws_selection everything = {.counts = {0}};
    ws_budget_set_least(STEPS);
    uint8_t *copy = malloc(size + 1);
    const int file = memfd_create("capture", MFD_CLOEXEC);
    if (copy == NULL || file < 0) {
        free(copy);
        return 0;
    }
    memcpy(copy, data, size);
    capture_seal(copy, size);
    fuzz_check(write(file, copy, size) == (ssize_t)size, "no memory");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    const struct ws_viewer_options options = {.paths = {path}, .selection = &everything, .read = read_report};
    if (ws_viewer_init(&viewer, &options, &error)) {
        const char *words = capture_words(copy, size, &word_size);
        if (words != NULL)
            ask_words(&viewer, words, word_size);
        ask_all(&viewer);
        ws_viewer_finish(&viewer);
    } else {
        fuzz_check(error.message[0] != '\0', "a capture is refused without a message");
    }
    free(copy);
    close(file);
    return 0;
}

static const char *next_key(const char *key)
{
    const char *blank = strchr(key, ' ');
    return blank != NULL ? blank + 1 : NULL;
}

/* Key NUMBER of a list of keys; "" where there are none. */
static void choose_key(const char *keys, uint64_t number, char key[64])
{
    uint64_t count = 0;
    for (const char *at = keys; at != NULL; at = next_key(at))
        ++count;
    key[0] = '\0';
    number = count > 0 ? number % count : 0;
    for (const char *at = keys; at != NULL; at = next_key(at))
        if (number-- == 0)
            snprintf(key, 64, "%.*s", (int)strcspn(at, " "), at);
}

/* A query: some resource, with some of its keys. */
static const char *word(uint64_t *state, bool first)
{
    static const char *const values[] = {"0",        "1",
                                         "2",        "0-3",
                                         "3-0",      "-",
                                         "1,2,3",    "0,0-3,3",
                                         "hit,miss", "all",
                                         "*",        "",
                                         "%00",      "%ff",
                                         "depth",    "source",
                                         "spirv",    "glsl",
                                         "any_hit",  "origin",
                                         "1e9",      "-1",
                                         "nan",      "0,0,0",
                                         "parents",  "18446744073709551615"};
    static char made[512];
    const struct ws_viewer_resource *const *resources = ws_viewer_resources();
    size_t count = 0;
    (void)first;
    while (resources[count] != NULL)
        ++count;
    const struct ws_viewer_resource *resource = resources[fuzz_below(state, count)];
    size_t used =
        (size_t)snprintf(made, sizeof(made), "%s?launch=%u", resource->name, (unsigned)fuzz_below(state, 3));
    for (uint64_t i = fuzz_below(state, 5); i > 0; --i) {
        char key[64];
        choose_key(resource->keys, fuzz_below(state, 64), key);
        if (fuzz_below(state, 4) == 0)
            used += (size_t)snprintf(made + used, sizeof(made) - used, "&%s=%llu", key,
                                     (unsigned long long)fuzz_number(state));
        else
            used += (size_t)snprintf(made + used, sizeof(made) - used, "&%s=%s", key,
                                     values[fuzz_below(state, sizeof(values) / sizeof(values[0]))]);
    }
    return made;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, word);
}
