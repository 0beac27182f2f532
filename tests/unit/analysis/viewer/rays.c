/* Answers on rays, by the texts that the page sends: every byte of a small one, and what is refused. */
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/viewer/read_report.h"

#include <math.h>

#include <cjson/cJSON.h>

#include "analysis/export/rays.h"
#include "analysis/rays/ray_events.h"
#include "analysis/viewer/viewer.h"
#include "warpscope/records.h"

static void open_viewer(struct ws_viewer *viewer, const char *path, const struct ws_selection *selection)
{
    const struct ws_viewer_options options = {.paths = {path}, .selection = selection, .read = read_report};
    struct ws_error error = {{0}};
    if (!ws_viewer_init(viewer, &options, &error))
        fail_msg("%s", error.message);
}

static uint8_t *ask(struct ws_viewer *viewer, const char *query, size_t *size)
{
    char *answer = NULL;
    struct ws_error error = {{0}};
    if (ws_viewer_answer(viewer, query, &answer, size, &error) != WS_VIEWER_ANSWERED)
        fail_msg("%s: %s", query, error.message);
    return (uint8_t *)answer;
}

static void refuse(struct ws_viewer *viewer, const char *query, const char *message)
{
    char *answer = NULL;
    size_t size = 0;
    struct ws_error error = {{0}};
    assert_int_equal(ws_viewer_answer(viewer, query, &answer, &size, &error), WS_VIEWER_REFUSED);
    assert_null(answer);
    if (strcmp(error.message, message) != 0)
        fail_msg("%s\nsays     %s\nexpected %s", query, error.message, message);
}

/* Bytes that are expected one after the other. */
static void expect_bytes(const uint8_t **at, const void *bytes, size_t size)
{
    assert_memory_equal(*at, bytes, size);
    *at += size;
}

static void expect_number(const uint8_t **at, uint32_t number)
{
    const uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    expect_bytes(at, bytes, 4);
}

static void expect_column(const uint8_t **at, const char *name, uint32_t type, uint32_t width)
{
    char text[16] = "";
    snprintf(text, sizeof(text), "%s", name);
    expect_bytes(at, text, sizeof(text));
    expect_number(at, type);
    expect_number(at, width);
}

/* Launch 1: ray 0 from (3, 0, 0) along (0, 0, 2) misses. The box of origins and hits is (3, 0, 0) to (4, 0, 4), so it is
 * drawn to t = 2 and a tenth of the diagonal farther: z = 4 + 0.1 sqrt(17) = 4.41231. Ray 1 from (4, 0, 0) hits at z = 4,
 * which is 4 / 4.41231 * 65535 = 59410.9 of the box of the lines. */
static void bytes_of_two_rays(void **state)
{
    static const struct {
        const char *name;
        uint32_t type, width;
    } columns[] = {{"line", 2, 8},     {"ray", 4, 1},           {"parent", 4, 1},   {"thread", 4, 3},
                   {"warp", 4, 1},     {"instance", 4, 1},      {"geometry", 4, 1}, {"primitive", 4, 1},
                   {"t", 5, 1},        {"depth", 2, 1},         {"kind", 1, 1},     {"end", 1, 1},
                   {"any_hits", 2, 1}, {"intersections", 2, 1}, {"shader", 4, 1},   {"site", 2, 1},
                   {"rules", 4, 1}};
    static const uint16_t lines[2][8] = {{0, 0, 0, 0, 0, 0, 65535, 1}, {65535, 0, 0, 0, 65535, 0, 59411, 1}};
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    size_t size = 0;
    open_viewer(&viewer, stream_path(stream), NULL);
    uint8_t *answer = ask(&viewer, "rays?launch=1", &size);
    const uint8_t *at = answer;
    expect_bytes(&at, "WSRY", 4);
    expect_number(&at, 1);
    expect_number(&at, 2);
    expect_number(&at, 17);
    for (int i = 0; i < 2; ++i) { /* matches, total */
        expect_number(&at, 2);
        expect_number(&at, 0);
    }
    const float box[6] = {3, 0, 0, 4, 0, 4.41231056f};
    expect_bytes(&at, box, sizeof(box));
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); ++i)
        expect_column(&at, columns[i].name, columns[i].type, columns[i].width);
    const uint32_t first = at[32]; /* behind the lines: which of the two comes first */
    expect_bytes(&at, lines[first], 16);
    expect_bytes(&at, lines[1 - first], 16);
    expect_number(&at, first);
    expect_number(&at, 1 - first);
    for (int i = 0; i < 2; ++i)
        expect_number(&at, 0xffffffff); /* parent */
    for (int i = 0; i < 8; ++i)
        expect_number(&at, 0);  /* thread and warp */
    for (int i = 0; i < 6; ++i) /* instance, geometry, primitive: the query's hit is of instance 0 */
        expect_number(&at, (uint32_t)(i % 2) == first ? 0xffffffff : 0);
    const float t[2] = {first == 0 ? NAN : 2, first == 0 ? 2 : NAN};
    for (int i = 0; i < 2; ++i, at += 4)
        assert_true(isnan(t[i]) ? (at[3] & 0x7f) == 0x7f && at[2] >= 0xc0 : memcmp(at, &t[i], 4) == 0);
    expect_number(&at, 0);                                      /* depth */
    expect_bytes(&at, first == 0 ? "\0\2\0\0" : "\2\0\0\0", 4); /* kind, padded */
    expect_bytes(&at, first == 0 ? "\2\1\0\0" : "\1\2\0\0", 4); /* end, padded */
    for (int i = 0; i < 4; ++i)
        expect_number(&at, 0);                                  /* any_hits, intersections, shader twice */
    expect_bytes(&at, first == 0 ? "\0\0\1\0" : "\1\0\0\0", 4); /* site */
    expect_number(&at, 0);                                      /* rules */
    expect_number(&at, 0);
    assert_int_equal(at - answer, size);
    free(answer);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

static uint32_t number_at(const uint8_t *answer, size_t at)
{
    uint32_t number;
    memcpy(&number, answer + at, sizeof(number));
    return number;
}

/* Of each query: how many rays come, how many fit, and with columns=ray the first of them, whose numbers lie behind the
 * header of 56 bytes and one entry of 24. */
static void counts(struct ws_viewer *viewer, const char *query, uint32_t count, uint32_t matches)
{
    size_t size = 0;
    uint8_t *answer = ask(viewer, query, &size);
    assert_int_equal(number_at(answer, 8), count);
    assert_int_equal(number_at(answer, 16), matches);
    assert_int_equal(number_at(answer, 24), 2);
    assert_int_equal(size, 56 + 24 + 4 * count);
    free(answer);
}

static void pages_and_filters(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    open_viewer(&viewer, stream_path(stream), NULL);
    counts(&viewer, "rays?launch=0&columns=ray", 2, 2);
    counts(&viewer, "rays?launch=0&columns=ray&count=1", 1, 2);
    counts(&viewer, "rays?launch=0&columns=ray&count=1&first=1", 1, 2);
    counts(&viewer, "rays?launch=0&columns=ray&first=2", 0, 2);
    counts(&viewer, "rays?launch=0&columns=ray&end=implicit_hit", 1, 1);
    counts(&viewer, "rays?launch=0&columns=ray&end=implicit_hit&parents=1", 2, 2);
    counts(&viewer, "rays?launch=1&columns=ray&end=implicit_hit", 0, 0);
    counts(&viewer, "rays?launch=1&columns=ray&kind=query", 1, 1);
    counts(&viewer, "rays?launch=0&columns=ray&any_hits=1-&instance=2&geometry=3&primitive=4", 1, 1);
    counts(&viewer, "rays?launch=0&columns=ray&thread=0,1", 2, 2);
    counts(&viewer, "rays?launch=0&columns=ray&thread=0,0", 0, 0);
    counts(&viewer, "rays?launch=0&columns=ray&shader=1", 1, 1);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

static void refuses(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    char message[512];
    open_viewer(&viewer, stream_path(stream), NULL);
    refuse(&viewer, "rays", "rays needs launch=N");
    snprintf(message, sizeof(message), "'%s' has no launch 2", stream_path(stream));
    refuse(&viewer, "rays?launch=2", message);
    refuse(&viewer, "rays?launch=0&columns=ray,rais", "rays have no column 'rais'");
    refuse(&viewer, "rays?launch=0&end=far", "'far' is none of unknown, hit, miss, implicit_hit, no_shader");
    refuse(&viewer, "rays?launch=0&shader=77", "the capture has no shader with the id '77'");
    refuse(&viewer, "rays?launch=0&rule=none", "there is no rule of advice 'none'");
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* One point: its place is the box; then the counts, and what was met. Columns begin behind 56 + 8 * 24 bytes. */
static void expect_point(struct ws_viewer *viewer, const char *query, const float place[3], float t,
                         uint32_t primitive, uint8_t result)
{
    size_t size = 0;
    uint8_t *answer = ask(viewer, query, &size);
    const uint8_t *columns = answer + 56 + 8 * 24;
    assert_memory_equal(answer, "WSPT", 4);
    assert_int_equal(number_at(answer, 8), 1);
    assert_memory_equal(answer + 32, place, 12);
    assert_memory_equal(answer + 44, place, 12);
    assert_int_equal(number_at(columns, 20), primitive);
    assert_memory_equal(columns + 24, &t, 4);
    assert_int_equal(columns[28], result);
    assert_int_equal(columns[32], 1);
    assert_int_equal(size, 56 + 8 * 24 + 8 + 5 * 4 + 2 * 4);
    free(answer);
}

static void points(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    size_t size = 0;
    open_viewer(&viewer, stream_path(stream), NULL);
    expect_point(&viewer, "points?launch=0&kind=any_hit", (const float[3]){1, 1, 0.5f}, 0.25f, 9,
                 WS_CANDIDATE_IGNORED);
    expect_point(&viewer, "points?launch=1&kind=hit", (const float[3]){4, 0, 4}, 2, 0, 255);
    expect_point(&viewer, "points?launch=1&kind=query", (const float[3]){4, 0, 4}, 2, 0,
                 WS_CANDIDATE_ACCEPTED);
    expect_point(&viewer, "points?launch=1&kind=origin&ray_kind=query", (const float[3]){4, 0, 0}, 0, WS_NONE,
                 255);
    expect_point(&viewer, "points?launch=1&kind=miss", (const float[3]){3, 0, 4.41231056f}, 2.20615528f,
                 WS_NONE, 255);
    uint8_t *answer = ask(&viewer, "points?launch=0&kind=origin&end=hit", &size);
    assert_true(number_at(answer, 8) == 1 && number_at(answer, 16) == 1 && number_at(answer, 24) == 2);
    free(answer);
    refuse(&viewer, "points?launch=0&kind=far",
           "points needs kind=origin, hit, miss, any_hit, report, intersection or query, not 'far'");
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

static cJSON *ask_json(struct ws_viewer *viewer, const char *query)
{
    size_t size = 0;
    char *text = (char *)ask(viewer, query, &size);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

/* Each launch has two rays by two calls: of launch 0 one is in the closest hit shader. A ray names its call as the list
 * does. */
static void names_call_sites(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    open_viewer(&viewer, stream_path(stream), NULL);
    for (int launch = 0; launch < 2; ++launch) {
        char query[64];
        snprintf(query, sizeof(query), "rays.json?launch=%d", launch);
        cJSON *json = ask_json(&viewer, query);
        const cJSON *sites = cJSON_GetObjectItem(json, "sites");
        assert_int_equal(cJSON_GetObjectItem(json, "rays")->valueint, 2);
        assert_int_equal(cJSON_GetArraySize(sites), 2);
        for (int i = 0; i < 2; ++i) {
            snprintf(query, sizeof(query), "ray.json?launch=%d&ray=%d", launch, i);
            cJSON *ray = ask_json(&viewer, query);
            const int number = cJSON_GetObjectItem(ray, "site")->valueint;
            const cJSON *site = cJSON_GetArrayItem(sites, number);
            assert_int_equal(cJSON_GetObjectItem(site, "site")->valueint, number);
            assert_int_equal(cJSON_GetObjectItem(site, "rays")->valueint, 1);
            assert_int_equal(cJSON_GetObjectItem(site, "shader_id")->valueint, launch == 0 ? i : 0);
            assert_string_equal(cJSON_GetObjectItem(site, "name")->valuestring,
                                cJSON_GetObjectItem(ray, "call")->valuestring);
            cJSON_Delete(ray);
        }
        cJSON_Delete(json);
    }
    refuse(&viewer, "rays.json", "rays.json needs launch=N");
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* What ray.json says, but the exact ray and the lists that stand in it as numbers. */
static void expect_story(struct ws_viewer *viewer, const char *query, const char *const *sentences)
{
    size_t size = 0;
    char *answer = (char *)ask(viewer, query, &size);
    cJSON *json = cJSON_Parse(answer);
    assert_non_null(json);
    const cJSON *story = cJSON_GetObjectItem(json, "story");
    int count = 0;
    for (; sentences[count] != NULL; ++count) {
        const cJSON *sentence = cJSON_GetObjectItem(cJSON_GetArrayItem(story, count), "text");
        if (sentence == NULL || strcmp(sentence->valuestring, sentences[count]) != 0)
            fail_msg("%s\nsays     %s\nexpected %s", query,
                     sentence != NULL ? sentence->valuestring : "nothing", sentences[count]);
    }
    assert_int_equal(cJSON_GetArraySize(story), count);
    cJSON_Delete(json);
    free(answer);
}

/* What a sentence of a story leads to. `what`: the members behind its text, as they are written. */
static void expect_target(struct ws_viewer *viewer, const char *query, int number, const char *what)
{
    size_t size = 0;
    char *answer = (char *)ask(viewer, query, &size);
    cJSON *json = cJSON_Parse(answer);
    cJSON *sentence = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "story"), number);
    cJSON_DeleteItemFromObject(sentence, "text");
    char *text = cJSON_PrintUnformatted(sentence);
    assert_string_equal(text, what);
    cJSON_free(text);
    cJSON_Delete(json);
    free(answer);
}

static void tells_stories(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    open_viewer(&viewer, stream_path(stream), NULL);
    expect_story(
        &viewer, "ray.json?launch=0&ray=0",
        (const char *const[]){
            "The first ray of pixel 0,1 (lane 1 of warp 0) is traced by raygen:main, traceRay.",
            "It leaves 1 1 0 along 0 0 2, for t from 0.5 to 100.",
            "At t 0.25 it meets instance 2 (custom index 20), geometry 3, primitive 9; any-hit shader "
            "any_hit:main ignores it.",
            "It hits instance 2 (custom index 20), geometry 3, primitive 4 from the front at t 0.5, at 1 1 "
            "1; "
            "closest hit shader closest_hit:main runs.",
            "Its shaders trace 1 more: ray 1.", NULL});
    expect_story(
        &viewer, "ray.json?launch=0&ray=1",
        (const char *const[]){
            "A ray of depth 1 of pixel 0,1 (lane 1 of warp 0) is traced in a shader of ray 0: "
            "closest_hit:main, traceRay.",
            "It leaves 2 1 0 along 0 0 2, for t from 0.5 to 100.", "Its ray flags are SkipClosestHitShader.",
            "It hits something: its miss shader did not run, and it has SkipClosestHitShader, so no "
            "closest hit shader did.",
            "It is evidence for advice: Set the ray flags of rays that only ask for a hit (shadow_flags).",
            NULL});
    expect_story(&viewer, "ray.json?launch=1&ray=0",
                 (const char *const[]){
                     "The first ray of pixel 0,0 (lane 0 of warp 0) is traced by raygen:main, traceRay.",
                     "It leaves 3 0 0 along 0 0 2, for t from 0.5 to 100.",
                     "It misses everything; miss shader miss:main runs.", NULL});
    expect_story(&viewer, "ray.json?launch=1&ray=1",
                 (const char *const[]){
                     "A ray query of pixel 0,0 (lane 0 of warp 0) is traced by raygen:main, ray query.",
                     "It leaves 4 0 0 along 0 0 2, for t from 0.5 to 100.",
                     "At t 2 the query meets instance 0 (custom index 0), geometry 0, primitive 0; "
                     "raygen:main confirms it.",
                     "It hits instance 0 (custom index 0), geometry 0, primitive 0 at t 2, at 4 0 4.", NULL});
    /* Origin 1 1 0 along 0 0 2: at t 0.25 1 1 0.5, at t 0.5 1 1 1. */
    expect_target(&viewer, "ray.json?launch=0&ray=0", 0, "{}");
    expect_target(&viewer, "ray.json?launch=0&ray=0", 1, "{\"at\":[1,1,0]}");
    expect_target(&viewer, "ray.json?launch=0&ray=0", 2,
                  "{\"instance\":2,\"geometry\":3,\"primitive\":9,\"at\":[1,1,0.5]}");
    expect_target(&viewer, "ray.json?launch=0&ray=0", 3,
                  "{\"instance\":2,\"geometry\":3,\"primitive\":4,\"at\":[1,1,1]}");
    expect_target(&viewer, "ray.json?launch=0&ray=0", 4, "{\"ray\":1}");
    expect_target(&viewer, "ray.json?launch=0&ray=1", 0, "{\"ray\":0}");
    expect_target(&viewer, "ray.json?launch=0&ray=1", 3, "{}");
    counts(&viewer, "rays?launch=0&columns=ray&rule=shadow_flags", 1, 1);
    counts(&viewer, "rays?launch=0&columns=ray&rule=shadow_flags&parents=1", 2, 2);
    counts(&viewer, "rays?launch=0&columns=ray&rule=opaque", 0, 0);
    counts(&viewer, "rays?launch=0&columns=ray&depth=0&end=hit", 1, 1);
    refuse(&viewer, "rays?launch=0&columns=ray&depth=0%26end%3Dhit",
           "'0&end=hit' is no number or range such as 3 or 3-7");
    refuse(&viewer, "ray.json?launch=1", "ray.json needs ray=N, or first=N");
    refuse(&viewer, "ray.json?launch=1&ray=2", "launch 1 has no ray 2: it has 2");
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* What lies at t = 0: a triangle for an any-hit shader, one for a query, and an intersection that is generated in a box. Of the
 * second box it is not known where it lies. */
static void at_the_origin(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    struct ws_viewer viewer;
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    ray_trace(stream, a, 0x1, 3, 0);
    const uint32_t b = ray_enter(stream, any, 0x1, 0);
    ray_hit(stream, b, 0x1, 0, 9);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    ray_initialize(stream, a, 0x1, 7, 4);
    ray_proceed(stream, a, 0x1, 7, WS_QUERY_PROCEEDED | WS_QUERY_FRONT, 0, 0);
    ray_proceed(stream, a, 0x1, 7, WS_QUERY_PROCEEDED | 1, 0, 0);
    ray_proceed(stream, a, 0x1, 7, WS_QUERY_PROCEEDED | 1, 0, 0);
    ray_generate(stream, a, 0x1, 7, 0);
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    stream_finish(stream);
    open_viewer(&viewer, stream_path(stream), NULL);
    expect_story(&viewer, "ray.json?launch=0&ray=0",
                 (const char *const[]){
                     "The first ray of pixel 0,0 (lane 0 of warp 0) is traced by raygen:main, traceRay.",
                     "It leaves 3 0 0 along 0 0 2, for t from 0.5 to 100.",
                     "At t 0 it meets instance 2 (custom index 20), geometry 3, primitive 9; any-hit shader "
                     "any_hit:main ignores it.",
                     "It ends where the binding table has no shader: whether it hit or missed is not known.",
                     NULL});
    expect_target(&viewer, "ray.json?launch=0&ray=0", 2,
                  "{\"instance\":2,\"geometry\":3,\"primitive\":9,\"at\":[3,0,0]}");
    expect_story(
        &viewer, "ray.json?launch=0&ray=1",
        (const char *const[]){
            "A ray query of pixel 0,0 (lane 0 of warp 0) is traced by raygen:main, ray query.",
            "It leaves 4 0 0 along 0 0 2, for t from 0.5 to 100.",
            "At t 0 the query meets instance 0 (custom index 0), geometry 0, primitive 0; raygen:main does "
            "not confirm it.",
            "The query meets the box of instance 0 (custom index 0), geometry 0, primitive 0; raygen:main "
            "does not confirm it.",
            "At t 0 the query meets instance 0 (custom index 0), geometry 0, primitive 0; raygen:main "
            "confirms it.",
            "It hits instance 0 (custom index 0), geometry 0, primitive 0 at t 0, at 4 0 0.", NULL});
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

static void counts_rays(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    size_t size = 0;
    open_viewer(&viewer, stream_path(stream), NULL);
    char *answer = (char *)ask(&viewer, "rays.json?launch=0&depth=0", &size);
    assert_string_equal(
        answer, "{\n"
                "  \"launch\": 0,\n"
                "  \"rays\": 2,\n"
                "  \"matches\": 1,\n"
                "  \"scene\": [1,1,0,2,1,1],\n"
                "  \"ends\": {\"unknown\":0,\"hit\":1,\"miss\":0,\"implicit_hit\":0,\"no_shader\":0},\n"
                "  \"kinds\": {\"trace\":1,\"skip_closest_hit\":0,\"query\":0},\n"
                "  \"depths\": [1],\n"
                "  \"any_hits\": 1,\n"
                "  \"intersections\": 0,\n"
                "  \"sites\": [\n"
                "    "
                "{\"site\":0,\"name\":\"traceRay\",\"shader_id\":0,\"shader\":\"raygen:main\",\"file\":"
                "null,\"line\":null,\"rays\":1,\"total\":1},\n"
                "    "
                "{\"site\":1,\"name\":\"traceRay\",\"shader_id\":1,\"shader\":\"closest_hit:main\","
                "\"file\":null,\"line\":null,\"rays\":0,\"total\":1}\n"
                "  ],\n"
                "  \"instances\": [\n"
                "    {\"instance\":2,\"rays\":1}\n"
                "  ],\n"
                "  \"instance_count\": 1,\n"
                "  \"rules\": []\n"
                "}\n");
    free(answer);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* The exact ray is what export writes, character by character. */
static void is_what_export_writes(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    struct ws_report report;
    char path[64];
    size_t size = 0;
    temporary_path(path);
    struct ws_rays_export rays = {.path = path, .format = WS_RAYS_JSONL};
    struct ws_report_request request = {.analysis = &ws_analysis_rays_export, .options = {.user = &rays}};
    assert_true(ws_report_read(&report, stream_path(stream), &request, NULL));
    ws_report_finish(&report);
    char *lines = (char *)load_file(path, &size);
    char *rest = lines;
    open_viewer(&viewer, stream_path(stream), NULL);
    for (int i = 0; i < 4; ++i) {
        char query[64];
        snprintf(query, sizeof(query), "ray.json?launch=%d&ray=%d", i / 2, i % 2);
        char *answer = (char *)ask(&viewer, query, &size);
        const char *line = strsep(&rest, "\n");
        assert_non_null(strstr(answer, line));
        free(answer);
    }
    free(lines);
    unlink(path);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

#define LONG_PATH 300

/* Launch 0: a path of LONG_PATH rays, each traced by the hit shader of the one before. Launch 1: the hit shader of a ray traces
 * LONG_PATH more. */
static struct stream *write_long_paths(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    uint32_t contexts[LONG_PATH];
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    for (uint32_t i = 0; i < LONG_PATH; ++i) {
        contexts[i] = ray_enter(stream, i == 0 ? raygen : hit, 0x1, 0);
        if (i > 0)
            ray_hit(stream, contexts[i], 0x1, 1, 4);
        ray_trace(stream, contexts[i], 0x1, i, i + 1 == LONG_PATH ? WS_RAY_FLAG_SKIP_CLOSEST_HIT : 0);
    }
    for (uint32_t i = LONG_PATH; i-- > 0;) {
        ray_place(stream, contexts[i], RAY_SITE_RETURN, 0x1);
        ray_place(stream, contexts[i], RAY_SITE_END, 0x1);
    }
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    ray_trace(stream, a, 0x1, 0, 0);
    const uint32_t b = ray_enter(stream, hit, 0x1, 0);
    ray_hit(stream, b, 0x1, 1, 4);
    for (uint32_t i = 0; i < LONG_PATH; ++i) {
        ray_trace(stream, b, 0x1, 1 + i, WS_RAY_FLAG_SKIP_CLOSEST_HIT);
        ray_place(stream, b, RAY_SITE_RETURN, 0x1);
    }
    ray_place(stream, b, RAY_SITE_END, 0x1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

/* A list of the answer on a ray has 256 numbers, from `first` on, one after the other; `count` says how many there are. */
static void expect_part(struct ws_viewer *viewer, const char *query, const char *list, const char *count,
                        int first)
{
    cJSON *ray = ask_json(viewer, query);
    const cJSON *numbers = cJSON_GetObjectItem(ray, list);
    assert_int_equal(cJSON_GetObjectItem(ray, count)->valueint, LONG_PATH);
    assert_int_equal(cJSON_GetArraySize(numbers), 256);
    for (int i = 0; i < 256; ++i)
        assert_int_equal(cJSON_GetArrayItem(numbers, i)->valueint, first + i);
    cJSON_Delete(ray);
}

/* Of a path the end that leads to the ray is told, of what a ray leads to the beginning, and how long both are. */
static void tells_parts_of_long_paths(void **state)
{
    (void)state;
    struct stream *stream = write_long_paths();
    struct ws_viewer viewer;
    open_viewer(&viewer, stream_path(stream), NULL);
    expect_part(&viewer, "ray.json?launch=0&ray=299", "path", "path_count", LONG_PATH - 256);
    expect_part(&viewer, "ray.json?launch=1&ray=0", "children", "child_count", 1);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* Each launch has as many rays as the report counts. */
static void as_many_as_the_report(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_viewer viewer;
    open_viewer(&viewer, stream_path(stream), NULL);
    const struct ws_ray_events *events =
        ws_report_results(&viewer.captures[0].report, &ws_analysis_ray_events);
    assert_non_null(events);
    assert_int_equal(events->launch_count, 2);
    for (uint32_t i = 0; i < events->launch_count; ++i) {
        char query[64];
        size_t size = 0;
        snprintf(query, sizeof(query), "rays?launch=%u&columns=ray", i);
        uint8_t *answer = ask(&viewer, query, &size);
        assert_int_equal(number_at(answer, 24), events->launches[i].rays);
        free(answer);
    }
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

/* With --shader only the rays that it traces are there, with the same rules for parents as in reports. */
static void of_chosen_shaders(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_of_all_stages();
    struct ws_selection selection = {.counts = {0}};
    struct ws_viewer viewer;
    size_t size = 0;
    assert_true(ws_selection_add(&selection, WS_SELECT_SHADER, "closest_hit:main", NULL));
    open_viewer(&viewer, stream_path(stream), &selection);
    uint8_t *answer = ask(&viewer, "rays?launch=0&columns=parent,shader", &size);
    assert_int_equal(number_at(answer, 8), 1);
    assert_int_equal(number_at(answer, 24), 1);
    assert_int_equal(number_at(answer, 56 + 48), 0xffffffff);
    assert_int_equal(number_at(answer, 56 + 52), 1);
    free(answer);
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_two_rays),
        cmocka_unit_test(pages_and_filters),
        cmocka_unit_test(points),
        cmocka_unit_test(names_call_sites),
        cmocka_unit_test(counts_rays),
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(at_the_origin),
        cmocka_unit_test(is_what_export_writes),
        cmocka_unit_test(tells_parts_of_long_paths),
        cmocka_unit_test(refuses),
        cmocka_unit_test(as_many_as_the_report),
        cmocka_unit_test(of_chosen_shaders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
