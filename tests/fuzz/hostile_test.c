/* Captures that were made to do harm (hostile.h): what each costs, in steps (warpscope/capture/budget.h), and
 * that what can be shown of it is shown. Given a folder, it writes them there instead. */
#include <sys/stat.h>

#include "analysis/export/scene.h"
#include "analysis/report/report.h"
#include "tests/fuzz/hostile.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/capture/budget.h"

/* Analyses that are given up may each spend what all may, and a little beyond. */
#define PARTS 4

struct bounds {
    const char *name;
    uint64_t steps; /* the most that a report of everything may take; 0 = what is allowed */
    bool whole;     /* nothing is left out of the report */
};

/* One blob costs its bytes, read three times and kept once, and a look at its primitives. */
#define BLOB (UINT64_C(48) << 20)

static const struct bounds bounds[] = {
    {"one_blob", BLOB * 3 + BLOB *WS_STEPS_KEPT + BLOB / 12 * WS_STEPS_PRIMITIVE + (1 << 20), true},
    {"one_blob_strides", 0, false},
    {"zero_blobs", 0, false},
    {"turns", 0, false},
    {"waiting_turns", 0, false},
};

static const struct bounds *bounds_of(const char *name)
{
    static const struct bounds usual = {.whole = true};
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); ++i)
        if (strcmp(bounds[i].name, name) == 0)
            return &bounds[i];
    return &usual;
}

/* The text of a report. The caller frees it. */
static char *text_of(const struct ws_report *report, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    assert_non_null(stream);
    assert_true(ws_report_text(report, stream));
    fclose(stream);
    return text;
}

static void check(const struct hostile *hostile)
{
    const struct bounds *bound = bounds_of(hostile->name);
    struct ws_error error = {{0}};
    struct ws_report report;
    struct stat status;
    char path[64];
    size_t size = 0;
    temporary_path(path);
    assert_true(hostile_write(hostile, path, &error));
    assert_int_equal(stat(path, &status), 0);
    const uint64_t allowed = WS_STEPS_LEAST + WS_STEPS_PER_BYTE * (uint64_t)status.st_size;
    const struct ws_report_request request = {.all = true};
    ws_budget_begin(0);
    assert_true(ws_report_read(&report, path, &request, &error));
    char *text = text_of(&report, &size);
    print_message("%-16s %8ld bytes, %11lu steps, %7zu of text\n", hostile->name, (long)status.st_size,
                  (unsigned long)ws_budget_spent(), size);
    assert_true(ws_budget_spent() <= (bound->steps > 0 ? bound->steps : PARTS * allowed));
    assert_true(ws_report_is_whole(&report) == bound->whole);
    /* What was given up, and why, stands in the report. */
    assert_true((strstr(text, "the capture asks for more work than") != NULL) == !bound->whole);
    assert_true(size < 1 << 20);
    free(text);
    ws_report_finish(&report);
    unlink(path);
}

static void all(void **state)
{
    (void)state;
    for (const struct hostile *hostile = hostiles; hostile->name != NULL; ++hostile)
        check(hostile);
}

/* Captures with geometry; what others do to an analysis is seen where all are asked. */
static bool has_shapes(const struct hostile *hostile)
{
    static const char *const names[] = {"one_blob", "one_blob_strides", "zero_blobs", "instances"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (strcmp(hostile->name, names[i]) == 0)
            return true;
    return false;
}

/* Analyses that no report of everything has: each is asked of each of these captures, which may have nothing for it. */
static void by_name(void **state)
{
    const struct ws_analysis *const *analyses = ws_analysis_list();
    struct ws_error error = {{0}};
    (void)state;
    for (const struct hostile *hostile = hostiles; hostile->name != NULL; ++hostile) {
        struct stat status;
        char path[64];
        if (!has_shapes(hostile))
            continue;
        temporary_path(path);
        assert_true(hostile_write(hostile, path, &error));
        assert_int_equal(stat(path, &status), 0);
        const uint64_t allowed = WS_STEPS_LEAST + WS_STEPS_PER_BYTE * (uint64_t)status.st_size;
        for (size_t i = 0; analyses[i] != NULL; ++i) {
            const struct ws_report_request request = {.analysis = analyses[i]};
            struct ws_report report;
            if (!analyses[i]->by_name)
                continue;
            ws_budget_begin(0);
            if (ws_report_read(&report, path, &request, &error)) {
                print_message("%-16s %-16s %11lu steps\n", hostile->name, analyses[i]->name,
                              (unsigned long)ws_budget_spent());
                ws_report_finish(&report);
            }
            assert_true(ws_budget_spent() <= PARTS * allowed);
        }
        unlink(path);
    }
}

static int write_to(const char *folder)
{
    for (const struct hostile *hostile = hostiles; hostile->name != NULL; ++hostile) {
        struct ws_error error = {{0}};
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s.wscope", folder, hostile->name);
        if (!hostile_write(hostile, path, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all), cmocka_unit_test(by_name)};
    return argument_count > 1 ? write_to(arguments[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
