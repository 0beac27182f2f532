/* Tables as Parquet: where rows of frames and pipelines go, and records that were made up, as DuckDB reads them. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "analysis/export/data_set.h"
#include "analysis/export/records.h"
#include "analysis/report/report.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "warpscope/records.h"

static const char *script; /* parquet_read.js */
static char folder[] = "/tmp/warpscope-tables-XXXXXX";

static void remove_all(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

/* Checks what DuckDB answers; skips the test where it is not here. */
static void check_answer(const char *query, const char *wanted)
{
    char command[2048];
    char answer[4096];
    snprintf(command, sizeof(command), "node '%s' \"%s\"", script, query);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    answer[fread(answer, 1, sizeof(answer) - 1, stream)] = '\0';
    const int status = pclose(stream);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) {
        print_message("DuckDB is not here\n");
        remove_all();
        skip();
    }
    assert_string_equal(answer, wanted);
}

struct row {
    uint32_t number;
    float place[3];
    const char *name;
};

static const struct ws_export_field fields[] = {
    {"number", WS_EXPORT_NUMBER, offsetof(struct row, number), 0, "which one"},
    {"place", WS_EXPORT_VECTOR, offsetof(struct row, place), 1, "where"},
    {"name", WS_EXPORT_TEXT, offsetof(struct row, name), 0, "what"},
};

static void add(struct ws_data_set *set, uint64_t frame, uint32_t pipeline, uint32_t number)
{
    struct ws_error error = {{0}};
    const struct row row = {number, {1, 2, (float)number}, number % 2 == 0 ? "even" : "odd"};
    if (!ws_data_set_add(set, frame, pipeline, &row, number % 2 == 0 ? 3 : 1, &error))
        fail_msg("%s", error.message);
}

static struct ws_data_set *begin(const char *name, char path[128])
{
    struct ws_error error = {{0}};
    snprintf(path, 128, "%s/%s", folder, name);
    struct ws_data_set *set = ws_data_set_create(path, "numbers", fields, 3, &error);
    if (set == NULL)
        fail_msg("%s", error.message);
    return set;
}

static void finish(struct ws_data_set *set, uint64_t rows, uint64_t files)
{
    struct ws_error error = {{0}};
    if (!ws_data_set_finish(set, &error))
        fail_msg("%s", error.message);
    assert_int_equal(ws_data_set_rows(set), rows);
    assert_int_equal(ws_data_set_files(set), files);
    ws_data_set_destroy(set);
}

static void check_file(const char *name, bool is_there)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if ((access(path, F_OK) == 0) != is_there)
        fail_msg("%s is %s", name, is_there ? "missing" : "there");
}

static void one_file(void **state)
{
    (void)state;
    char path[128];
    char query[512];
    struct ws_data_set *set = begin("t.parquet", path);
    add(set, 3, 7, 0);
    add(set, 3, WS_NONE, 1);
    add(set, 4, 7, 2);
    finish(set, 3, 1);
    snprintf(query, sizeof(query), "from '%s'", path);
    check_answer(query, "3|7|0|1|2|0|even\n3|-|1|-|-|-|odd\n4|7|2|1|2|2|even\n");
    snprintf(query, sizeof(query),
             "select decode(key), decode(value) from parquet_kv_metadata('%s') where decode(key) like '%%e'",
             path);
    check_answer(query, "warpscope.table|numbers\ncolumn.place|where\ncolumn.name|what\n");
    remove_all();
}

/* A frame that comes again, as of another queue, has a second part. */
static void folder_of_partitions(void **state)
{
    (void)state;
    char path[128];
    char query[512];
    struct ws_data_set *set = begin("t/", path);
    add(set, 3, 7, 0);
    add(set, 3, WS_NONE, 1);
    add(set, 3, 7, 2);
    add(set, 4, 7, 3);
    add(set, 3, 7, 4);
    finish(set, 5, 4);
    check_file("t/frame=3/pipeline=7/part-0.parquet", true);
    check_file("t/frame=3/pipeline=7/part-1.parquet", true);
    check_file("t/frame=3/pipeline=__HIVE_DEFAULT_PARTITION__/part-0.parquet", true);
    check_file("t/frame=4/pipeline=7/part-0.parquet", true);
    check_file("t/frame=4/pipeline=7/part-1.parquet", false);
    snprintf(query, sizeof(query),
             "select number, name, frame, pipeline from read_parquet('%s/**/*.parquet', hive_partitioning = "
             "true) order by number",
             path);
    check_answer(query, "0|even|3|7\n1|odd|3|-\n2|even|3|7\n3|odd|4|7\n4|even|3|7\n");
    struct ws_error error = {{0}};
    assert_null(ws_data_set_create(path, "numbers", fields, 3, &error));
    assert_non_null(strstr(error.message, "is not empty"));
    remove_all();
}

/* No more files are open than may be: the rows of each pipeline are then in several. */
static void many_pipelines(void **state)
{
    (void)state;
    char path[128];
    char query[512];
    struct ws_data_set *set = begin("t/", path);
    const uint32_t pipelines = WS_DATA_SET_OPEN + 1;
    for (uint32_t i = 0; i < 3 * pipelines; ++i)
        add(set, 0, i % pipelines, i);
    finish(set, 3 * pipelines, 3 * pipelines);
    check_file("t/frame=0/pipeline=0/part-2.parquet", true);
    snprintf(query, sizeof(query),
             "select count(*), sum(number), count(distinct pipeline), sum(pipeline) from "
             "read_parquet('%s/**/*.parquet', "
             "hive_partitioning = true)",
             path);
    check_answer(query, "75|2775|25|900\n");
    remove_all();
}

static void what_is_not_finished_is_removed(void **state)
{
    (void)state;
    char path[128];
    struct ws_data_set *set = begin("t/", path);
    add(set, 3, 7, 0);
    add(set, 4, 7, 0);
    check_file("t/frame=3", false); /* whole when frame 4 began, but the set is not */
    ws_data_set_destroy(set);
    check_file("t", false);
    remove_all();
    assert_true(ws_data_set_is_path("x.parquet") && ws_data_set_is_path("x/") && ws_data_set_is_path("/tmp"));
    assert_false(ws_data_set_is_path("x.csv") || ws_data_set_is_path("-") || ws_data_set_is_path("x"));
}

/* A folder that cannot be made, and the user is told. */
static void folder_in_nothing(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    assert_null(ws_data_set_create("/nowhere/at/all/", "numbers", fields, 3, &error));
    assert_string_equal(error.message, "cannot make the folder '/nowhere/at/all': No such file or directory");
}

/* Writes the table of a capture's records, and destroys the capture. */
static void export_records(struct stream *stream, const char *path)
{
    struct ws_error error = {{0}};
    struct ws_report report;
    struct ws_data_set_export table = {.path = path};
    const struct ws_report_request request = {.analysis = &ws_analysis_records_export,
                                              .options = {.user = &table}};
    if (!ws_report_read(&report, stream_path(stream), &request, &error))
        fail_msg("%s", error.message);
    ws_report_finish(&report);
    stream_destroy(stream);
}

/* Two blocks of 4 and 6 instructions, by a warp of 32 lanes of which 5 entered, and then 2 of them. The places have sites of
 * three passes: `stream`, execution_trace and divergence. */
static void records_by_hand(void **state)
{
    (void)state;
    char path[128];
    char query[1024];
    struct stream *stream = stream_create(&(struct stream_options){.bins = 32});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, (const uint32_t[]){4, 6}, 2);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 5, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, ws_lanes_first(5), 0);
    stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(5));
    stream_place(stream, context, WS_SITE_PLACE_BLOCK, 1, (struct ws_lanes){0x12, 0});
    stream_data(stream, context, stream_number(WS_SITE_DATA, 1), (struct ws_lanes){0x10, 0},
                (const uint32_t[]){1, 2}, 2);
    stream_place(stream, context, WS_SITE_PLACE_END, 1, ws_lanes_first(5));
    stream_end(stream);
    stream_finish(stream);
    snprintf(path, sizeof(path), "%s/t.parquet", folder);
    export_records(stream, path);
    /* The entry record has 3 words, a mask and 5 work words: the first block is at 9, and as full as its context, of 2 words.
     * The next has a mask, too, and so has the data record, of 2 more words. */
    snprintf(query, sizeof(query),
             "select distinct position, context, site, block, instructions, lanes, mask_low, mask_high, "
             "words, subgroup_size "
             "from '%s' where site <> 'sync' order by position",
             path);
    check_answer(query, "0|0|entry|0|4|5|31|0|1|32\n9|0|block|0|4|5|31|0|0|32\n11|0|block|1|6|2|18|0|0|32\n"
                        "14|0|data|1|6|1|16|0|2|32\n19|0|end|1|6|5|31|0|0|32\n");
    snprintf(query, sizeof(query),
             "select pass, count(*), sum(subgroup_size * instructions), sum(lanes * instructions) from '%s' "
             "where site = 'block' "
             "group by pass order by pass",
             path);
    check_answer(query, "divergence|2|320|32\nexecution_trace|2|320|32\nstream|2|320|32\n");
    remove_all();
}

/* A place behind data is a row of its own, with the lanes of their record and without its words. */
static void places_behind_data(void **state)
{
    (void)state;
    static const char *const passes[] = {"data", "places"};
    static const struct ws_block_info blocks[] = {{10, 5, 5, 1, 4}};
    static const struct ws_site_info sites[] = {{WS_NONE, 0, WS_SITE_ENTRY, 0, 5, 0},
                                                {0, 1, WS_SITE_DATA, 0, 6, 2},
                                                {1, 2, WS_SITE_PLACE_AFTER, 0, 6, 1},
                                                {1, 3, WS_SITE_PLACE_END, 0, 8, 1}};
    static const uint32_t function = 1;
    static const struct ws_entry_info entry = {
        .name = "main", .stage = WS_STAGE_RAYGEN, .function = 1, .functions = &function, .function_count = 1};
    const struct ws_chunk_sites chunk = {.passes = passes,
                                         .pass_count = 2,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = 1,
                                         .sites = sites,
                                         .site_count = sizeof(sites) / sizeof(sites[0])};
    char path[128];
    char query[512];
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t shader = stream_shader_of(stream, WS_STAGE_RAYGEN, NULL, 20, &chunk, NULL, 0);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 5, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, shader, ws_lanes_first(3), 0);
    stream_data(stream, context, 1, ws_lanes_first(3), (const uint32_t[]){1, 2, 3, 4, 5, 6}, 2);
    stream_end(stream);
    stream_finish(stream);
    snprintf(path, sizeof(path), "%s/t.parquet", folder);
    export_records(stream, path);
    snprintf(query, sizeof(query),
             "select site, pass, tag, lanes, words from '%s' where pass is not null order by tag", path);
    check_answer(query, "data|data|1|3|2\nafter|places|2|3|0\nend|places|3|3|0\n");
    remove_all();
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_finished_is_removed),
        cmocka_unit_test(folder_in_nothing),
        cmocka_unit_test(one_file),
        cmocka_unit_test(folder_of_partitions),
        cmocka_unit_test(many_pipelines),
        cmocka_unit_test(records_by_hand),
        cmocka_unit_test(places_behind_data),
    };
    script = argument_count > 1 ? arguments[1] : "";
    if (mkdtemp(folder) == NULL)
        return 1;
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return status;
}
