/* How findings of several analyses are compared, joined and put in their order. Every share is worked out by hand. */
#include "warpscope/report/findings.h"
#include "warpscope/report/analysis.h"

#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/timed_run.h"
#include <math.h>

static const struct ws_analysis advice = {.name = "advice"};
static const struct ws_analysis divergence = {.name = "divergence"};

static void add(struct ws_findings *findings, const struct ws_analysis *analysis, struct ws_finding finding)
{
    findings->analysis = analysis;
    if (finding.text == NULL)
        finding.text = "";
    assert_true(ws_findings_add(findings, &finding));
}

/* The titles of those that are listed, in their order: "A B". */
static const char *listed(const struct ws_findings *findings)
{
    static char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < findings->count; ++i)
        if (ws_finding_is_listed(&findings->all[i]))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? " " : "",
                                     findings->all[i].title);
    return text;
}

static const struct ws_finding *find(const struct ws_findings *findings, const char *title)
{
    for (uint32_t i = 0; i < findings->count; ++i)
        if (strcmp(findings->all[i].title, title) == 0)
            return &findings->all[i];
    fail_msg("there is no finding %s", title);
    return NULL;
}

/* Slots are 60 % of the work, any-hit runs 10 %; what intersection runs cost is not known. */
static void one_scale(void **state)
{
    (void)state;
    struct ws_findings findings = {.weights = {[WS_FINDING_OF_SLOTS] = 0.6, [WS_FINDING_OF_ANY_HIT] = 0.1}};
    add(&findings, &divergence,
        (struct ws_finding){
            .title = "slots", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = 0.25});
    add(&findings, &advice, (struct ws_finding){.title = "work", .of = WS_FINDING_OF_WORK, .size = 0.2});
    add(&findings, &advice,
        (struct ws_finding){
            .title = "any", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_ANY_HIT, .size = 0.5});
    add(&findings, &advice,
        (struct ws_finding){
            .title = "inter", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_INTERSECTION, .size = 0.9});
    ws_findings_rank(&findings);
    assert_true(fabs(find(&findings, "slots")->share - 0.15) < 1e-12);
    assert_true(fabs(find(&findings, "any")->share - 0.05) < 1e-12);
    assert_true(find(&findings, "work")->share == 0.2);
    assert_true(find(&findings, "inter")->share == 0);
    assert_string_equal(listed(&findings), "work slots any inter");
    assert_ptr_equal(find(&findings, "slots")->analysis, &divergence);
    ws_findings_finish(&findings);
}

/* Without a weight all slots are all of the work. Wrong first; bytes behind work; facts behind bytes; what is spent is not
 * in the list. */
static void order(void **state)
{
    (void)state;
    struct ws_findings findings = {.all = NULL};
    add(&findings, &advice, (struct ws_finding){.title = "fact", .kind = WS_FINDING_FACT});
    add(&findings, &advice, (struct ws_finding){.title = "bytes", .of = WS_FINDING_OF_BYTES, .size = 0.9});
    add(&findings, &advice,
        (struct ws_finding){
            .title = "spent", .kind = WS_FINDING_SPENT, .of = WS_FINDING_OF_SLOTS, .size = 1});
    add(&findings, &advice, (struct ws_finding){.title = "change", .of = WS_FINDING_OF_WORK, .size = 0.03});
    add(&findings, &advice, (struct ws_finding){.title = "wrong", .wrong = true});
    add(&findings, &divergence,
        (struct ws_finding){
            .title = "loss", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = 0.4});
    ws_findings_rank(&findings);
    assert_string_equal(listed(&findings), "wrong loss change bytes fact");
    ws_findings_finish(&findings);
}

/* A loss of 1.9 % is small, a change of 1.9 % is not: its analysis says so, or not. */
static void small(void **state)
{
    (void)state;
    struct ws_findings findings = {.all = NULL};
    add(&findings, &divergence,
        (struct ws_finding){
            .title = "loss", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = 0.019});
    add(&findings, &divergence,
        (struct ws_finding){
            .title = "enough", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = 0.02});
    add(&findings, &advice, (struct ws_finding){.title = "change", .of = WS_FINDING_OF_WORK, .size = 0.019});
    add(&findings, &advice,
        (struct ws_finding){.title = "tiny", .of = WS_FINDING_OF_WORK, .size = 0.0009, .small = true});
    ws_findings_rank(&findings);
    assert_string_equal(listed(&findings), "enough change");
    assert_true(find(&findings, "loss")->small && find(&findings, "tiny")->small);
    ws_findings_finish(&findings);
}

static void add_loss(struct ws_findings *findings, const char *title, uint32_t shader, double size)
{
    add(findings, &divergence,
        (struct ws_finding){.title = title,
                            .kind = WS_FINDING_LOSS,
                            .of = WS_FINDING_OF_SLOTS,
                            .cause = WS_CAUSE_CONTROL_FLOW,
                            .in = shader,
                            .size = size});
}

static void add_branch(struct ws_findings *findings, const char *title, uint32_t shader, double size)
{
    add(findings, &advice,
        (struct ws_finding){.title = title,
                            .of = WS_FINDING_OF_WORK,
                            .cause = WS_CAUSE_CONTROL_FLOW,
                            .in = shader,
                            .size = size});
}

/* Shader 1 loses 40 %: branches of 15 % and 5 % are half of that and tell it. Shader 2 loses 40 %, of which a branch of
 * 10 % tells too little. Shader 3 has the cause, and no change. */
static void told(void **state)
{
    (void)state;
    struct ws_findings findings = {.all = NULL};
    add_loss(&findings, "loss1", 1, 0.4);
    add_branch(&findings, "a1", 1, 0.15);
    add_branch(&findings, "b1", 1, 0.05);
    add_loss(&findings, "loss2", 2, 0.4);
    add_branch(&findings, "a2", 2, 0.1);
    add_loss(&findings, "loss3", 3, 0.3);
    ws_findings_rank(&findings);
    assert_string_equal(listed(&findings), "loss2 loss3 a1 a2 b1");
    assert_ptr_equal(&findings.all[find(&findings, "loss1")->told_by], find(&findings, "a1"));
    ws_findings_finish(&findings);
}

/* A fact is told by the loss of its cause and place, and stands by itself beside that of another. Two findings without a
 * cause are never one. */
static void facts(void **state)
{
    (void)state;
    const struct ws_finding loss = {.title = "loss",
                                    .kind = WS_FINDING_LOSS,
                                    .of = WS_FINDING_OF_SLOTS,
                                    .cause = WS_CAUSE_CALLS,
                                    .in = 4,
                                    .size = 0.5};
    const struct ws_finding own = {
        .title = "own", .kind = WS_FINDING_LOSS, .of = WS_FINDING_OF_SLOTS, .size = 0.3};
    struct ws_findings findings = {.all = NULL};
    add(&findings, &divergence, loss);
    add(&findings, &advice,
        (struct ws_finding){.title = "told", .kind = WS_FINDING_FACT, .cause = WS_CAUSE_CALLS, .in = 4});
    add(&findings, &advice,
        (struct ws_finding){.title = "alone", .kind = WS_FINDING_FACT, .cause = WS_CAUSE_CALLS, .in = 5});
    add(&findings, &advice, own);
    add(&findings, &advice, (struct ws_finding){.title = "none", .kind = WS_FINDING_FACT});
    ws_findings_rank(&findings);
    assert_string_equal(listed(&findings), "loss own alone none");
    assert_ptr_equal(&findings.all[find(&findings, "told")->told_by], find(&findings, "loss"));
    ws_findings_finish(&findings);
}

/* Options can be typed as they are. */
static void options(void **state)
{
    (void)state;
    struct ws_findings findings = {.all = NULL};
    assert_string_equal(ws_findings_option(&findings, "--shader", "mesh.rchit:main"),
                        "--shader mesh.rchit:main");
    assert_string_equal(ws_findings_option(&findings, "--shader", "a b<K=1>:main"),
                        "--shader 'a b<K=1>:main'");
    assert_string_equal(ws_findings_option(&findings, "--shader", "it's"), "--shader 'it'\\''s'");
    assert_string_equal(ws_findings_text(&findings, "%d %%", 7), "7 %");
    ws_findings_finish(&findings);
}

/* Of 1000 ns, launches of pipeline 0 take 900 and those of pipeline 1 take 100: so do those of their shaders. */
static void touched(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_findings findings = {.all = NULL};
    timed_run_begin(&catalog, 200, false);
    assert_true(ws_findings_take_times(&findings, &catalog));
    assert_true(ws_findings_touched(&findings, 0) == 0); /* nothing has a time */
    timed_run_launch(&catalog, 0, 0, 0, 8, "");
    timed_run_launch(&catalog, 1, 0, 1, 8, "");
    timed_run_launch(&catalog, 2, 0, 0, 8, "");
    timed_run_time(&catalog, 0, 0, 400);
    timed_run_time(&catalog, 1, 500, 100);
    timed_run_time(&catalog, 2, 600, 500);
    assert_true(ws_findings_take_times(&findings, &catalog));
    assert_true(ws_findings_touched(&findings, 0) == 0.9);
    assert_true(ws_findings_touched(&findings, 1) == 0.1);
    assert_true(ws_findings_touched(&findings, WS_NONE) == 0);
    ws_findings_finish(&findings);
    ws_catalog_finish(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_scale), cmocka_unit_test(touched), cmocka_unit_test(order),
        cmocka_unit_test(small),     cmocka_unit_test(told),    cmocka_unit_test(facts),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
