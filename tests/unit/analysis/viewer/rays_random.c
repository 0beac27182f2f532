/* Random rays and what filters select of them, for the test that compares viewer/rays_filter.js.
 *
 * Arguments: where to write the binary answer with all rays. Standard input has filters, one a line, as keys with values; for
 * each it prints the numbers of the rays that fit, or the message that refuses it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/viewer/rays/rays.h"
#include "warpscope/model/catalog.h"

#define THREADS 900
#define RAYS    6 /* of a thread, at most */

static uint64_t random_state = 88172645463325252u;

static uint32_t below(uint32_t most)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % most;
}

static struct ws_ray make_ray(uint32_t number)
{
    struct ws_ray ray = {.number = number,
                         .parent = number > 0 && below(3) > 0 ? below(number) : WS_NONE,
                         .depth = below(5),
                         .shader = below(2),
                         .site = below(4),
                         .end = below(WS_RAY_NO_SHADER + 1),
                         .query = below(4) == 0,
                         .has_hit = below(3) > 0,
                         .flags = below(2) == 0 ? WS_RAY_FLAG_SKIP_CLOSEST_HIT : 0,
                         .tmax = 10,
                         .any_hits = below(20) == 0 ? 70000 : below(6),
                         .intersections = below(9)};
    for (int i = 0; i < 3; ++i) {
        ray.origin[i] = (float)below(1000) / 10;
        ray.direction[i] = (float)below(1000) / 500 - 1;
    }
    ray.hit = (struct ws_ray_hit){
        .t = (float)below(40) / 8, .instance = below(12), .geometry = below(3), .primitive = below(100)};
    return ray;
}

static bool fill(struct ws_ray_store *store, struct ws_error *error)
{
    bool added = true;
    for (uint32_t i = 0; i < THREADS && added; ++i) {
        struct ws_ray rays[RAYS];
        const struct ws_thread work = {.work = {i % 30, i / 30 % 15, i / 450}};
        const struct ws_ray_thread thread = {
            .thread = &work, .warp = i / 8, .rays = rays, .ray_count = 1 + below(RAYS)};
        for (uint32_t j = 0; j < RAYS; ++j)
            rays[j] = make_ray(j);
        added = ws_ray_store_add(store, &thread, work.work, error);
    }
    if (!added || !ws_ray_store_end(store, error))
        return false;
    uint32_t *rules = calloc(store->count, sizeof(*rules));
    for (uint32_t i = 0; rules != NULL && i < store->count; ++i)
        rules[i] = below(4) == 0 ? 1u << below(15) | 1u << below(15) : 0;
    store->rules = rules;
    return rules != NULL;
}

/* Two shaders, with the ids 7 and 9. */
static bool define(struct ws_catalog *catalog, struct ws_error *error)
{
    const struct ws_chunk module = {.type = WS_CHUNK_MODULE, .module = {.id = 1, .name = ""}};
    ws_catalog_init(catalog);
    bool defined = ws_catalog_record(catalog, &module, error);
    for (uint32_t id = 7; id <= 9 && defined; id += 2) {
        const struct ws_chunk chunk = {.type = WS_CHUNK_SHADER,
                                       .shader = {.id = id, .module = 1, .entry = WS_NONE, .name = "main"}};
        defined = ws_catalog_record(catalog, &chunk, error);
    }
    return defined;
}

static bool write_all(const struct ws_catalog *catalog, const struct ws_ray_store *store, const char *path,
                      struct ws_error *error)
{
    const struct ws_ray_question question = {.store = store, .matches = store->count};
    struct ws_viewer_query *query = calloc(1, sizeof(*query));
    FILE *file = fopen(path, "wb");
    const bool written =
        file != NULL && query != NULL && ws_viewer_rays_write(catalog, &question, query, file, error);
    free(query);
    return file != NULL && fclose(file) == 0 && written;
}

/* The line is "key=value&key=value". */
static void answer(const struct ws_catalog *catalog, const struct ws_ray_store *store, char *line)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const char *names[33] = {NULL};
    const struct ws_ray_filter_names of = {catalog, names};
    struct ws_ray_filter filter = {.count = 0};
    struct ws_ray_set set = {.bits = NULL};
    struct ws_error error = {{0}};
    bool good = true;
    for (uint32_t i = 0; i < 32 && rules[i] != NULL; ++i)
        names[i] = rules[i]->name;
    for (char *value = strsep(&line, "&"); value != NULL && good; value = strsep(&line, "&")) {
        const char *key = strsep(&value, "=");
        good = ws_ray_filter_add(&filter, key, value, &of, &error);
    }
    good = good && ws_ray_filter_select(&filter, store, &set);
    if (!good)
        printf("%s\n", error.message);
    for (uint32_t i = 0; good && i < store->count; ++i)
        if (ws_ray_set_has(&set, store->order[i]))
            printf("%" PRIu32 " ", store->order[i]);
    if (good)
        putchar('\n');
    ws_ray_set_finish(&set);
    ws_ray_filter_finish(&filter);
}

int main(int argc, char **argv)
{
    struct ws_catalog catalog;
    struct ws_error error = {{0}};
    struct ws_ray_store *store = ws_ray_store_create(0);
    char line[512];
    bool good = argc == 2 && store != NULL && define(&catalog, &error) && fill(store, &error) &&
                write_all(&catalog, store, argv[1], &error);
    while (good && fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        answer(&catalog, store, line);
    }
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    ws_ray_store_destroy(store);
    ws_catalog_finish(&catalog);
    return good ? 0 : 1;
}
