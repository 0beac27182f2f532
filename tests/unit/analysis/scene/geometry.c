/* The report `geometry` of a capture made by hand: its figures, in text, JSON and CSV. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/report/report.h"
#include "analysis/scene/geometry.h"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float two[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, NAN, 0, 0, 1, 0};

/* Three structures of the same triangle, of which one is gone before the last launch; one that was copied
 * from one that was destroyed then, of 2 triangles; one never built. */
static void write_capture(struct scene_file *file)
{
    uint32_t references[3];
    scene_begin(file);
    for (int i = 0; i < 3; ++i)
        hand_structure(file, BOTTOM_LEVEL, "leaf");
    const uint32_t old = hand_structure(file, BOTTOM_LEVEL, "old");
    const uint32_t compact = hand_structure(file, BOTTOM_LEVEL, "compact, \"small\"");
    const uint32_t top = hand_structure(file, TOP_LEVEL, "world");
    hand_structure(file, BOTTOM_LEVEL, "never");
    const struct ws_build_geometry one = hand_triangles(file, triangle, 3);
    const struct ws_build_geometry pair = hand_triangles(file, two, 6);
    for (uint32_t i = 0; i < 3; ++i)
        hand_build(file, i, 0, &one, 1);
    hand_build(file, old, 0, &pair, 1);
    hand_copy(file, old, compact, 0, COPY_COMPACT, 0);
    hand_gone(file, old, 0);
    hand_gone(file, 2, 1);
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x1000, 0},
                                              {HAND_AT(1, 0, 0), 0, 0xff, 0, 0, 0x1000, 0},
                                              {HAND_AT(2, 0, 0), 0, 0xff, 0, 0, 0x5000, compact}};
    const struct ws_build_geometry world = hand_instances(file, instances, 3, references);
    hand_build(file, top, 1, &world, 1);
    struct ws_chunk_build update = {.structure = top,
                                    .moment = 1,
                                    .flags = WS_BUILD_UPDATE,
                                    .build_flags = 5,
                                    .source = top,
                                    .geometries = &world,
                                    .geometry_count = 1};
    assert_true(ws_capture_write_build(file->writer, &update, NULL));
    const struct ws_launch launches[] = {{.index = 0}, {.index = 1}};
    assert_true(ws_capture_write_submission(
        file->writer, &(struct ws_chunk_submission){.launches = launches, .launch_count = 2}, NULL));
    for (uint32_t i = 0; i < 2; ++i)
        hand_gone(file, i, 2);
    scene_close(file);
}

static void figures(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_geometry_counts geometry = {0};
    write_capture(&file);
    struct ws_reader *reader = ws_reader_open(file.path, &error);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        assert_true(ws_geometry_record(&geometry, &chunk, &error));
    assert_true(ws_geometry_end(&geometry, &error));
    ws_reader_destroy(reader);
    unlink(file.path);
    assert_true(geometry.scene->last == 1);
    assert_int_equal(geometry.live, 4);
    assert_true(geometry.live_bytes == UINT64_C(4) * 256);
    assert_true(geometry.builds == 6 && geometry.updates == 1 && geometry.copies == 1);
    assert_int_equal(geometry.scene->content_count, 3);
    assert_int_equal(geometry.equal_count, 1);
    assert_int_equal(geometry.equals[0].first, 0);
    assert_int_equal(geometry.equals[0].count, 2);
    assert_true(geometry.equals[0].spare_bytes == 256 && geometry.equals[0].spare_primitives == 1);
    assert_true(geometry.spare_bytes == 256 && geometry.spare_primitives == 1);
    static const uint64_t instances[] = {2, 0, 0, 0, 1, 0, 0};
    static const bool live[] = {true, true, false, false, true, true, false};
    for (uint32_t i = 0; i < 7; ++i) {
        assert_true(geometry.structures[i].instances == instances[i]);
        assert_int_equal(geometry.structures[i].live, live[i]);
    }
    assert_int_equal(geometry.scene->structures[2].last_build, 2);
    assert_int_equal(geometry.scene->structures[4].last_build, 3);
    assert_int_equal(geometry.scene->structures[6].last_build, WS_NONE);
    ws_geometry_finish(&geometry);
}

static char *print(const struct ws_report *report,
                   bool (*write)(const struct ws_report *report, FILE *stream))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(write(report, stream));
    fclose(stream);
    return text;
}

static void contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, text);
}

static void reports(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_report report;
    struct ws_error error = {{0}};
    const struct ws_report_request request = {.analysis = ws_analysis_find("geometry")};
    assert_non_null(request.analysis);
    write_capture(&file);
    assert_true(ws_report_read(&report, file.path, &request, &error));
    unlink(file.path);
    char *text = print(&report, ws_report_text);
    contains(text, "structures: 7, live at the last launch: 4, of 1024 bytes\n");
    contains(text, "builds: 5, updates: 1, copies: 1, different contents: 3\n");
    /* A triangle, two triangles, three instances; the triangle was used twice more, the instances once. */
    contains(text, "bytes of input: 300, and 264 more that repeat some of these\n");
    contains(text, "spared if equal structures were one: 256 bytes, primitives: 1\n");
    contains(text, "Equal structures");
    contains(text, "Problems of the geometry\n  1 triangles with a vertex that is not finite: first "
                   "structure 3 \"old\"");
    free(text);
    text = print(&report, ws_report_json);
    contains(text, "\"spare_primitives\": 1");
    contains(text, "\"vertex_format\":\"R32G32B32_SFLOAT\"");
    free(text);
    text = print(&report, ws_report_csv);
    contains(text, "\ntotal,,,,,,,,,,,7,1792,10,5,1,1,3\n");
    contains(text, "\nstructures,bottom,true,0,0,leaf,0,0x1000,1,,\"0 0 0, 1 1 0\",1,256,1,1,0,0,2\n");
    contains(text,
             "\nstructures,bottom,true,1,4,\"compact, \"\"small\"\"\",0,0x5000,1,,\"0 0 0, 1 1 0\",1,256,"
             "2,0,0,1,1\n");
    contains(text,
             "\nstructures,top,true,2,5,world,0,0x6000,1,allow_update fast_trace,\"0 0 0, 3 1 0\",1,256,"
             "3,1,1,0,0\n");
    contains(text, "\nstructures,bottom,false,,6,never,0,0x7000,,,,1,256,,0,0,0,0\n");
    free(text);
    ws_report_finish(&report);
}

/* Indices of two bytes, four apart: 7 triangles are transparent, opaque, unknown twice, mapped to 105 and 100, and the last
 * one's index is beyond the blob. Without indices, triangle 1 has micromap 101. A geometry that only has the flag, as
 * earlier captures have it, has triangles that are not known. */
static const uint16_t micromap_indices[11] = {0xffff, 9, 0xfffe, 9, 0xfffd, 9, 0xfffc, 9, 5, 9, 0};

static void write_micromaps(struct scene_file *file, bool twice)
{
    float vertices[63] = {0};
    scene_begin(file);
    const uint32_t first = hand_structure(file, BOTTOM_LEVEL, "leaf");
    const uint32_t second = hand_structure(file, BOTTOM_LEVEL, "again");
    struct ws_build_geometry geometries[3];
    for (int i = 0; i < 3; ++i)
        geometries[i] = hand_triangles(file, vertices, 21);
    geometries[2].capture_flags = WS_GEOMETRY_MICROMAP;
    const struct ws_micromap_usage usages[] = {{1, 4, 2}, {1, 2, 1}};
    const struct ws_build_micromap micromaps[] = {
        {.index_type = INDEX_16,
         .stride = 4,
         .indices = hand_blob(file, micromap_indices, sizeof(micromap_indices)),
         .base = 100,
         .usages = usages,
         .usage_count = 2},
        {.geometry = 1, .index_type = INDEX_NONE, .indices = WS_NONE, .base = 100}};
    const struct ws_chunk_build build = {.structure = first,
                                         .source = WS_NONE,
                                         .geometries = geometries,
                                         .geometry_count = 3,
                                         .micromaps = micromaps,
                                         .micromap_count = 2};
    assert_true(ws_capture_write_build(file->writer, &build, NULL));
    struct ws_chunk_build other = build;
    other.structure = second;
    if (twice)
        assert_true(ws_capture_write_build(file->writer, &other, NULL));
}

static void expect_micromap(const struct ws_scene *scene, uint32_t geometry, uint32_t primitive,
                            enum ws_micromap_state expected, uint32_t number)
{
    enum ws_micromap_state state = WS_MICROMAP_STATES;
    uint32_t found = 0;
    assert_true(ws_scene_micromap(scene, 0, geometry, primitive, &state, &found));
    assert_int_equal(state, expected);
    if (state == WS_MICROMAP_MAPPED)
        assert_int_equal(found, number);
}

static void micromaps(void **state)
{
    (void)state;
    struct scene_file file;
    enum ws_micromap_state none;
    uint32_t number;
    write_micromaps(&file, true);
    struct ws_scene *scene = scene_end(&file);
    const uint64_t expected[3][WS_MICROMAP_STATES] = {
        {1, 1, 1, 1, 0, 2, 1}, {0, 0, 0, 0, 0, 7, 0}, {0, 0, 0, 0, 0, 0, 7}};
    for (uint32_t build = 0; build < 2; ++build)
        for (uint32_t i = 0; i < 3; ++i)
            assert_memory_equal(scene->builds[build].geometries[i].micromap_counts.states, expected[i],
                                sizeof(expected[i]));
    assert_int_equal(scene->content_count, 1);
    for (uint32_t i = 0; i < 4; ++i)
        expect_micromap(scene, 0, i, (enum ws_micromap_state)i, 0);
    expect_micromap(scene, 0, 4, WS_MICROMAP_MAPPED, 105);
    expect_micromap(scene, 0, 5, WS_MICROMAP_MAPPED, 100);
    expect_micromap(scene, 0, 6, WS_MICROMAP_NOT_KNOWN, 0);
    expect_micromap(scene, 1, 1, WS_MICROMAP_MAPPED, 101);
    expect_micromap(scene, 2, 0, WS_MICROMAP_NOT_KNOWN, 0);
    assert_false(ws_scene_micromap(scene, 0, 0, 7, &none, &number));
    assert_false(ws_scene_micromap(scene, 0, 3, 0, &none, &number));
    ws_scene_destroy(scene);
}

/* What micromaps hold. 0: level 1, four states, the parts opaque, opaque, transparent, unknown opaque. 1: level 1, two states,
 * all opaque. 2: level 0, four states, unknown transparent. 3: level 2, two states, one of its 16 parts opaque. 4: beyond the
 * blob. Bits behind the parts are set. */
static const uint8_t opacities[5] = {0xc5, 0xff, 0xfe, 0x00, 0x01};
static const uint16_t opacity_triangles[5][4] = {
    {0, 0, 1, 2}, {1, 0, 1, 1}, {2, 0, 0, 2}, {3, 0, 2, 1}, {4, 0, 2, 1}};

/* Six triangles: opaque by its index, micromaps 0, 1, 2 and 3, and one that there is not. And four without indices, from 1 on.
 */
static void write_contents(struct scene_file *file)
{
    static const uint16_t indices[6] = {0xfffe, 0, 1, 2, 3, 9};
    float vertices[54] = {0};
    scene_begin(file);
    const uint32_t structure = hand_structure(file, BOTTOM_LEVEL, "leaf");
    const struct ws_build_geometry geometries[2] = {hand_triangles(file, vertices, 18),
                                                    hand_triangles(file, vertices, 12)};
    const uint32_t data = hand_blob(file, opacities, sizeof(opacities));
    const uint32_t triangles = hand_blob(file, opacity_triangles, sizeof(opacity_triangles));
    const struct ws_build_micromap micromaps[] = {
        {.index_type = INDEX_16, .stride = 2, .indices = hand_blob(file, indices, sizeof(indices))},
        {.geometry = 1, .index_type = INDEX_NONE, .indices = WS_NONE, .base = 1}};
    const struct ws_micromap_content contents[] = {{0, data, triangles, 5, 8}, {1, data, triangles, 5, 8}};
    const struct ws_chunk_build build = {.structure = structure,
                                         .source = WS_NONE,
                                         .geometries = geometries,
                                         .geometry_count = 2,
                                         .micromaps = micromaps,
                                         .micromap_count = 2,
                                         .contents = contents,
                                         .content_count = 2};
    assert_true(ws_capture_write_build(file->writer, &build, NULL));
}

static void what_micromaps_hold(void **state)
{
    (void)state;
    struct scene_file file;
    write_contents(&file);
    struct ws_scene *scene = scene_end(&file);
    static const struct ws_micromap_counts expected[2] = {
        {.states = {0, 2, 1, 0, 2, 1, 0}, .with = {2, 4, 1, 1}, .asking = 2, .parts = {16, 7, 1, 1}},
        {.states = {0, 1, 1, 0, 1, 1, 0}, .with = {1, 2, 1, 0}, .asking = 1, .parts = {15, 5, 1, 0}}};
    static const enum ws_micromap_state states[6] = {WS_MICROMAP_OPAQUE, WS_MICROMAP_MIXED,
                                                     WS_MICROMAP_OPAQUE, WS_MICROMAP_UNKNOWN_TRANSPARENT,
                                                     WS_MICROMAP_MIXED,  WS_MICROMAP_MAPPED};
    expect_no_problems(scene);
    for (uint32_t i = 0; i < 2; ++i)
        assert_memory_equal(&scene->builds[0].geometries[i].micromap_counts, &expected[i],
                            sizeof(expected[i]));
    for (uint32_t i = 0; i < 6; ++i)
        expect_micromap(scene, 0, i, states[i], 9);
    for (uint32_t i = 0; i < 4; ++i)
        expect_micromap(scene, 1, i, states[2 + i], 4);
    ws_scene_destroy(scene);
}

static void reports_micromaps(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_report report;
    struct ws_error error = {{0}};
    const struct ws_report_request request = {.analysis = ws_analysis_find("geometry")};
    write_micromaps(&file, false);
    scene_close(&file);
    assert_true(ws_report_read(&report, file.path, &request, &error));
    unlink(file.path);
    char *text = print(&report, ws_report_text);
    contains(text, "Opacity micromaps: what triangles are by them; of the parts");
    contains(text,
             "   0  leaf         0            1       1            1         1      0         2         1  "
             "1 of "
             "level 4 and 4 states, 1 of level 2 and 2 states\n"
             "   0  leaf         1            0       0            0         0      0         7         0\n"
             "   0  leaf         2            0       0            0         0      0         0         7\n");
    free(text);
    text = print(&report, ws_report_json);
    contains(text,
             "\"micromap\":true,\"micromaps\":{\"transparent\":1,\"opaque\":1,\"unknown_transparent\":1,"
             "\"unknown_opaque\":1,\"mixed\":0,\"mapped\":2,\"not_captured\":1,\"asking\":2,\"parts\":{"
             "\"transparent\":0,"
             "\"opaque\":0,\"unknown_transparent\":0,\"unknown_opaque\":0},\"base\":100,\"usages\":[{"
             "\"triangles\":1,"
             "\"level\":4,\"format\":\"4 states\"},{\"triangles\":1,\"level\":2,\"format\":\"2 states\"}]}");
    free(text);
    ws_report_finish(&report);
}

static void reports_what_micromaps_hold(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_report report;
    struct ws_error error = {{0}};
    const struct ws_report_request request = {.analysis = ws_analysis_find("geometry")};
    write_contents(&file);
    scene_close(&file);
    assert_true(ws_report_read(&report, file.path, &request, &error));
    unlink(file.path);
    char *text = print(&report, ws_report_text);
    contains(text, "   0  leaf         0            0       2            1         0      2         1        "
                   " 0    8.0 %\n"
                   "   0  leaf         1            0       1            1         0      1         1        "
                   " 0    4.8 %\n");
    free(text);
    text = print(&report, ws_report_json);
    contains(
        text,
        "\"mixed\":2,\"mapped\":1,\"not_captured\":0,\"asking\":2,\"parts\":{\"transparent\":16,\"opaque\":7,"
        "\"unknown_transparent\":1,\"unknown_opaque\":1}");
    free(text);
    ws_report_finish(&report);
}

/* Geometry is no pass: the settings tell whether it was captured. */
static void served(void **state)
{
    (void)state;
    const struct ws_analysis *kind = ws_analysis_find("geometry");
    const struct {
        const char *value; /* NULL: a capture of before there was that setting */
        const char *pass;
        bool served;
    } cases[] = {{"on", "simt_efficiency", true},
                 {"auto", "ray_events", true},
                 {"auto", "simt_efficiency", false},
                 {"off", "ray_events", false},
                 {NULL, "ray_events", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_text_pair setting = {"geometry", cases[i].value};
        const char *pass = cases[i].pass;
        struct ws_error error = {{0}};
        const struct ws_overview overview = {.has_info = true,
                                             .command_line = "./app",
                                             .passes = &pass,
                                             .pass_count = 1,
                                             .settings = &setting,
                                             .setting_count = cases[i].value != NULL ? 1 : 0};
        assert_int_equal(ws_analysis_is_served(kind, &overview, "run.wscope", &error), cases[i].served);
        if (!cases[i].served)
            assert_string_equal(error.message,
                                "'run.wscope' was recorded without geometry, which geometry needs; record it "
                                "with: warpscope record -p ray_events --geometry -- ./app");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(reports),
        cmocka_unit_test(micromaps),
        cmocka_unit_test(reports_micromaps),
        cmocka_unit_test(what_micromaps_hold),
        cmocka_unit_test(reports_what_micromaps_hold),
        cmocka_unit_test(served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
