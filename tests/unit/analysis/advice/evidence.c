/* Evidence by subject: entries are found again, keep what they hold while others are added, and have numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/advice/evidence.h"
#include "warpscope/model/catalog.h"

struct entry {
    uint64_t count;
    unsigned char odd[5];
};

enum { MANY = 5000 };

static struct ws_subject make_subject(uint32_t number)
{
    return (struct ws_subject){{number % 7, number, 0, 0, 0, 0, number / 3}};
}

static void entries_stay(void **state)
{
    (void)state;
    struct ws_evidence evidence = {.entry_size = sizeof(struct entry)};
    for (uint32_t i = 0; i < MANY; ++i) {
        const struct ws_subject subject = make_subject(i);
        bool added = false;
        assert_null(ws_evidence_find(&evidence, &subject));
        struct entry *entry = ws_evidence_add(&evidence, &subject, &added);
        assert_non_null(entry);
        assert_true(added);
        assert_int_equal(entry->count, 0);
        assert_int_equal(entry->odd[4], 0);
        entry->count = i;
        entry->odd[4] = 1;
    }
    assert_int_equal(evidence.count, MANY);
    for (uint32_t i = 0; i < MANY; ++i) {
        const struct ws_subject subject = make_subject(i);
        bool added = true;
        const struct entry *entry = ws_evidence_add(&evidence, &subject, &added);
        assert_false(added);
        assert_int_equal(entry->count, i);
        assert_ptr_equal(entry, ws_evidence_at(&evidence, i));
        assert_ptr_equal(entry, ws_evidence_find(&evidence, &subject));
        assert_int_equal(ws_evidence_number(&evidence, entry), i);
        assert_int_equal(evidence.subjects[i].words[1], i);
    }
    ws_evidence_finish(&evidence);
    assert_int_equal(evidence.count, 0);
    assert_int_equal(evidence.entry_size, sizeof(struct entry));
}

/* A call site is the same in another launch, and as a ray query it is another. */
static void call_sites(void **state)
{
    (void)state;
    struct entry_of_site {
        struct ws_call_site site;
        uint32_t rays;
    };
    struct ws_site_record sites[2] = {{.info = {.offset = 10}}, {.info = {.offset = 20}}};
    struct ws_module_record modules[2] = {{.hash = 1, .sites = sites, .site_count = 2},
                                          {.hash = 1, .sites = sites, .site_count = 2}};
    struct ws_shader_record shaders[2] = {{.module = 0}, {.module = 1}};
    const struct ws_catalog catalog = {
        .shaders = shaders, .shader_count = 2, .modules = modules, .module_count = 2};
    struct ws_evidence evidence = {.entry_size = sizeof(struct entry_of_site)};
    struct ws_ray ray = {.shader = 0, .site = 1};
    bool added = false;
    struct entry_of_site *entry = ws_evidence_add_site(&evidence, &catalog, &ray, NULL, &added);
    assert_true(added);
    assert_int_equal(entry->site.shader, 0);
    assert_int_equal(entry->site.site, 1);
    ray.shader = 1; /* the same module, loaded once more */
    assert_ptr_equal(entry, ws_evidence_add_site(&evidence, &catalog, &ray, NULL, &added));
    assert_false(added);
    assert_int_equal(entry->site.shader, 0);
    ray.query = true;
    assert_non_null(ws_evidence_add_site(&evidence, &catalog, &ray, NULL, &added));
    assert_true(added);
    ray.query = false;
    assert_non_null(ws_evidence_add_site(&evidence, &catalog, &ray, (const uint32_t[3]){0, 0, 5}, &added));
    assert_true(added);
    assert_int_equal(evidence.subjects[2].words[6], 5);
    ws_evidence_finish(&evidence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_stay),
        cmocka_unit_test(call_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
