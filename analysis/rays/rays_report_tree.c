/* The rays of chosen threads, each below the one in whose shaders it was traced. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/model/work_id.h"
#include "analysis/rays/rays_report.h"

#define NAME_SIZE  384
#define ROWS_USUAL 1000
#define DEPTH_MOST 40 /* of indentation */

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

static void print_shader(const struct ws_rays_results *results, uint32_t shader, FILE *stream)
{
    char name[NAME_SIZE];
    ws_catalog_shader_name(results->catalog, shader, name, sizeof(name));
    fputc(' ', stream);
    ws_text_print(stream, name);
}

static int indent(const struct ws_ray *ray)
{
    return (int)(2 * (ray->depth < DEPTH_MOST ? ray->depth : DEPTH_MOST));
}

static void print_candidate(const struct ws_rays_results *results, const struct ws_ray *ray,
                            const struct ws_ray_candidate *candidate, FILE *stream)
{
    fprintf(stream, "  %*s    ", indent(ray), "");
    if (candidate->kind == WS_CANDIDATE_INTERSECTION) {
        fputs("intersection", stream);
        print_shader(results, candidate->shader, stream);
        fprintf(stream, ", instance %" PRIu32 " (%" PRIu32 ") geometry %" PRIu32 " primitive %" PRIu32 "\n",
                candidate->hit.instance, candidate->hit.custom_index, candidate->hit.geometry,
                candidate->hit.primitive);
        return;
    }
    fputs(ws_candidate_kind_name(candidate->kind), stream);
    print_shader(results, candidate->shader, stream);
    fprintf(stream, " %s", ws_candidate_result_name(candidate->result));
    print_hit(ray, &candidate->hit, stream);
    fputc('\n', stream);
}

static void print_ray(const struct ws_rays_results *results, const struct ws_rays_tree *tree, uint32_t number,
                      FILE *stream)
{
    const struct ws_ray *ray = &tree->rays[number];
    const bool miss_only = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    char place[NAME_SIZE];
    ws_rays_site_place(results->catalog, ray->shader, ray->site, place, sizeof(place));
    fprintf(stream, "  %*s%" PRIu32 " %s", indent(ray), "", number,
            ray->query  ? "query"
            : miss_only ? "trace, miss-only,"
                        : "trace");
    fprintf(stream, " from %.6g %.6g %.6g along %.6g %.6g %.6g by", (double)ray->origin[0],
            (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
            (double)ray->direction[1], (double)ray->direction[2]);
    print_shader(results, ray->shader, stream);
    if (place[0] != '\0')
        fputc(' ', stream);
    ws_text_print(stream, place);
    fputc('\n', stream);
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        print_candidate(results, ray, &tree->candidates[ray->candidate_first + i], stream);
    fprintf(stream, "  %*s  > %s", indent(ray), "", ws_ray_end_name(ray->end));
    if (ray->first_hit_shader != WS_NONE)
        print_shader(results, ray->first_hit_shader, stream);
    if (ray->has_hit)
        print_hit(ray, &ray->hit, stream);
    fputc('\n', stream);
}

/* Children follow their parent: they have been traced before its shader ended, so each ray stands behind
 * those before it that are no deeper. */
static uint32_t print_rays(const struct ws_rays_results *results, const struct ws_rays_tree *tree,
                           uint32_t lines, FILE *stream)
{
    uint32_t shown = 0;
    for (; shown < tree->ray_count && shown < lines; ++shown)
        print_ray(results, tree, shown, stream);
    if (shown < tree->ray_count)
        fprintf(stream, "  ... and %" PRIu32 " more: --rows 0 shows them all\n", tree->ray_count - shown);
    return shown;
}

void ws_rays_report_tree(const struct ws_rays_results *results, FILE *stream)
{
    uint32_t lines = results->options.rows > 0 ? results->options.rows : ROWS_USUAL;
    if (results->tree_count == 0)
        fprintf(stream, "\nNo ray was recorded of this %s%s\n", results->options.has_warp ? "warp" : "thread",
                results->options.has_launch ? " in this launch" : "");
    for (uint32_t i = 0; i < results->tree_count; ++i) {
        const struct ws_rays_tree *tree = &results->trees[i];
        char work[64];
        ws_work_text(tree->stage, tree->work, work, sizeof(work));
        fprintf(stream,
                "\nRays of %s %s, lane %" PRIu32 " of warp %" PRIu32 ", launch %" PRIu64 ": %" PRIu32 "%s\n",
                ws_work_name(tree->stage), work, tree->lane, tree->warp, tree->launch, tree->ray_count,
                tree->truncated ? ", and what did not fit" : "");
        lines -= print_rays(results, tree, lines, stream);
    }
}
