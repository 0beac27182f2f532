/* usage: recorded_rays CAPTURE [CSV]
 * Prints what the rays of a capture of examples/faults cost, by the names that the program uses, and writes
 * the rays as the program does those of its scene `rays`. */
#include <stdio.h>

#include "analysis/rays/rays.h"
#include "warpscope/reader.h"

struct totals {
    FILE *csv; /* NULL = not wanted */
    uint64_t rays;
    uint64_t any_hit;
    uint64_t ignored;
    uint64_t intersection;
    uint64_t reported;
    uint64_t closest_hit;
    uint64_t miss;
    uint64_t unknown;
};

static void write_ray(FILE *csv, const uint32_t work[3], uint32_t slot, const struct ws_ray *ray)
{
    const bool shadow = ray->flags != 0; /* of its hits the program writes no more than that there was one */
    const bool hit = ray->end != WS_RAY_MISSED;
    const struct ws_ray_hit nothing = {0};
    const struct ws_ray_hit *at = hit && !shadow ? &ray->hit : &nothing;

    fprintf(csv, "%u,%u,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%u,%u,%.9g,%u,%u,%u,%u,%u\n", work[0],
            work[1], slot, (double)ray->origin[0], (double)ray->origin[1], (double)ray->origin[2],
            (double)ray->tmin, (double)ray->direction[0], (double)ray->direction[1],
            (double)ray->direction[2], (double)ray->tmax, ray->flags, hit, (double)at->t, at->instance,
            at->custom_index, at->geometry, at->primitive, at->kind);
}

static bool take_thread(void *user, const struct ws_ray_thread *thread)
{
    struct totals *totals = user;
    uint32_t paths = 0;

    for (uint32_t i = 0; i < thread->ray_count; i++) {
        const struct ws_ray *ray = &thread->rays[i];
        paths += ray->flags == 0;
        totals->rays++;
        totals->any_hit += ray->any_hits;
        totals->ignored += ray->ignored;
        totals->intersection += ray->intersections;
        totals->reported += ray->reports;
        totals->closest_hit += ray->end == WS_RAY_HIT && !(ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT);
        totals->miss += ray->end == WS_RAY_MISSED;
        totals->unknown += ray->end == WS_RAY_UNKNOWN;
        if (totals->csv != NULL)
            write_ray(totals->csv, thread->thread->work, 2 * (paths - 1) + (ray->flags != 0), ray);
    }
    return true;
}

static bool read_chunks(struct ws_reader *reader, struct ws_catalog *catalog, struct ws_replay *replay,
                        struct ws_error *error)
{
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;

    while ((result = ws_reader_next(reader, &chunk, error)) == WS_READ_CHUNK)
        if (!ws_catalog_record(catalog, &chunk, error) || !ws_replay_record(replay, &chunk, error))
            return false;
    return result == WS_READ_END && ws_replay_end(replay, error);
}

static bool read_capture(const char *path, struct totals *totals, struct ws_error *error)
{
    const struct ws_ray_operations operations = {.thread = take_thread};
    struct ws_catalog catalog;
    uint32_t number = 0;
    bool read = false;

    ws_catalog_init(&catalog);
    struct ws_reader *reader = ws_reader_open(path, error);
    struct ws_replay *replay = ws_replay_create(&catalog, path, 0);
    struct ws_rays *rays = ws_rays_create(&catalog, &operations, totals);
    if (reader != NULL && replay != NULL && rays != NULL &&
        ws_replay_add(replay, &ws_rays_replay, rays, &number)) {
        ws_rays_attach(rays, number);
        read = read_chunks(reader, &catalog, replay, error);
        const struct ws_replay_losses *losses = ws_replay_losses(replay);
        read = read && losses->missing == 0 && losses->malformed == 0 && ws_rays_malformed(rays) == 0;
    }
    ws_rays_destroy(rays);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    ws_catalog_finish(&catalog);
    return read;
}

int main(int argc, char **argv)
{
    struct ws_error error = {"records are missing or contradict each other"};
    struct totals totals = {0};

    if (argc < 2)
        return 2;
    if (argc > 2) {
        totals.csv = fopen(argv[2], "w");
        if (totals.csv == NULL)
            return 1;
        fputs("x,y,ray,origin_x,origin_y,origin_z,tmin,direction_x,direction_y,direction_z,tmax,flags,hit,t,"
              "instance,custom_index,geometry,primitive,hit_kind\n",
              totals.csv);
    }
    const bool read = read_capture(argv[1], &totals, &error);
    if (totals.csv != NULL)
        fclose(totals.csv);
    if (!read) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return 1;
    }
    printf("rays %llu\nany_hit %llu\nignored %llu\nintersection %llu\nreported %llu\nclosest_hit %llu\nmiss "
           "%llu\nunknown %llu\n",
           (unsigned long long)totals.rays, (unsigned long long)totals.any_hit,
           (unsigned long long)totals.ignored, (unsigned long long)totals.intersection,
           (unsigned long long)totals.reported, (unsigned long long)totals.closest_hit,
           (unsigned long long)totals.miss, (unsigned long long)totals.unknown);
    return 0;
}
