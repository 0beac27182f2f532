/* The rays of a launch in the store, and filters on them: each key alone gives the rays that were made to fit it. */
#include "tests/unit/analysis/capture/capture_test.h"

#include <math.h>
#include <unistd.h>

#include "analysis/viewer/rays/ray_filter.h"
#include "warpscope/model/catalog.h"

static const char *const rule_names[] = {"opaque", "leaks", "trapped", NULL};

/* Two shaders, with the ids 7 and 9. */
static void make_catalog(struct ws_catalog *catalog)
{
    const struct ws_chunk module = {.type = WS_CHUNK_MODULE, .module = {.id = 1, .name = "", .words = NULL}};
    ws_catalog_init(catalog);
    assert_true(ws_catalog_record(catalog, &module, NULL));
    for (uint32_t id = 7; id <= 9; id += 2) {
        const struct ws_chunk chunk = {.type = WS_CHUNK_SHADER,
                                       .shader = {.id = id, .module = 1, .entry = WS_NONE, .name = "main"}};
        assert_true(ws_catalog_record(catalog, &chunk, NULL));
    }
}

/* Thread n is pixel n % 8, n / 8 of warp n / 8, and traces 4 rays:
 *
 *   4n      trace, shader 0, site 0: hits instance n % 5, geometry n % 3, primitive n at t = n / 4
 *   4n + 1  skip, shader 1, site 1, parent 4n: misses
 *   4n + 2  query, shader 1, site 2, parent 4n: any_hits n, intersections 2 n; unknown
 *   4n + 3  trace, shader 0, site 0, parent 4n + 1: implicit_hit */
static void add_thread(struct ws_ray_store *store, uint32_t n)
{
    const struct ws_thread work = {.work = {n % 8, n / 8, 0}};
    struct ws_ray rays[4] = {
        {.parent = WS_NONE,
         .end = WS_RAY_HIT,
         .has_hit = true,
         .direction = {0, 0, 1},
         .hit = {.t = (float)n / 4, .instance = n % 5, .geometry = n % 3, .primitive = n}},
        {.parent = 0,
         .depth = 1,
         .shader = 1,
         .site = 1,
         .end = WS_RAY_MISSED,
         .flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT},
        {.parent = 0,
         .depth = 1,
         .shader = 1,
         .site = 2,
         .query = true,
         .any_hits = n,
         .intersections = 2 * n},
        {.parent = 1, .depth = 2, .end = WS_RAY_IMPLICIT, .candidate_count = 1}};
    const struct ws_ray_candidate candidate = {.shader = n};
    const struct ws_ray_thread thread = {
        .index = n, .thread = &work, .warp = n / 8, .rays = rays, .ray_count = 4, .candidates = &candidate};
    struct ws_error error = {{0}};
    for (uint32_t i = 0; i < 4; ++i) {
        rays[i].number = i;
        rays[i].origin[0] = (float)(4 * n + i);
    }
    if (!ws_ray_store_add(store, &thread, work.work, &error))
        fail_msg("%s", error.message);
}

static struct ws_ray_store *make_store(uint32_t threads)
{
    struct ws_ray_store *store = ws_ray_store_create(3);
    struct ws_error error = {{0}};
    assert_non_null(store);
    for (uint32_t n = 0; n < threads; ++n)
        add_thread(store, n);
    if (!ws_ray_store_end(store, &error))
        fail_msg("%s", error.message);
    return store;
}

/* What was put in comes out, over several blocks. */
static void keeps_rays(void **state)
{
    (void)state;
    struct ws_ray_store *store = make_store(10000);
    assert_true(store->count == 40000 && store->owner_count == 10000 && store->candidate_count == 10000);
    assert_true(store->call_count == 3 && store->calls[0].rays == 20000 && store->calls[2].of.site == 2);
    assert_true(store->extent[0] == 0 && store->extent[3] == 39999 && store->extent[5] == 9999 / 4.0f);
    for (uint32_t ray = 0; ray < store->count; ++ray) {
        struct ws_ray_thread thread;
        const struct ws_ray_owner *owner = ws_ray_store_owner(store, ray);
        const struct ws_ray_block *block = ws_ray_store_block(store, ray / WS_RAY_BLOCK);
        ws_ray_store_thread(store, owner, &thread);
        assert_true(owner->ray_first == ray - ray % 4 && thread.index == ray / 4 && thread.ray_count == 4);
        assert_true(ws_ray_store_ray(store, ray)->origin[0] == (float)ray);
        assert_true(thread.rays[ray % 4].origin[0] == (float)ray && thread.candidates[0].shader == ray / 4);
        assert_int_equal(block->parent[ray % WS_RAY_BLOCK], ray % 4 == 0   ? WS_NONE
                                                            : ray % 4 == 3 ? ray - 2
                                                                           : ray - ray % 4);
        assert_true(isnan(block->t[ray % WS_RAY_BLOCK]) == (ray % 4 != 0));
    }
    ws_ray_store_destroy(store);
}

/* Every ray comes once; and of any prefix the places in the launch are spread evenly: over 64 equal parts of the launch
 * chi-square stays below 103.4, which chance exceeds once in a thousand (63 degrees of freedom). */
static void shuffles(void **state)
{
    (void)state;
    struct ws_ray_store *store = make_store(16384);
    uint8_t *seen = calloc(store->count, 1);
    for (uint32_t i = 0; i < store->count; ++i)
        seen[store->order[i]]++;
    for (uint32_t i = 0; i < store->count; ++i)
        assert_int_equal(seen[i], 1);
    for (uint32_t prefix = 2048; prefix < store->count; prefix *= 2) {
        double chi = 0;
        uint32_t parts[64] = {0};
        const double expected = prefix / 64.0;
        for (uint32_t i = 0; i < prefix; ++i)
            parts[store->order[i] / (store->count / 64)]++;
        for (int i = 0; i < 64; ++i)
            chi += (parts[i] - expected) * (parts[i] - expected) / expected;
        assert_true(chi < 103.4);
    }
    struct ws_ray_store *again = make_store(16384);
    assert_memory_equal(store->order, again->order, store->count * sizeof(uint32_t));
    ws_ray_store_destroy(again);
    ws_ray_store_destroy(store);
    free(seen);
}

/* Adds "key=value&key=value". */
static bool add_keys(struct ws_ray_filter *filter, const char *keys, struct ws_error *error)
{
    struct ws_catalog catalog;
    const struct ws_ray_filter_names names = {&catalog, rule_names};
    char text[256];
    char *rest = text;
    bool added = true;
    make_catalog(&catalog);
    snprintf(text, sizeof(text), "%s", keys);
    while (added && rest != NULL) {
        char *value = strsep(&rest, "&");
        const char *key = strsep(&value, "=");
        assert_true(ws_ray_filter_has_key(key));
        added = ws_ray_filter_add(filter, key, value, &names, error);
    }
    ws_catalog_finish(&catalog);
    return added;
}

/* Whether a ray of make_store fits; called with the number of its thread and of the ray in it. */
typedef bool fits(uint32_t n, uint32_t i);

static void expect(const struct ws_ray_store *store, const char *keys, fits *fit)
{
    struct ws_ray_filter filter = {.count = 0};
    struct ws_ray_set set;
    struct ws_error error = {{0}};
    uint32_t count = 0;
    if (!add_keys(&filter, keys, &error))
        fail_msg("%s: %s", keys, error.message);
    assert_true(ws_ray_filter_select(&filter, store, &set));
    for (uint32_t ray = 0; ray < store->count; ++ray) {
        if (ws_ray_set_has(&set, ray) != fit(ray / 4, ray % 4))
            fail_msg("%s: ray %u of thread %u", keys, ray % 4, ray / 4);
        count += fit(ray / 4, ray % 4);
    }
    assert_true(set.count == count && count > 0);
    ws_ray_set_finish(&set);
    ws_ray_filter_finish(&filter);
}

#define FITS(name, condition)                                                                                \
    static bool name(uint32_t n, uint32_t i)                                                                 \
    {                                                                                                        \
        (void)n;                                                                                             \
        (void)i;                                                                                             \
        return condition;                                                                                    \
    }

FITS(all, true)
FITS(misses, i == 1)
FITS(misses_or_hits, i < 2)
FITS(queries, i == 2)
FITS(deep, i > 0)
FITS(depth_1, i == 1 || i == 2)
FITS(some_instances, i == 0 && (n % 5 == 1 || n % 5 >= 3))
FITS(geometry_2, i == 0 && n % 3 == 2)
FITS(some_primitives, i == 0 && (n == 3 || n == 5 || n == 7 || n == 9 || n == 11 || n == 4000))
FITS(shader_9, i == 1 || i == 2)
FITS(site_0, i == 0 || i == 3)
FITS(some_any_hits, i == 2 && n >= 10 && n <= 20)
FITS(no_any_hits, i != 2 || n == 0)
FITS(many_intersections, i == 2 && n >= 8000)
FITS(near, i == 0 && n >= 2 && n <= 9)
FITS(far, i == 0 && n >= 4000)
FITS(at, i == 0 && n == 10)
FITS(pixels, n % 8 >= 2 && n % 8 <= 3 && n / 8 >= 1 && n / 8 <= 5)
FITS(pixel, n == 8 * 9 + 3)
FITS(warps, n / 8 == 0 || n / 8 >= 1000)
FITS(ids, n == 1 || (n == 2 && i == 0) || (n == 9999 && i == 3))
FITS(several, i == 0 && n % 5 == 1 && n % 3 == 2 && n / 8 < 100)
FITS(missed_with_parents, i <= 1 && n == 12)
FITS(implicit_with_parents, i != 2 && n == 12)

static void by_each_key(void **state)
{
    (void)state;
    struct ws_ray_store *store = make_store(10000);
    expect(store, "parents=0", all);
    expect(store, "end=miss", misses);
    expect(store, "end=miss,hit", misses_or_hits);
    expect(store, "kind=query", queries);
    expect(store, "kind=skip_closest_hit", misses);
    expect(store, "depth=1-", deep);
    expect(store, "depth=1", depth_1);
    expect(store, "depth=1,1-1,1", depth_1);
    expect(store, "instance=3-,1", some_instances);
    expect(store, "geometry=2", geometry_2);
    expect(store, "primitive=3,5,7,9,11,4000", some_primitives);
    expect(store, "shader=9", shader_9);
    expect(store, "shader=9,7", all);
    expect(store, "site=0", site_0);
    expect(store, "any_hits=10-20", some_any_hits);
    expect(store, "any_hits=-0", no_any_hits);
    expect(store, "intersections=16000-", many_intersections);
    expect(store, "t=0.5-2.25", near);
    expect(store, "t=5e-1-225e-2", near);
    expect(store, "t=1000-", far);
    expect(store, "t=2.5", at);
    expect(store, "pixels=2,1-3,5", pixels);
    expect(store, "pixels=3,9", pixel);
    expect(store, "thread=3,9,0", pixel);
    expect(store, "thread=3,9", pixel);
    expect(store, "warp=0,1000-", warps);
    expect(store, "ids=4-8,39999", ids);
    expect(store, "geometry=2&instance=1&warp=-99&end=hit", several);
    expect(store, "thread=4,1&end=miss&parents=1", missed_with_parents);
    expect(store, "thread=4,1&depth=2&parents=1", implicit_with_parents);
    ws_ray_store_destroy(store);
}

FITS(leaks, n == 5 && i == 1)
FITS(leaks_or_trapped, n == 5 && (i == 1 || i == 2))

static void by_rule(void **state)
{
    (void)state;
    struct ws_ray_store *store = make_store(100);
    struct ws_ray_filter filter = {.count = 0};
    struct ws_ray_set set;
    assert_true(add_keys(&filter, "rule=leaks", NULL) && ws_ray_filter_select(&filter, store, &set));
    assert_int_equal(set.count, 0);
    ws_ray_set_finish(&set);
    ws_ray_filter_finish(&filter);
    uint32_t *rules = calloc(store->count, sizeof(*rules));
    store->rules = rules;
    rules[21] = 2;
    rules[22] = 5;
    expect(store, "rule=leaks", leaks);
    expect(store, "rule=leaks,trapped", leaks_or_trapped);
    ws_ray_store_destroy(store);
}

static void refuse(const char *keys, const char *message)
{
    struct ws_ray_filter filter = {.count = 0};
    struct ws_error error = {{0}};
    assert_false(add_keys(&filter, keys, &error));
    assert_string_equal(error.message, message);
    ws_ray_filter_finish(&filter);
}

static void refuses(void **state)
{
    (void)state;
    refuse("end=hits", "'hits' is none of unknown, hit, miss, implicit_hit, no_shader");
    refuse("kind=", "'' is none of trace, skip_closest_hit, query");
    refuse("depth=a", "'a' is no number or range such as 3 or 3-7");
    refuse("depth=7-3", "'7-3' is no number or range such as 3 or 3-7");
    refuse("depth=-", "'-' is no number or range such as 3 or 3-7");
    refuse("depth=1,", "'' is no number or range such as 3 or 3-7");
    refuse("depth= 1", "' 1' is no number or range such as 3 or 3-7");
    refuse("instance=4294967295", "'4294967295' is no number or range such as 3 or 3-7");
    refuse("instance=3-4294967295", "'3-4294967295' is no number or range such as 3 or 3-7");
    refuse("depth=4294967296", "'4294967296' is no number or range such as 3 or 3-7");
    refuse("depth=1-2-3", "'1-2-3' is no number or range such as 3 or 3-7");
    refuse("shader=8", "the capture has no shader with the id '8'");
    refuse("t=a", "'a' is no distance or range such as 0.5-2");
    refuse("t=", "'' is no distance or range such as 0.5-2");
    refuse("t=-", "'-' is no distance or range such as 0.5-2");
    refuse("t=nan", "'nan' is no distance or range such as 0.5-2");
    refuse("t=2-1", "'2-1' is no distance or range such as 0.5-2");
    refuse("pixels=1", "'1' are no pixels such as 12,40 or 0,0-63,63");
    refuse("pixels=1,2,3", "'1,2,3' are no pixels such as 12,40 or 0,0-63,63");
    refuse("pixels=5,5-4,9", "'5,5-4,9' are no pixels such as 12,40 or 0,0-63,63");
    refuse("thread=1,2,3,4", "'1,2,3,4' is no thread such as 12,40,0");
    refuse("rule=opaq", "there is no rule of advice 'opaq'");
    refuse("rule=,leaks", "there is no rule of advice ''");
    refuse("parents=2", "parents is 0 or 1, not '2'");
}

/* Nothing to look at is no error. */
static void without_rays(void **state)
{
    (void)state;
    struct ws_ray_store *store = make_store(0);
    struct ws_ray_filter filter = {.count = 0};
    struct ws_ray_set set;
    assert_true(add_keys(&filter, "end=hit&parents=1", NULL));
    assert_true(ws_ray_filter_select(&filter, store, &set));
    assert_int_equal(set.count, 0);
    ws_ray_set_finish(&set);
    ws_ray_filter_finish(&filter);
    ws_ray_store_destroy(store);
}

/* A folder that cannot be written, and no shell of a message. */
static void says_why_it_cannot_keep_them(void **state)
{
    (void)state;
    const char *before = getenv("TMPDIR");
    char *kept = before != NULL ? strdup(before) : NULL;
    struct ws_ray_store *store = ws_ray_store_create(0);
    struct ws_error error = {{0}};
    add_thread(store, 0);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_false(ws_ray_store_end(store, &error));
    assert_string_equal(error.message,
                        "cannot keep the rays of a launch in a temporary file: No such file or directory");
    ws_ray_store_destroy(store);
    if (kept != NULL)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_rays),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(by_each_key),
        cmocka_unit_test(by_rule),
        cmocka_unit_test(refuses),
        cmocka_unit_test(without_rays),
        cmocka_unit_test(says_why_it_cannot_keep_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
