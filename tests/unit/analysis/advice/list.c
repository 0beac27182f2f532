/* How advice is compared, ranked, joined and set against each other. Costs and shares are worked out by hand. */
#include "analysis/advice/rule.h"
#include "tests/unit/analysis/capture/capture_test.h"

static const struct ws_advice_rule rule = {.name = "rule", .title = "Rule"};

/* 1000 rays in one thread: 800 run a closest hit shader, 200 a miss shader; `any` any-hit runs. */
static struct ws_advice_tally tally_of(uint32_t any, bool query)
{
    static struct ws_ray rays[1000];
    struct ws_advice_tally tally = {.rays = 0};
    for (uint32_t i = 0; i < 1000; ++i)
        rays[i] = (struct ws_ray){.end = i < 800 ? WS_RAY_HIT : WS_RAY_MISSED,
                                  .first_hit_shader = query ? WS_NONE : 7,
                                  .any_hits = i == 0 ? any : 0,
                                  .query = query,
                                  .candidate_count = i < 10};
    for (uint32_t i = 0; i < 1000; ++i)
        ws_advice_tally_add(&tally, &rays[i]);
    return tally;
}

static void declared_costs(void **state)
{
    (void)state;
    struct ws_advice_costs costs;
    /* 1000 * 500 + 800 * 1100 + 200 * 125 */
    struct ws_advice_tally tally = tally_of(0, false);
    ws_advice_costs_find(&costs, &tally, NULL);
    assert_false(costs.measured);
    assert_true(costs.work == 1405000 && costs.of[WS_SAVES_RAYS] == 1405);
    assert_true(costs.of[WS_SAVES_CLOSEST_HIT] == 1100 && costs.of[WS_SAVES_BYTES] == 0);
    /* 100 any-hit runs more: 50,000 slots. */
    tally = tally_of(100, false);
    ws_advice_costs_find(&costs, &tally, NULL);
    assert_true(costs.work == 1455000 && costs.of[WS_SAVES_RAYS] == 1455);
    /* Queries run no shaders; 10 candidates. */
    tally = tally_of(0, true);
    ws_advice_costs_find(&costs, &tally, NULL);
    assert_true(costs.work == 500500 && costs.of[WS_SAVES_RAYS] == 500);
    /* Nothing at all. */
    tally = (struct ws_advice_tally){.rays = 0};
    ws_advice_costs_find(&costs, &tally, NULL);
    assert_true(costs.work == 0 && costs.of[WS_SAVES_RAYS] == 0);
}

/* Counters of a raygen and of a closest hit shader; none of the miss shader. */
static void measured_costs(void **state)
{
    (void)state;
    struct ws_shader_record shaders[] = {{.stage = WS_STAGE_RAYGEN}, {.stage = WS_STAGE_CLOSEST_HIT}};
    const struct ws_catalog catalog = {.shaders = shaders, .shader_count = 2};
    struct ws_simt_shader counted[] = {
        {.counts = {.weighted_slots = 40000, .instructions = 30000}},
        {.counts = {.weighted_slots = 160000, .instructions = 20000}},
    };
    const struct ws_simt_results simt = {.catalog = &catalog,
                                         .shaders = counted,
                                         .shader_count = 2,
                                         .total.counts = {.warps = 500, .instructions = 50000}};
    const struct ws_advice_tally tally = tally_of(0, false);
    struct ws_advice_costs costs;
    ws_advice_costs_find(&costs, &tally, &simt);
    assert_true(costs.measured);
    assert_true(costs.of[WS_SAVES_CLOSEST_HIT] == 300); /* 160000 / 800 + 100 */
    assert_true(costs.of[WS_SAVES_MISS] == 125);        /* declared */
    assert_true(costs.of[WS_SAVES_RAYS] == 765);        /* 500 + (800 * 300 + 200 * 125) / 1000 */
    assert_true(costs.work == 805000);                  /* 1000 * 500 + 200000 + 800 * 100 + 200 * 125 */
    assert_true(costs.of[WS_SAVES_SLOTS] == 1);
    assert_true(costs.of[WS_SAVES_INSTRUCTIONS] == 4); /* 200000 / 50000 */
    assert_true(costs.of[WS_SAVES_EXECUTIONS] == 400); /* 200000 / 500 */
}

/* A run costs the shader's own slots by the threads that entered; not counted, one that does nothing is a call. */
static void run_costs(void **state)
{
    (void)state;
    const struct ws_shader_effects nothing = {.mask = 0};
    const struct ws_shader_effects ignores = {.mask = WS_EFFECT_IGNORE};
    assert_true(ws_advice_run_cost(NULL, &nothing, 0) == 100);
    assert_true(ws_advice_run_cost(NULL, &ignores, 0) == 0);
    assert_true(ws_advice_run_cost(NULL, NULL, 0) == 0);
}

/* Costs 1 for a slot, 10 for a ray, of 10,000 slots in all. */
static const struct ws_advice_costs costs = {.of = {[WS_SAVES_SLOTS] = 1, [WS_SAVES_RAYS] = 10},
                                             .work = 10000};

static void add(struct ws_advice_list *list, const char *subject, struct ws_advice advice)
{
    advice.subject = subject;
    advice.evidence = "";
    assert_true(ws_advice_add(list, &advice));
}

static struct ws_advice_list *begin(void)
{
    struct ws_advice_list *list = ws_advice_list_create();
    assert_non_null(list);
    ws_advice_list_begin(list, &rule, WS_NONE);
    return list;
}

/* Ranks the list and expects its subjects, each one letter, in that order. */
static const struct ws_advice *expect_order(struct ws_advice_list *list, const char *letters)
{
    size_t count = 0;
    assert_true(ws_advice_list_rank(list, &costs));
    const struct ws_advice *all = ws_advice_list_all(list, &count);
    assert_int_equal(count, strlen(letters));
    for (size_t i = 0; i < count; ++i)
        if (all[i].subject[0] != letters[i])
            fail_msg("%zu is %s, not %c", i, all[i].subject, letters[i]);
    return all;
}

static void ranked_by_share(void **state)
{
    (void)state;
    struct ws_advice_list *list = begin();
    add(list, "a", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 900}); /* 9 % */
    add(list, "b", (struct ws_advice){.saves = WS_SAVES_RAYS, .saving = 100});  /* 10 % */
    add(list, "c", (struct ws_advice){.saves = WS_SAVES_BYTES, .saving = 9, .of = 10});
    add(list, "d", (struct ws_advice){.saves = WS_SAVES_NOTHING});
    add(list, "e", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 9});                    /* 0.09 % */
    add(list, "f", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 10});                   /* 0.1 % */
    add(list, "g", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 1, .wrong_rays = 200}); /* 20 % */
    add(list, "h", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 2, .certainty = WS_LIKELY});
    add(list, "i", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 2, .certainty = WS_CERTAIN});
    add(list, "j", (struct ws_advice){.saves = WS_SAVES_RAYS, .saving = 20000}); /* more than there is */
    add(list, "k", (struct ws_advice){.saves = WS_SAVES_RAYS, .saving = 100, .cost = 40}); /* 40 % */
    const struct ws_advice *all = expect_order(list, "jkgbafcdeih");
    const double shares[] = {1, 0.4, 0.2, 0.1, 0.09, 0.001, 0.9, 0, 0.0009, 0.0002, 0.0002};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); ++i) {
        assert_true(all[i].share == shares[i]);
        assert_int_equal(all[i].small, i > 7);
        assert_int_equal(all[i].number, i + 1);
        assert_false(all[i].joined);
        assert_int_equal(all[i].against, WS_NONE);
    }
    ws_advice_list_destroy(list);
}

/* Wrong rays are shown from one in 10,000 on, whatever else the capture does: here nine tenths of its work. */
static void small_wrongs(void **state)
{
    (void)state;
    const struct ws_advice_costs many = {.of = {[WS_SAVES_RAYS] = 10}, .work = 1e7, .rays = 100000};
    struct ws_advice_list *list = begin();
    size_t count = 0;
    add(list, "a", (struct ws_advice){.wrong_rays = 9});
    add(list, "b", (struct ws_advice){.wrong_rays = 10});
    assert_true(ws_advice_list_rank(list, &many));
    const struct ws_advice *all = ws_advice_list_all(list, &count);
    assert_true(all[0].subject[0] == 'b' && !all[0].small && all[1].small);
    ws_advice_list_destroy(list);
}

static void joined_and_opposed(void **state)
{
    (void)state;
    const struct ws_subject one = {{1}};
    const struct ws_subject two = {{2}};
    struct ws_advice_list *list = begin();
    add(list, "a",
        (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 100, .topic = one, .pull = WS_PULL_DOWN});
    add(list, "b",
        (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 500, .topic = one, .pull = WS_PULL_UP});
    add(list, "c", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 400});
    add(list, "d", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 300, .topic = two});
    add(list, "e",
        (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 200, .topic = one, .pull = WS_PULL_UP});
    add(list, "f", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 150, .topic = two});
    const struct ws_advice *all = expect_order(list, "becdfa");
    const uint32_t numbers[] = {1, 1, 2, 3, 3, 4};
    const uint32_t against[] = {5, 5, WS_NONE, WS_NONE, WS_NONE, 0};
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(all[i].number, numbers[i]);
        assert_int_equal(all[i].joined, i == 1 || i == 4);
        assert_int_equal(all[i].against, against[i]);
    }
    ws_advice_list_destroy(list);
}

/* A piece that pulls neither way joins the first; the one that pulls against that does not follow it. */
static void neither_does_not_lead_on(void **state)
{
    (void)state;
    const struct ws_subject topic = {{1}};
    struct ws_advice_list *list = begin();
    add(list, "a",
        (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 500, .topic = topic, .pull = WS_PULL_UP});
    add(list, "b", (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 400, .topic = topic});
    add(list, "c",
        (struct ws_advice){.saves = WS_SAVES_SLOTS, .saving = 300, .topic = topic, .pull = WS_PULL_DOWN});
    const struct ws_advice *all = expect_order(list, "abc");
    assert_true(all[1].joined && !all[2].joined);
    assert_int_equal(all[2].against, 0);
    ws_advice_list_destroy(list);
}

static void lowered(void **state)
{
    (void)state;
    struct ws_advice_list *list = begin();
    size_t count = 0;
    add(list, "a", (struct ws_advice){.certainty = WS_CERTAIN});
    add(list, "b", (struct ws_advice){.certainty = WS_POSSIBLE, .doubt = "why"});
    assert_true(ws_advice_list_lower(list, "a part"));
    const struct ws_advice *all = ws_advice_list_all(list, &count);
    assert_int_equal(all[0].certainty, WS_LIKELY);
    assert_int_equal(all[1].certainty, WS_POSSIBLE);
    assert_string_equal(all[0].doubt, "a part");
    assert_string_equal(all[1].doubt, "a part; why");
    ws_advice_list_destroy(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_costs),
        cmocka_unit_test(measured_costs),
        cmocka_unit_test(ranked_by_share),
        cmocka_unit_test(small_wrongs),
        cmocka_unit_test(joined_and_opposed),
        cmocka_unit_test(neither_does_not_lead_on),
        cmocka_unit_test(lowered),
        cmocka_unit_test(run_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
