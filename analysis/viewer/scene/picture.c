#include "analysis/viewer/scene/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/image/launch_image.h"
#include "analysis/viewer/launches_shown.h"
#include "warpscope/output/json.h"

void ws_picture_source_init(struct ws_picture_source *source, const struct ws_launch_view *view)
{
    *source = (struct ws_picture_source){.view = view, .trace = ws_launch_view_trace(view)};
    if (view->pixels != NULL && view->pixels->pixels != NULL)
        source->pixels = view->pixels;
    if (source->trace != NULL)
        source->grid = source->trace->grid;
    else if (source->pixels != NULL)
        source->grid = source->pixels->grid;
    else if (view->image != NULL)
        source->grid = (struct ws_work_grid){.extent = {view->image->width, view->image->height, 1},
                                             .width = view->image->width,
                                             .height = view->image->height,
                                             .columns = 1};
}

const struct ws_launch_pixel *ws_picture_rays(const struct ws_picture_source *source, uint64_t pixel)
{
    uint32_t place[3];
    if (source->pixels == NULL || !ws_work_grid_place(&source->grid, pixel, place))
        return NULL;
    const uint64_t at = ws_work_grid_pixel(&source->pixels->grid, place);
    return at != WS_WORK_GRID_NONE ? &source->pixels->pixels[at] : NULL;
}

static float rays_of(const struct ws_launch_pixel *pixel)
{
    return (float)pixel->rays;
}

static float depth_of(const struct ws_launch_pixel *pixel)
{
    return (float)pixel->depth;
}

static float any_hits_of(const struct ws_launch_pixel *pixel)
{
    return (float)pixel->any_hits;
}

static float intersections_of(const struct ws_launch_pixel *pixel)
{
    return (float)pixel->intersections;
}

static float distance_of(const struct ws_launch_pixel *pixel)
{
    return pixel->call > 0 && isfinite(pixel->distance) ? pixel->distance : NAN;
}

static float instance_of(const struct ws_launch_pixel *pixel)
{
    return pixel->call > 0 ? (float)pixel->instance : NAN;
}

static float geometry_of(const struct ws_launch_pixel *pixel)
{
    return pixel->call > 0 ? (float)pixel->geometry : NAN;
}

static float primitive_of(const struct ws_launch_pixel *pixel)
{
    return pixel->call > 0 ? (float)pixel->primitive : NAN;
}

static float blocks_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    return (float)trace->thread_blocks[pixel];
}

static float warp_blocks_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    return (float)trace->warp_blocks[pixel];
}

static float executions_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    return (float)trace->thread_executions[WS_TRACE_CALLED][pixel];
}

static float efficiency_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    const uint64_t slots = trace->warp_slots[pixel];
    return slots > 0 ? (float)((double)trace->warp_active[pixel] / (double)slots) : NAN;
}

static float warp_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    return trace->map[pixel] != WS_TRACE_NOTHING ? (float)trace->map[pixel] : NAN;
}

static float lane_of(const struct ws_trace_picture *trace, uint64_t pixel)
{
    return trace->map[pixel] != WS_TRACE_NOTHING ? (float)trace->lanes[pixel] : NAN;
}

static bool has_rays(const struct ws_picture_source *source)
{
    return source->pixels != NULL;
}

static bool has_trace(const struct ws_picture_source *source)
{
    return source->trace != NULL;
}

static bool has_executions(const struct ws_picture_source *source)
{
    return source->trace != NULL && source->trace->thread_executions[WS_TRACE_CALLED] != NULL;
}

static bool has_map(const struct ws_picture_source *source)
{
    return source->trace != NULL && source->trace->map != NULL;
}

/* One slice, from which each thread is a pixel of the image. */
static bool has_image(const struct ws_picture_source *source)
{
    const struct ws_chunk_image *image = source->view->image;
    const struct ws_work_grid *grid = &source->grid;
    struct ws_error error = {{0}};
    uint64_t size;
    return image != NULL && grid->columns == 1 && grid->extent[2] == 1 &&
           ws_texels_size(image, &size, &error) &&
           (uint64_t)grid->first[0] + grid->extent[0] <= image->width &&
           (uint64_t)grid->first[1] + grid->extent[1] <= image->height;
}

/* Pixels that were not recorded have a colour too, within the grid. */
static bool image_colours(const struct ws_picture_source *source, uint8_t *rgba, struct ws_error *error)
{
    const struct ws_chunk_image *image = source->view->image;
    const struct ws_work_grid *grid = &source->grid;
    uint8_t *all = ws_launch_image_read(source->view->path, image, error);
    for (uint32_t y = 0; all != NULL && y < grid->height; ++y)
        memcpy(rgba + (size_t)y * grid->width * 4,
               all + (((size_t)grid->first[1] + y) * image->width + grid->first[0]) * 4,
               (size_t)grid->width * 4);
    free(all);
    return all != NULL;
}

const struct ws_picture_figure ws_picture_figures[] = {
    {"image", "Image", "", WS_PICTURE_COLOUR, "the image that the launch made", has_image,
     .colours = image_colours},
    {"shaded", "Shaded geometry", "", WS_PICTURE_COLOUR,
     "what the first ray of each thread hit, with a tint for each geometry", ws_picture_can_shade,
     .colours = ws_picture_shade},
    {"normals", "Normals", "", WS_PICTURE_COLOUR,
     "normals of what it hit, towards the ray: x, y, z as red, green, blue", ws_picture_can_shade,
     .colours = ws_picture_normals},
    {"rays", "Rays", "rays", WS_PICTURE_MEASURE, "rays that the thread traced", has_rays, .of_rays = rays_of},
    {"depth", "Depth reached", "", WS_PICTURE_MEASURE, "how many rays led to the deepest of its rays",
     has_rays, .of_rays = depth_of},
    {"any_hits", "Any-hit runs", "runs", WS_PICTURE_MEASURE, "any-hit shaders that ran for its rays",
     has_rays, .of_rays = any_hits_of},
    {"intersections", "Intersection runs", "runs", WS_PICTURE_MEASURE,
     "intersection shaders that ran for its rays", has_rays, .of_rays = intersections_of},
    {"distance", "Distance of the first hit", "", WS_PICTURE_MEASURE,
     "how far its first ray flew until it hit, in units of the scene", has_rays, .of_rays = distance_of},
    {"blocks", "Blocks executed", "blocks", WS_PICTURE_MEASURE,
     "lifetime of the thread: block executions in which its lane is active", has_trace,
     .of_trace = blocks_of},
    {"warp_blocks", "Blocks of the warp", "blocks", WS_PICTURE_MEASURE,
     "lifetime of its warp: block executions, each once", has_trace, .of_trace = warp_blocks_of},
    {"executions", "Shaders executed", "executions", WS_PICTURE_MEASURE,
     "shader executions that the thread entered", has_executions, .of_trace = executions_of},
    {"efficiency", "Efficiency of the warp", "", WS_PICTURE_SHARE,
     "active share of the instruction slots of its warp", has_trace, .of_trace = efficiency_of},
    {"warp", "Warp", "", WS_PICTURE_ID, "index of its warp: which threads make one", has_map,
     .of_trace = warp_of},
    {"lane", "Lane", "", WS_PICTURE_ID, "its lane in the warp", has_map, .of_trace = lane_of},
    {"instance", "Instance", "", WS_PICTURE_ID, "instance that its first ray hit", has_rays,
     .of_rays = instance_of},
    {"geometry", "Geometry", "", WS_PICTURE_ID, "geometry that it hit, in the instance's structure", has_rays,
     .of_rays = geometry_of},
    {"primitive", "Primitive", "", WS_PICTURE_ID, "primitive that it hit, in the geometry", has_rays,
     .of_rays = primitive_of},
    {NULL}};

const struct ws_picture_figure *ws_picture_find(const struct ws_picture_source *source, const char *name)
{
    for (const struct ws_picture_figure *figure = ws_picture_figures; figure->name != NULL; ++figure)
        if (strcmp(figure->name, name) == 0)
            return source->grid.width > 0 && figure->has(source) ? figure : NULL;
    return NULL;
}

float ws_picture_value(const struct ws_picture_source *source, const struct ws_picture_figure *figure,
                       uint64_t pixel)
{
    if (figure->of_trace != NULL)
        return source->trace->thread_blocks[pixel] != WS_TRACE_NOTHING
                   ? figure->of_trace(source->trace, pixel)
                   : NAN;
    const struct ws_launch_pixel *rays = ws_picture_rays(source, pixel);
    return rays != NULL && rays->rays > 0 ? figure->of_rays(rays) : NAN;
}

static void number_or_null(cJSON *object, const char *name, bool is_there, double value)
{
    if (is_there)
        ws_json_number(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static cJSON *describe_figure(const struct ws_picture_source *source, const struct ws_picture_figure *figure)
{
    static const char *const kinds[] = {"measure", "share", "id", "colour"};
    const uint64_t count = figure->colours == NULL ? ws_work_grid_pixels(&source->grid) : 0;
    cJSON *object = cJSON_CreateObject();
    double sum = 0;
    float smallest = INFINITY, largest = -INFINITY;
    uint64_t pixels = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const float value = ws_picture_value(source, figure, i);
        if (isnan(value))
            continue;
        smallest = value < smallest ? value : smallest;
        largest = value > largest ? value : largest;
        sum += (double)value;
        pixels++;
    }
    cJSON_AddStringToObject(object, "name", figure->name);
    cJSON_AddStringToObject(object, "title", figure->title);
    cJSON_AddStringToObject(object, "unit", figure->unit);
    cJSON_AddStringToObject(object, "kind", kinds[figure->kind]);
    cJSON_AddStringToObject(object, "help", figure->help);
    number_or_null(object, "smallest", pixels > 0, (double)smallest);
    number_or_null(object, "largest", pixels > 0, (double)largest);
    number_or_null(object, "sum", pixels > 0 && figure->kind == WS_PICTURE_MEASURE, sum);
    number_or_null(object, "pixels", figure->colours == NULL, (double)pixels);
    return object;
}

static cJSON *describe_size(const struct ws_work_grid *grid)
{
    if (grid->width == 0)
        return cJSON_CreateNull();
    cJSON *size = cJSON_CreateArray();
    ws_json_append(size, ws_json_integer_item(grid->width));
    ws_json_append(size, ws_json_integer_item(grid->height));
    return size;
}

static cJSON *describe_grid(const struct ws_work_grid *grid)
{
    if (grid->width == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    cJSON *extent = cJSON_AddArrayToObject(object, "extent");
    for (int i = 0; i < 3; ++i) {
        ws_json_append(first, ws_json_integer_item(grid->first[i]));
        ws_json_append(extent, ws_json_integer_item(grid->extent[i]));
    }
    ws_json_integer(object, "columns", grid->columns);
    return object;
}

/* Why figures are missing; NULL = none are. */
static const char *why_missing(const struct ws_picture_source *source)
{
    const struct ws_launch_view *view = source->view;
    const bool large = (view->pixels != NULL && view->pixels->too_large) ||
                       (view->trace != NULL && view->trace->pictures_left_out > 0);
    if (large)
        return "the launch has more threads than a picture has pixels";
    if (source->trace == NULL && source->pixels == NULL)
        return view->pixels == NULL && view->trace == NULL
                   ? "the capture has no rays and no traces; record them with: warpscope record -p "
                     "ray_events,execution_trace"
                   : "no thread of the launch that has a place in a picture was recorded";
    if (view->pixels == NULL)
        return "the capture has no rays; record them with: warpscope record -p ray_events";
    if (view->trace == NULL)
        return "the capture has no traces; record them with: warpscope record -p execution_trace";
    return NULL;
}

static bool answer_list(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                        const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const struct ws_launch_view *view = ws_launch_view(viewer, capture, query, error);
    struct ws_picture_source source;
    struct ws_json json;
    const char *base = NULL;
    if (view == NULL)
        return false;
    ws_picture_source_init(&source, view);
    ws_json_begin(&json, stream);
    ws_json_member(&json, "launch", ws_json_integer_item(view->launch));
    ws_json_member(&json, "size", describe_size(&source.grid));
    ws_json_member(&json, "grid", describe_grid(&source.grid));
    ws_json_open_list(&json, "figures");
    for (const struct ws_picture_figure *figure = ws_picture_figures; figure->name != NULL; ++figure) {
        if (ws_picture_find(&source, figure->name) == NULL)
            continue;
        if (base == NULL && figure->kind == WS_PICTURE_COLOUR)
            base = figure->name;
        ws_json_element(&json, describe_figure(&source, figure));
    }
    ws_json_close_list(&json);
    ws_json_member(&json, "base", base != NULL ? cJSON_CreateString(base) : cJSON_CreateNull());
    ws_json_member(&json, "outside",
                   ws_json_integer_item(source.trace != NULL    ? source.trace->outside
                                        : source.pixels != NULL ? source.pixels->outside
                                                                : 0));
    const char *why = why_missing(&source);
    ws_json_member(&json, "why", why != NULL ? cJSON_CreateString(why) : cJSON_CreateNull());
    return ws_json_end(&json);
}

static bool write_values(const struct ws_picture_source *source, const struct ws_picture_figure *figure,
                         FILE *stream)
{
    for (uint32_t y = 0; y < source->grid.height; ++y)
        for (uint32_t x = 0; x < source->grid.width; ++x) {
            const float value = ws_picture_value(source, figure, (uint64_t)y * source->grid.width + x);
            fwrite(&value, sizeof(value), 1, stream);
        }
    return true;
}

static bool write_colours(const struct ws_picture_source *source, const struct ws_picture_figure *figure,
                          FILE *stream, struct ws_error *error)
{
    const size_t pixels = (size_t)ws_work_grid_pixels(&source->grid);
    uint8_t *rgba = calloc(pixels, 4);
    const bool made = rgba != NULL && figure->colours(source, rgba, error);
    if (made)
        fwrite(rgba, 4, pixels, stream);
    free(rgba);
    return made;
}

static bool answer_picture(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                           const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    const char *name = ws_viewer_query_text(query, "figure");
    struct ws_picture_source source;
    if (name == NULL)
        return ws_error_set(error, "picture needs figure=NAME; pictures.json names those that there are");
    const struct ws_launch_view *view = ws_launch_view(viewer, capture, query, error);
    if (view == NULL)
        return false;
    ws_picture_source_init(&source, view);
    const struct ws_picture_figure *figure = ws_picture_find(&source, name);
    if (figure == NULL)
        return ws_error_set(
            error, "launch %" PRIu64 " has no picture '%.64s'; pictures.json names those that there are",
            view->launch, name);
    return figure->colours != NULL ? write_colours(&source, figure, stream, error)
                                   : write_values(&source, figure, stream);
}

static bool embed_list(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                       ws_viewer_embed *embed, void *user)
{
    (void)viewer, (void)budget;
    return ws_launches_shown_embed(capture, "pictures.json", WS_RANK_ALWAYS, WS_RANK_LINKED, embed, user);
}

/* What lies beneath and what tells warps apart come first; then all others of the launch that the page opens with. */
static unsigned rank_of(const struct ws_picture_figure *figure, bool first)
{
    const bool usual = strcmp(figure->name, "shaded") == 0 || strcmp(figure->name, "warp") == 0 ||
                       strcmp(figure->name, "rays") == 0;
    if (first)
        return usual ? WS_RANK_FIRST : WS_RANK_BESIDE;
    return usual ? WS_RANK_BESIDE : WS_RANK_FARTHER;
}

static bool embed_pictures(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                           ws_viewer_embed *embed, void *user)
{
    uint64_t launches[WS_LAUNCHES_SHOWN];
    const uint32_t count = ws_launches_shown(capture, launches);
    (void)budget;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_error error = {{0}};
        struct ws_picture_source source;
        const struct ws_launch_view *view = ws_launch_view_of(viewer, capture, launches[i], &error);
        /* What cannot be read has no pictures: pictures.json says why. */
        if (view == NULL)
            continue;
        ws_picture_source_init(&source, view);
        for (const struct ws_picture_figure *figure = ws_picture_figures; figure->name != NULL; ++figure) {
            char query[96];
            snprintf(query, sizeof(query), "picture?figure=%s&launch=%" PRIu64, figure->name, launches[i]);
            if (ws_picture_find(&source, figure->name) != NULL &&
                !embed(user, query, rank_of(figure, i == 0)))
                return false;
        }
    }
    return true;
}

const struct ws_viewer_resource ws_viewer_resource_pictures = {
    .name = "pictures.json",
    .help = "figures that there are at each pixel of a launch, with their ranges",
    .keys = "launch",
    .answer = answer_list,
    .embed = embed_list,
};

const struct ws_viewer_resource ws_viewer_resource_picture = {
    .name = "picture",
    .help = "one figure at each pixel of a launch",
    .keys = "figure launch",
    .answer = answer_picture,
    .embed = embed_pictures,
};
