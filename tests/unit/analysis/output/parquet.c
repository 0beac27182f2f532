/* Parquet, by hand and as DuckDB reads it. */
#include "analysis/output/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "analysis/output/parquet_runs.h"
#include "analysis/output/thrift.h"

static const char *script; /* parquet_read.js */
static char folder[] = "/tmp/warpscope-parquet-XXXXXX";
static char path[sizeof(folder) + 16];

static void check_bytes(const char *what, const uint8_t *found, size_t found_size, const uint8_t *wanted,
                        size_t size)
{
    for (size_t i = 0; i < size && i < found_size; ++i)
        if (found[i] != wanted[i])
            fail_msg("%s: byte %zu is %02x and not %02x", what, i, found[i], wanted[i]);
    assert_int_equal(found_size, size);
}

static void thrift_by_hand(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t size = 0;
    struct ws_thrift thrift = {.stream = open_memstream(&bytes, &size)};
    ws_thrift_begin(&thrift);
    ws_thrift_i32(&thrift, 1, -1);
    ws_thrift_i64(&thrift, 2, 150);
    ws_thrift_bool(&thrift, 20, true); /* too far from 2 for a step */
    ws_thrift_begin_field(&thrift, 21);
    ws_thrift_text(&thrift, 3, "ab");
    ws_thrift_end(&thrift);
    ws_thrift_list(&thrift, 22, WS_THRIFT_I32, 2);
    ws_thrift_element_i32(&thrift, 1);
    ws_thrift_element_i32(&thrift, 64);
    ws_thrift_list(&thrift, 23, WS_THRIFT_STRUCT, 15);
    ws_thrift_end(&thrift);
    fclose(thrift.stream);
    static const uint8_t wanted[] = {0x15, 0x01, 0x16, 0xac, 0x02, 0x01, 0x28, 0x1c, 0x38, 0x02, 'a',
                                     'b',  0x00, 0x19, 0x25, 0x02, 0x80, 0x01, 0x19, 0xfc, 0x0f, 0x00};
    check_bytes("thrift", (const uint8_t *)bytes, size, wanted, sizeof(wanted));
    free(bytes);
}

/* The example of the encodings of Parquet: 0 to 7 with 3 bits are 88 c6 fa. */
static void runs_by_hand(void **state)
{
    (void)state;
    uint8_t out[64];
    static const uint32_t counted[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t packed[] = {0x03, 0x88, 0xc6, 0xfa};
    check_bytes("packed", out, ws_parquet_runs(out, counted, 8, 3), packed, sizeof(packed));
    /* Ten times 300 with 9 bits, 1 2 packed with six zeros. */
    static const uint32_t mixed[12] = {300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 1, 2};
    static const uint8_t both[] = {0x14, 0x2c, 0x01, 0x03, 0x01, 0x04, 0, 0, 0, 0, 0, 0, 0};
    check_bytes("mixed", out, ws_parquet_runs(out, mixed, 12, 9), both, sizeof(both));
}

/* Reads what was written back, by the rules of the encodings of Parquet, for any values. */
static void runs_read_back(void **state)
{
    (void)state;
    uint32_t values[200];
    uint32_t seed = 1;
    for (uint32_t bits = 1; bits <= 32; ++bits)
        for (uint32_t count = 1; count <= 200; ++count) {
            for (uint32_t i = 0; i < count; ++i) {
                seed = seed * 1664525 + 1013904223;
                values[i] =
                    i > 0 && seed >> 29 != 0 ? values[i - 1] : (uint32_t)((uint64_t)seed >> (32 - bits));
            }
            uint8_t out[2048];
            const size_t size = ws_parquet_runs(out, values, count, bits);
            assert_true(size <= ws_parquet_runs_bound(count, bits) && size <= sizeof(out));
            uint32_t read = 0;
            for (size_t at = 0; at < size;) {
                uint32_t header = 0;
                for (uint32_t shift = 0;; shift += 7) {
                    header |= (uint32_t)(out[at] & 0x7f) << shift;
                    if ((out[at++] & 0x80) == 0)
                        break;
                }
                if ((header & 1) == 0) {
                    uint32_t value = 0;
                    for (uint32_t i = 0; i < (bits + 7) / 8; ++i)
                        value |= (uint32_t)out[at++] << 8 * i;
                    for (uint32_t i = 0; i < header >> 1; ++i)
                        assert_int_equal(values[read++], value);
                } else {
                    for (uint64_t bit = 0; bit < (uint64_t)(header >> 1) * 8 * bits; bit += bits) {
                        uint64_t value = 0;
                        for (uint32_t i = 0; i < bits; ++i)
                            value |= (uint64_t)(out[at + (bit + i) / 8] >> (bit + i) % 8 & 1) << i;
                        assert_int_equal(value, read < count ? values[read] : 0);
                        ++read;
                    }
                    at += (size_t)(header >> 1) * bits;
                }
            }
            assert_true(read >= count && read < count + 8);
        }
}

static struct ws_parquet *begin(const struct ws_parquet_column *columns, uint32_t count)
{
    struct ws_error error = {{0}};
    struct ws_parquet *parquet = ws_parquet_create(path, columns, count, &error);
    if (parquet == NULL)
        fail_msg("%s", error.message);
    return parquet;
}

static void end_row(struct ws_parquet *parquet)
{
    struct ws_error error = {{0}};
    if (!ws_parquet_end_row(parquet, &error))
        fail_msg("%s", error.message);
}

static void end(struct ws_parquet *parquet, const struct ws_parquet_note *notes, uint32_t count)
{
    struct ws_error error = {{0}};
    if (!ws_parquet_finish(parquet, notes, count, &error))
        fail_msg("%s", error.message);
    ws_parquet_destroy(parquet);
}

/* One column x with the one value 5. How zstd packs four bytes is its own business; all else is known. */
static void tiny_file_by_hand(void **state)
{
    (void)state;
    static const struct ws_parquet_column columns[] = {{"x", WS_PARQUET_UINT32, false}};
    static const struct ws_parquet_note notes[] = {{"k", "v"}};
    struct ws_parquet *parquet = begin(columns, 1);
    uint8_t file[512];
    uint8_t page[4];
    ws_parquet_integer(parquet, 5);
    end_row(parquet);
    end(parquet, notes, 1);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    const size_t size = fread(file, 1, sizeof(file), stream);
    fclose(stream);

    const uint8_t header[] = {'P',  'A',  'R',  '1',  0x15, 0x00, 0x15, 0x08, 0x15, 0x00, 0x2c,
                              0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x00, 0x00};
    const uint8_t packed =
        file[9] / 2; /* the size of the page: the one byte of the header that is not known */
    for (size_t i = 0; i < sizeof(header); ++i)
        if (i != 9)
            assert_int_equal(file[i], header[i]);
    assert_int_equal(ZSTD_decompress(page, sizeof(page), file + sizeof(header), packed), 4);
    assert_memory_equal(page, "\5\0\0\0", 4);

    const uint8_t whole = (uint8_t)(sizeof(header) - 4 + packed); /* bytes of the column */
    const uint8_t footer[] = {
        0x15, 0x04, /* version 2 */
        0x19, 0x2c, /* schema: two elements */
        0x48, 0x06,
        's',  'c',
        'h',  'e',
        'm',  'a',
        0x15, 0x02,
        0x00, /* the root, with one child */
        0x15, 0x02,
        0x25, 0x00,
        0x18, 0x01,
        'x',  0x25,
        0x1a, /* INT32, required, x, UINT_32 */
        0x4c, 0xac,
        0x13, 0x20,
        0x12, 0x00,
        0x00, 0x00, /* INTEGER of 32 bits without a sign */
        0x16, 0x02, /* one row */
        0x19, 0x1c, /* row groups: one */
        0x19, 0x1c, /* its columns: one */
        0x26, 0x08,
        0x1c, /* begins at 4; metadata */
        0x15, 0x02,
        0x19, 0x25,
        0x00, 0x06,
        0x19, 0x18,
        0x01, 'x', /* INT32; PLAIN and RLE; path */
        0x15, 0x0c,
        0x16, 0x02, /* ZSTD, one value */
        0x16, (sizeof(header) - 4 + 4) * 2,
        0x16, (uint8_t)(whole * 2), /* sizes; they stay below 64 */
        0x26, 0x08,                 /* the data page begins at 4 */
        0x3c, 0x36,
        0x00, 0x28,
        0x04, 5,
        0,    0,
        0,    0x18,
        0x04, 5,
        0,    0,
        0,    0x00,
        0x00, 0x00, /* 0 nulls, largest, smallest */
        0x16, (sizeof(header) - 4 + 4) * 2,
        0x16, 0x02,
        0x26, 0x08,
        0x16, (uint8_t)(whole * 2),
        0x00, 0x19,
        0x1c, 0x18,
        0x01, 'k',
        0x18, 0x01,
        'v',  0x00, /* notes */
    };
    const size_t at = sizeof(header) + packed;
    check_bytes("footer", file + at, sizeof(footer), footer, sizeof(footer));
    const char *made_by = "warpscope version " WS_VERSION;
    const size_t behind = at + sizeof(footer);
    assert_int_equal(file[behind], 0x18);
    assert_int_equal(file[behind + 1], strlen(made_by));
    assert_memory_equal(file + behind + 2, made_by, strlen(made_by));
    const uint8_t orders[] = {0x19, 0x1c, 0x1c, 0x00, 0x00, 0x00};
    assert_memory_equal(file + behind + 2 + strlen(made_by), orders, sizeof(orders));
    const size_t end_of_footer = behind + 2 + strlen(made_by) + sizeof(orders);
    const uint8_t last[] = {(uint8_t)(end_of_footer - at), 0, 0, 0, 'P', 'A', 'R', '1'};
    check_bytes("end", file + end_of_footer, size - end_of_footer, last, sizeof(last));
}

/* Writes what DuckDB answers into `answer`; skips the test where it is not here. */
static void ask(const char *query, char *answer, size_t size)
{
    char command[2048];
    snprintf(command, sizeof(command), "node '%s' \"%s\"", script, query);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    answer[fread(answer, 1, size - 1, stream)] = '\0';
    const int status = pclose(stream);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) {
        print_message("DuckDB is not here\n");
        skip();
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: %s", query, answer);
}

static void check_answer(const char *query, const char *wanted)
{
    char answer[4096];
    ask(query, answer, sizeof(answer));
    assert_string_equal(answer, wanted);
}

static const struct ws_parquet_column all_types[] = {
    {"truth", WS_PARQUET_BOOL, false},  {"small", WS_PARQUET_UINT32, false},
    {"usual", WS_PARQUET_INT64, false}, {"large", WS_PARQUET_UINT64, true},
    {"real", WS_PARQUET_FLOAT, true},   {"exact", WS_PARQUET_DOUBLE, false},
    {"name", WS_PARQUET_TEXT, true},
};

static void put_row(struct ws_parquet *parquet, uint32_t i, const char *name)
{
    ws_parquet_integer(parquet, i % 3 == 0);
    ws_parquet_integer(parquet, UINT32_MAX - i);
    ws_parquet_integer(parquet, i);
    if (i % 2 == 0)
        ws_parquet_integer(parquet, UINT64_MAX - i);
    else
        ws_parquet_nothing(parquet);
    if (i % 5 == 0)
        ws_parquet_nothing(parquet);
    else
        ws_parquet_number(parquet, i % 7 == 0 ? (double)NAN : 0.5 * i);
    ws_parquet_number(parquet, -0.25 * i);
    if (name != NULL)
        ws_parquet_text(parquet, name);
    else
        ws_parquet_nothing(parquet);
    end_row(parquet);
}

/* Two row groups. The sums are those of arithmetic series: of 0 .. 69999, 69999 * 35000 = 2449965000. */
static void every_type_as_duckdb_reads_it(void **state)
{
    (void)state;
    const uint32_t rows = 70000;
    static const char *const names[] = {"raygen.rgen:main", "", "caf\xc3\xa9", NULL};
    struct ws_parquet *parquet = begin(all_types, 7);
    char query[1024];
    for (uint32_t i = 0; i < rows; ++i)
        put_row(parquet, i, names[i % 4]);
    end(parquet, NULL, 0);
    snprintf(
        query, sizeof(query),
        "select count(*), sum(truth::int), max(small), sum(usual), count(large), max(large), count(real), "
        "count(*) filter (isnan(real)), sum(exact), count(name), count(distinct name) from '%s'",
        path);
    check_answer(
        query,
        "70000|23334|4294967295|2449965000|35000|18446744073709551615|56000|8000|-612491250|52500|3\n");
    snprintf(
        query, sizeof(query),
        "select truth, small, usual, large, real, exact, name from '%s' where usual in (2, 65536, 69999)",
        path);
    check_answer(query, "false|4294967293|2|18446744073709551613|1|-0.5|caf\xc3\xa9\n"
                        "false|4294901759|65536|18446744073709486079|32768|-16384|raygen.rgen:main\n"
                        "true|4294897296|69999|-|34999.5|-17499.75|-\n");
    /* 65535 has no `real`, that of 65534 is NaN. */
    snprintf(query, sizeof(query),
             "select row_group_num_rows, stats_min_value, stats_max_value, stats_null_count from "
             "parquet_metadata('%s') "
             "where path_in_schema in ('small', 'name', 'real')",
             path);
    check_answer(query,
                 "65536|4294901760|4294967295|0\n65536|0.5|32766.5|13108\n65536||raygen.rgen:main|16384\n"
                 "4464|4294897296|4294901759|0\n4464|32768.0|34999.5|892\n4464||raygen.rgen:main|1116\n");
    /* What the statistics leave out is not looked for. */
    snprintf(query, sizeof(query),
             "select count(*) from '%s' where small < 4294901760 and large > 5 and name = ''", path);
    check_answer(query, "0\n");
}

static void no_row_and_notes(void **state)
{
    (void)state;
    static const struct ws_parquet_note notes[] = {{"program", "./path_tracer 'a b'"}, {"version", "1"}};
    char query[256];
    end(begin(all_types, 7), notes, 2);
    snprintf(query, sizeof(query), "select count(*) from '%s'", path);
    check_answer(query, "0\n");
    snprintf(query, sizeof(query), "select decode(key), decode(value) from parquet_kv_metadata('%s')", path);
    check_answer(query, "program|./path_tracer 'a b'\nversion|1\n");
}

/* NaN is no bound, zeros have both signs, and long texts have no bounds. */
static void bounds_that_are_not_simple(void **state)
{
    (void)state;
    static const struct ws_parquet_column columns[] = {{"nan", WS_PARQUET_FLOAT, false},
                                                       {"zero", WS_PARQUET_DOUBLE, false},
                                                       {"long", WS_PARQUET_TEXT, false}};
    struct ws_parquet *parquet = begin(columns, 3);
    char text[WS_PARQUET_BOUND + 2];
    char query[512];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ws_parquet_number(parquet, (double)NAN);
    ws_parquet_number(parquet, 0.0);
    ws_parquet_text(parquet, text);
    end_row(parquet);
    end(parquet, NULL, 0);
    snprintf(query, sizeof(query), "select stats_min_value, stats_max_value from parquet_metadata('%s')",
             path);
    check_answer(query, "-|-\n-0.0|0.0\n-|-\n");
    snprintf(query, sizeof(query), "select isnan(nan), zero, length(long) from '%s' where zero = 0", path);
    check_answer(query, "true|0|257\n");
}

/* Many texts: their indices have more than a byte; and addresses that are used again for the same text. */
static void thousand_texts(void **state)
{
    (void)state;
    static const struct ws_parquet_column columns[] = {{"t", WS_PARQUET_TEXT, false}};
    static char texts[2000][8];
    struct ws_parquet *parquet = begin(columns, 1);
    char query[256];
    for (uint32_t i = 0; i < 2000; ++i) {
        snprintf(texts[i], sizeof(texts[i]), "%u", i / 2);
        for (uint32_t j = 0; j <= i % 10; ++j) {
            ws_parquet_text(parquet, texts[i]);
            end_row(parquet);
        }
    }
    end(parquet, NULL, 0);
    snprintf(query, sizeof(query), "select count(*), count(distinct t), sum(t::int), max(t::int) from '%s'",
             path);
    /* 200 times 1 + 2 + .. + 10 rows. The texts 5 k + 0 .. 4 have 3, 7, 11, 15, 19 of these: 55 * 5 k + 150, and k
     * is 0 to 199. */
    check_answer(query, "11000|1000|5502500|999\n");
}

static void what_fails_leaves_no_file(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    assert_null(ws_parquet_create("/nowhere/at/all.parquet", all_types, 7, &error));
    assert_string_equal(error.message, "cannot write '/nowhere/at/all.parquet': No such file or directory");

    struct ws_parquet *parquet = begin(all_types, 7);
    put_row(parquet, 1, "a");
    assert_int_equal(access(path, F_OK), 0);
    ws_parquet_destroy(parquet); /* as where the capture cannot be read to its end */
    assert_int_equal(access(path, F_OK), -1);

    parquet = begin(all_types, 7);
    put_row(parquet, 1, "a");
    ws_parquet_integer(parquet, 0);
    ws_parquet_integer(parquet, 0);
    ws_parquet_integer(parquet, UINT64_C(1) << 63);
    error = (struct ws_error){{0}};
    assert_false(ws_parquet_end_row(parquet, &error));
    assert_non_null(strstr(error.message, "9223372036854775808 is too large for the column usual"));
    error = (struct ws_error){{0}};
    assert_false(ws_parquet_finish(parquet, NULL, 0, &error));
    ws_parquet_destroy(parquet);
    assert_int_equal(access(path, F_OK), -1);
}

/* A disk that is full, of which the system tells as late as it likes. */
static void full_disk(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_parquet *parquet = ws_parquet_create("/dev/full", all_types, 7, &error);
    assert_non_null(parquet);
    put_row(parquet, 1, "a");
    assert_false(ws_parquet_finish(parquet, NULL, 0, &error));
    assert_string_equal(error.message, "cannot write '/dev/full': No space left on device");
    ws_parquet_destroy(parquet);
    assert_int_equal(access("/dev/full", F_OK), 0);

    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit limit = {100, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    parquet = begin(all_types, 7);
    put_row(parquet, 1, "a");
    error = (struct ws_error){{0}};
    const bool finished = ws_parquet_finish(parquet, NULL, 0, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(finished);
    assert_non_null(strstr(error.message, "File too large"));
    ws_parquet_destroy(parquet);
    assert_int_equal(access(path, F_OK), -1);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrift_by_hand),
        cmocka_unit_test(runs_by_hand),
        cmocka_unit_test(runs_read_back),
        cmocka_unit_test(tiny_file_by_hand),
        cmocka_unit_test(what_fails_leaves_no_file),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(every_type_as_duckdb_reads_it),
        cmocka_unit_test(no_row_and_notes),
        cmocka_unit_test(bounds_that_are_not_simple),
        cmocka_unit_test(thousand_texts),
    };
    script = argument_count > 1 ? arguments[1] : "";
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/t.parquet", folder);
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return status;
}
