/* Leaves less detail of a mesh, by clusters of vertices (mesh.h). */
#include "analysis/viewer/scene/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/base/id_map.h"

/* The vertices of one cell. */
struct cluster {
    double sum[3];
    uint32_t count;
    float low[3];
    float high[3];
    bool used;     /* a triangle has a corner here */
    uint32_t kept; /* of a cell without such a triangle: the largest within, WS_NONE = none */
    double area;   /* of that */
};

struct grid {
    float low[3]; /* of all vertices */
    float high[3];
    double cell;
    uint32_t extent[3];
    uint32_t *at; /* cell -> number of its cluster; WS_NONE */
    struct cluster *clusters;
    uint32_t count;
    uint32_t capacity;
};

/* False = no memory. */
static bool grid_init(struct grid *grid, const float bounds[6], double cell)
{
    size_t cells = 1;
    *grid = (struct grid){.cell = cell};
    memcpy(grid->low, bounds, sizeof(grid->low));
    memcpy(grid->high, bounds + 3, sizeof(grid->high));
    for (int i = 0; i < 3; ++i) {
        const double extent = ceil(((double)bounds[3 + i] - (double)bounds[i]) / cell);
        grid->extent[i] = extent < 1                     ? 1
                          : extent > WS_MESH_DETAIL_MOST ? WS_MESH_DETAIL_MOST
                                                         : (uint32_t)extent;
        cells *= grid->extent[i];
    }
    grid->at = malloc(cells * sizeof(*grid->at));
    if (grid->at != NULL)
        memset(grid->at, 0xff, cells * sizeof(*grid->at));
    return grid->at != NULL;
}

static void grid_finish(struct grid *grid)
{
    free(grid->at);
    free(grid->clusters);
}

/* The cluster of a place, which may be new; WS_NONE = no memory. */
static uint32_t cluster_at(struct grid *grid, const float point[3])
{
    uint32_t place[3];
    for (int i = 0; i < 3; ++i) {
        const double cell = floor(((double)point[i] - (double)grid->low[i]) / grid->cell);
        place[i] = cell < 0 ? 0 : cell >= grid->extent[i] ? grid->extent[i] - 1 : (uint32_t)cell;
    }
    uint32_t *at = &grid->at[((size_t)place[2] * grid->extent[1] + place[1]) * grid->extent[0] + place[0]];
    if (*at != WS_NONE)
        return *at;
    struct cluster *grown = ws_array_grow(grid->clusters, &grid->capacity, grid->count + 1, sizeof(*grown));
    if (grown == NULL)
        return WS_NONE;
    grid->clusters = grown;
    struct cluster *made = &grown[grid->count];
    *made = (struct cluster){.kept = WS_NONE};
    for (int i = 0; i < 3; ++i) {
        made->low[i] = INFINITY;
        made->high[i] = -INFINITY;
    }
    return *at = grid->count++;
}

static void add_point(struct cluster *cluster, const float point[3])
{
    for (int i = 0; i < 3; ++i) {
        cluster->sum[i] += (double)point[i];
        cluster->low[i] = point[i] < cluster->low[i] ? point[i] : cluster->low[i];
        cluster->high[i] = point[i] > cluster->high[i] ? point[i] : cluster->high[i];
    }
    cluster->count++;
}

/* The one vertex of a cluster: the mean, but along each axis the outermost of all where that is one of its own. So bounds
 * stay, and so do walls. */
static void place_of(const struct grid *grid, const struct cluster *cluster, float out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = cluster->low[i] <= grid->low[i]     ? cluster->low[i]
                 : cluster->high[i] >= grid->high[i] ? cluster->high[i]
                                                     : (float)(cluster->sum[i] / cluster->count);
}

static double area_of(const struct ws_mesh_part *part, const uint32_t *corners)
{
    double edges[2][3], square = 0;
    for (int i = 0; i < 6; ++i)
        edges[i / 3][i % 3] = (double)part->positions[3 * (size_t)corners[1 + i / 3] + (size_t)(i % 3)] -
                              (double)part->positions[3 * (size_t)corners[0] + (size_t)(i % 3)];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double across = edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j];
        square += across * across;
    }
    return sqrt(square);
}

/* The same for all orders of three numbers below 2^21, and for no others. */
static uint64_t key_of(const uint32_t clusters[3])
{
    uint64_t low = clusters[0], middle = clusters[1], high = clusters[2], kept;
    if (low > middle)
        kept = low, low = middle, middle = kept;
    if (middle > high)
        kept = middle, middle = high, high = kept;
    if (low > middle)
        kept = low, low = middle, middle = kept;
    return low << 42 | middle << 21 | high;
}

/* What becomes of triangles: indices of clusters, and the primitives that they are. */
struct reduced {
    uint32_t *indices;
    uint32_t *numbers;
    uint32_t count;
};

/* Takes those that have a corner in each of three cells, each once. */
static bool take_large(const struct ws_mesh_part *part, const uint32_t *cluster_of, struct grid *grid,
                       struct reduced *reduced)
{
    struct ws_id_map seen = {0};
    bool taken = true;
    for (uint32_t i = 0; i < part->drawn && taken; ++i) {
        uint32_t corners[3], before;
        for (int j = 0; j < 3; ++j)
            corners[j] = cluster_of[part->indices[3 * (size_t)i + (size_t)j]];
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] ||
            ws_id_map_get(&seen, key_of(corners), &before))
            continue;
        taken = ws_id_map_put(&seen, key_of(corners), i);
        memcpy(reduced->indices + 3 * (size_t)reduced->count, corners, sizeof(corners));
        reduced->numbers[reduced->count++] = part->numbers[i];
        for (int j = 0; j < 3; ++j)
            grid->clusters[corners[j]].used = true;
    }
    ws_id_map_finish(&seen);
    return taken;
}

/* Finds the largest of the others for each cell that has nothing else. */
static void find_small(const struct ws_mesh_part *part, const uint32_t *cluster_of, struct grid *grid)
{
    for (uint32_t i = 0; i < part->drawn; ++i) {
        const uint32_t *corners = part->indices + 3 * (size_t)i;
        struct cluster *cluster = &grid->clusters[cluster_of[corners[0]]];
        if (cluster->used || grid->clusters[cluster_of[corners[1]]].used ||
            grid->clusters[cluster_of[corners[2]]].used)
            continue;
        const double area = area_of(part, corners);
        if (cluster->kept == WS_NONE || area > cluster->area) {
            cluster->kept = i;
            cluster->area = area;
        }
    }
}

/* The vertices of the clusters, then three for each small triangle that stays. */
static bool put_vertices(struct ws_mesh_part *part, const struct grid *grid, struct reduced *reduced)
{
    uint64_t count = grid->count;
    for (uint32_t i = 0; i < grid->count; ++i)
        count += grid->clusters[i].kept != WS_NONE ? 3 : 0;
    float *positions = malloc((size_t)(count + 1) * 12);
    if (positions == NULL)
        return false;
    for (uint32_t i = 0; i < grid->count; ++i)
        place_of(grid, &grid->clusters[i], positions + 3 * (size_t)i);
    uint32_t next = grid->count;
    for (uint32_t i = 0; i < grid->count; ++i) {
        const uint32_t kept = grid->clusters[i].kept;
        for (uint32_t j = 0; j < 3 && kept != WS_NONE; ++j) {
            memcpy(positions + 3 * (size_t)next,
                   part->positions + 3 * (size_t)part->indices[3 * (size_t)kept + j], 12);
            reduced->indices[3 * (size_t)reduced->count + j] = next++;
        }
        if (kept != WS_NONE)
            reduced->numbers[reduced->count++] = part->numbers[kept];
    }
    free(part->positions);
    part->positions = positions;
    part->vertices = next;
    return true;
}

static bool reduce_triangles(struct ws_mesh_part *part, struct grid *grid)
{
    struct reduced reduced = {.indices = malloc(((size_t)part->drawn + 1) * 12),
                              .numbers = malloc(((size_t)part->drawn + 1) * 4)};
    uint32_t *cluster_of = malloc(((size_t)part->vertices + 1) * sizeof(*cluster_of));
    bool made = reduced.indices != NULL && reduced.numbers != NULL && cluster_of != NULL;
    for (uint32_t i = 0; i < part->vertices && made; ++i) {
        const float *point = part->positions + 3 * (size_t)i;
        cluster_of[i] = cluster_at(grid, point);
        made = cluster_of[i] != WS_NONE;
        if (made)
            add_point(&grid->clusters[cluster_of[i]], point);
    }
    made = made && take_large(part, cluster_of, grid, &reduced);
    if (made)
        find_small(part, cluster_of, grid);
    made = made && put_vertices(part, grid, &reduced);
    free(cluster_of);
    if (!made) {
        free(reduced.indices);
        free(reduced.numbers);
        return false;
    }
    free(part->indices);
    free(part->numbers);
    part->indices = reduced.indices;
    part->numbers = reduced.numbers;
    part->drawn = reduced.count;
    return true;
}

/* A box around all whose middles are in one cell, in the order of the first of them. */
static bool reduce_boxes(struct ws_mesh_part *part, struct grid *grid)
{
    for (uint32_t i = 0; i < part->drawn; ++i) {
        const float *box = part->positions + 6 * (size_t)i;
        float middle[3];
        for (int j = 0; j < 3; ++j)
            middle[j] = (float)(((double)box[j] + (double)box[3 + j]) / 2);
        const uint32_t number = cluster_at(grid, middle);
        if (number == WS_NONE)
            return false;
        struct cluster *cluster = &grid->clusters[number];
        if (cluster->count == 0)
            cluster->kept = part->numbers[i];
        add_point(cluster, box);
        add_point(cluster, box + 3);
    }
    for (uint32_t i = 0; i < grid->count; ++i) {
        memcpy(part->positions + 6 * (size_t)i, grid->clusters[i].low, 12);
        memcpy(part->positions + 6 * (size_t)i + 3, grid->clusters[i].high, 12);
        part->numbers[i] = grid->clusters[i].kept;
    }
    part->drawn = grid->count;
    return true;
}

bool ws_mesh_reduce(struct ws_mesh_part *part, double cell)
{
    struct grid grid;
    if (part->drawn == 0)
        return true;
    const bool reduced =
        grid_init(&grid, part->bounds, cell) &&
        (part->kind == WS_GEOMETRY_AABBS ? reduce_boxes(part, &grid) : reduce_triangles(part, &grid));
    grid_finish(&grid);
    return reduced;
}
