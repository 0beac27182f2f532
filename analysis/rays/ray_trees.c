#include "analysis/rays/ray_trees.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/names.h"
#include "warpscope/model/work_id.h"
#include "warpscope/output/json.h"
#include "warpscope/report/members.h"
#include "warpscope/report/sought.h"

#define NAME_SIZE   384
#define LINES_USUAL 1000
#define DEPTH_MOST  40 /* levels of indentation */

bool ws_ray_thread_is_chosen(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                             const struct ws_ray_thread *thread)
{
    if (options->has_warp)
        return options->warp == thread->warp;
    return !options->has_thread ||
           ws_sought_is_thread(options, catalog->shaders[thread->rays[0].shader].stage == WS_STAGE_FRAGMENT,
                               thread->thread->work);
}

/* Whether the rays of a thread are shown: it was chosen, in the first launch that has it. */
static bool is_shown(const struct ws_ray_trees *trees, const struct ws_ray_thread *thread, uint64_t launch)
{
    return (trees->options->has_thread || trees->options->has_warp) &&
           (trees->count == 0 || trees->trees[0].launch == launch) &&
           ws_ray_thread_is_chosen(trees->catalog, trees->options, thread);
}

/* NULL when there is no memory. */
static void *copy(const void *from, size_t count, size_t size)
{
    void *to = malloc((count + 1) * size);
    if (to != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

bool ws_ray_trees_add(struct ws_ray_trees *trees, const struct ws_ray_thread *thread, uint64_t launch,
                      uint32_t stage)
{
    size_t candidates = 0;
    if (!is_shown(trees, thread, launch))
        return true;
    if (trees->count == WS_RAY_TREES_MAX) {
        trees->left_out++;
        return true;
    }
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        candidates += thread->rays[i].candidate_count;
    struct ws_ray_tree *tree = &trees->trees[trees->count++];
    *tree = (struct ws_ray_tree){
        .launch = launch,
        .work = {thread->thread->work[0], thread->thread->work[1], thread->thread->work[2]},
        .stage = stage,
        .warp = thread->warp,
        .lane = thread->lane,
        .truncated = thread->truncated,
        .rays = copy(thread->rays, thread->ray_count, sizeof(*thread->rays)),
        .ray_count = thread->ray_count,
        .candidates = copy(thread->candidates, candidates, sizeof(*thread->candidates)),
    };
    return tree->rays != NULL && tree->candidates != NULL;
}

void ws_ray_trees_finish(struct ws_ray_trees *trees)
{
    for (uint32_t i = 0; i < trees->count; ++i) {
        free(trees->trees[i].rays);
        free(trees->trees[i].candidates);
    }
}

static void print_hit(const struct ws_ray *ray, const struct ws_ray_hit *hit, FILE *stream)
{
    double place[3];
    ws_ray_position(ray, hit->t, place);
    fprintf(stream,
            " t %.6g at %.6g %.6g %.6g, instance %" PRIu32 " (%" PRIu32 ") geometry %" PRIu32
            " primitive %" PRIu32,
            (double)hit->t, place[0], place[1], place[2], hit->instance, hit->custom_index, hit->geometry,
            hit->primitive);
}

static void print_shader(const struct ws_ray_trees *trees, uint32_t shader, FILE *stream)
{
    fputc(' ', stream);
    ws_text_print(stream, ws_shader_name(trees->catalog, shader));
}

static int indent(const struct ws_ray *ray)
{
    return (int)(2 * (ray->depth < DEPTH_MOST ? ray->depth : DEPTH_MOST));
}

static void print_candidate(const struct ws_ray_trees *trees, const struct ws_ray *ray,
                            const struct ws_ray_candidate *candidate, FILE *stream)
{
    fprintf(stream, "  %*s    ", indent(ray), "");
    if (candidate->kind == WS_CANDIDATE_INTERSECTION) {
        fputs("intersection", stream);
        print_shader(trees, candidate->shader, stream);
        fprintf(stream, ", instance %" PRIu32 " (%" PRIu32 ") geometry %" PRIu32 " primitive %" PRIu32 "\n",
                candidate->hit.instance, candidate->hit.custom_index, candidate->hit.geometry,
                candidate->hit.primitive);
        return;
    }
    fputs(ws_candidate_kind_name(candidate->kind), stream);
    print_shader(trees, candidate->shader, stream);
    fprintf(stream, " %s", ws_candidate_result_name(candidate->result));
    print_hit(ray, &candidate->hit, stream);
    fputc('\n', stream);
}

static void print_ray(const struct ws_ray_trees *trees, const struct ws_ray_tree *tree, uint32_t number,
                      FILE *stream)
{
    const struct ws_ray *ray = &tree->rays[number];
    const bool skips = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    char place[NAME_SIZE];
    ws_call_place(trees->catalog, ray->shader, ws_site_offset(trees->catalog, ray->shader, ray->site), place,
                  sizeof(place));
    fprintf(stream, "  %*s%" PRIu32 " %s", indent(ray), "", ray->number,
            ray->query ? "query"
            : skips    ? "trace, SkipClosestHitShader,"
                       : "trace");
    fprintf(stream, " from %.6g %.6g %.6g along %.6g %.6g %.6g by", (double)ray->origin[0],
            (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
            (double)ray->direction[1], (double)ray->direction[2]);
    print_shader(trees, ray->shader, stream);
    fputs(", ", stream);
    ws_text_print(stream, place);
    fputc('\n', stream);
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        print_candidate(trees, ray, &tree->candidates[ray->candidate_first + i], stream);
    fprintf(stream, "  %*s  > %s", indent(ray), "", ws_ray_end_name(ray->end));
    if (ray->first_hit_shader != WS_NONE)
        print_shader(trees, ray->first_hit_shader, stream);
    if (ray->has_hit)
        print_hit(ray, &ray->hit, stream);
    fputc('\n', stream);
}

/* Prints at most `lines` rays, and returns how many. A ray is traced before the shader of its parent ends. So
 * in the order of tracing, children stand right below their parent. */
static uint32_t print_rays(const struct ws_ray_trees *trees, const struct ws_ray_tree *tree, uint32_t lines,
                           FILE *stream)
{
    uint32_t shown = 0;
    for (; shown < tree->ray_count && shown < lines; ++shown)
        print_ray(trees, tree, shown, stream);
    if (shown < tree->ray_count)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", tree->ray_count - shown);
    return shown;
}

void ws_ray_trees_text(const struct ws_ray_trees *trees, FILE *stream)
{
    uint32_t lines = trees->options->rows > 0 ? trees->options->rows : LINES_USUAL;
    if (trees->count == 0)
        fprintf(stream, "\nThis %s traced no ray\n", trees->options->has_warp ? "warp" : "thread");
    for (uint32_t i = 0; i < trees->count; ++i) {
        const struct ws_ray_tree *tree = &trees->trees[i];
        char work[64];
        ws_work_text(tree->stage, tree->work, work, sizeof(work));
        fprintf(stream,
                "\nRays of %s %s, lane %" PRIu32 " of warp %" PRIu32 ", launch %" PRIu64 ": %" PRIu32 "%s\n",
                ws_work_name(tree->stage), work, tree->lane, tree->warp, tree->launch, tree->ray_count,
                tree->truncated ? ", and what did not fit" : "");
        lines -= print_rays(trees, tree, lines, stream);
    }
}

/* A new object at the end of an array. NULL when there is no memory. */
static cJSON *add_element(cJSON *array)
{
    return ws_json_append(array, cJSON_CreateObject());
}

static const struct ws_member ray_members[] = {
    {"ray", "integer", "number of the ray among those of the thread"},
    {"parent", "integer?", "number of the ray whose shader traced it; null: the launched shader did"},
    {"depth", "integer", "how many rays led to it"},
    {"shader_id", "integer", "id of the shader that traced it"},
    {"shader", "string", "its name"},
    {"query", "boolean", "it is a ray query"},
    {"flags", "integer", "its ray flags"},
    {"origin", "number?[]", "x, y, z in the world; null: no number"},
    {"direction", "number?[]", "x, y, z"},
    {"tmin", "number?", "least t"},
    {"tmax", "number?", "largest t"},
    {"end", "string", "how it ended"},
    {"t", "number?",
     "of the hit, in lengths of the direction; null: no hit is known, as for all members of it"},
    {"instance", "integer?", "index of the instance that was hit"},
    {"custom_index", "integer?", "its instanceCustomIndex"},
    {"geometry", "integer?", "index of the geometry in the bottom-level structure"},
    {"primitive", "integer?", "index of the primitive in the geometry"},
    {"any_hits", "integer", "runs of any-hit shaders"},
    {"ignored", "integer", "of these, how many ignored the intersection"},
    {"intersections", "integer", "runs of intersection shaders"},
    {"reports", "integer", "intersections that these reported"},
    {NULL}};

const struct ws_member ws_ray_tree_members[] = {
    {"thread", "string", "id of the thread"},
    {"launch", "integer", "number of the launch"},
    {"warp", "integer", "index of the warp in its launch"},
    {"lane", "integer", "lane of the thread"},
    {"truncated", "boolean", "some records of the launch are missing"},
    {"rays", "object[]", "in the order in which they were traced", ray_members},
    {NULL}};

static bool add_vector(cJSON *to, const char *name, const float vector[3])
{
    cJSON *array = cJSON_AddArrayToObject(to, name);
    bool added = array != NULL;
    for (int i = 0; i < 3 && added; ++i)
        added = ws_json_append(array, ws_json_number_item((double)vector[i])) != NULL;
    return added;
}

static void add_hit(cJSON *to, const struct ws_ray *ray)
{
    static const char *const names[] = {"instance", "custom_index", "geometry", "primitive"};
    const uint32_t numbers[] = {ray->hit.instance, ray->hit.custom_index, ray->hit.geometry,
                                ray->hit.primitive};
    if (ray->has_hit)
        ws_json_number(to, "t", (double)ray->hit.t);
    else
        cJSON_AddNullToObject(to, "t");
    for (int i = 0; i < 4; ++i)
        if (ray->has_hit)
            ws_json_integer(to, names[i], numbers[i]);
        else
            cJSON_AddNullToObject(to, names[i]);
}

static bool add_ray(cJSON *to, const struct ws_catalog *catalog, const struct ws_ray_tree *tree,
                    uint32_t number)
{
    const struct ws_ray *ray = &tree->rays[number];
    if (to == NULL)
        return false;
    ws_json_integer(to, "ray", ray->number);
    if (ray->parent != WS_NONE)
        ws_json_integer(to, "parent", tree->rays[ray->parent].number);
    else
        cJSON_AddNullToObject(to, "parent");
    ws_json_integer(to, "depth", ray->depth);
    ws_json_integer(to, "shader_id", catalog->shaders[ray->shader].id);
    cJSON_AddStringToObject(to, "shader", ws_shader_name(catalog, ray->shader));
    cJSON_AddBoolToObject(to, "query", ray->query);
    ws_json_integer(to, "flags", ray->flags);
    if (!add_vector(to, "origin", ray->origin) || !add_vector(to, "direction", ray->direction))
        return false;
    ws_json_number(to, "tmin", (double)ray->tmin);
    ws_json_number(to, "tmax", (double)ray->tmax);
    cJSON_AddStringToObject(to, "end", ws_ray_end_name(ray->end));
    add_hit(to, ray);
    ws_json_integer(to, "any_hits", ray->any_hits);
    ws_json_integer(to, "ignored", ray->ignored);
    ws_json_integer(to, "intersections", ray->intersections);
    ws_json_integer(to, "reports", ray->reports);
    return cJSON_GetObjectItem(to, "reports") != NULL;
}

/* One thread with its rays; NULL when there is no memory. */
static cJSON *tree_json(const struct ws_catalog *catalog, const struct ws_ray_tree *tree)
{
    char work[64];
    cJSON *object = cJSON_CreateObject();
    ws_work_text(tree->stage, tree->work, work, sizeof(work));
    cJSON_AddStringToObject(object, "thread", work);
    cJSON_AddBoolToObject(object, "truncated", tree->truncated);
    ws_json_integer(object, "launch", tree->launch);
    ws_json_integer(object, "warp", tree->warp);
    ws_json_integer(object, "lane", tree->lane);
    cJSON *rays = cJSON_AddArrayToObject(object, "rays");
    bool added = rays != NULL;
    for (uint32_t i = 0; i < tree->ray_count && added; ++i)
        added = add_ray(add_element(rays), catalog, tree, i);
    if (added)
        return object;
    cJSON_Delete(object);
    return NULL;
}

bool ws_ray_trees_json(const struct ws_ray_trees *trees, struct ws_json *json)
{
    ws_json_open_list(json, "trees");
    for (uint32_t i = 0; i < trees->count && !json->failed; ++i)
        ws_json_element(json, tree_json(trees->catalog, &trees->trees[i]));
    ws_json_close_list(json);
    return !json->failed;
}
