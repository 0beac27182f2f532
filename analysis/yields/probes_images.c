/* Images of records: a pixel for each thread of a launch, coloured by one of the fields. Where a thread recorded several
 * times, its last record counts. Of the launches the first that has records of the output is drawn. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/yields/probes.h"
#include "warpscope/model/names.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/output/plot.h"

#define PIXELS_MAX (UINT64_C(1) << 24)
#define IMAGES_MAX 16
#define STEPS      1000 /* of the scale of fields that may be negative or no integers */

/* The launch of an output that is drawn. */
struct drawing {
    const struct ws_probes *results;
    uint32_t output;
    uint32_t shader;
    uint64_t launch;
    struct ws_work_grid grid;
    uint64_t *values;
};

static bool is_drawn(const struct drawing *drawing, const struct ws_probes_record *record)
{
    return record->output == drawing->output && record->has_thread && record->shader == drawing->shader &&
           record->launch == drawing->launch;
}

static void place_of(const struct drawing *drawing, const struct ws_probes_record *record, uint32_t place[3])
{
    ws_work_place(drawing->results->catalog->shaders[record->shader].stage, record->work, place);
}

/* Finds the first record of the output, and the threads that recorded in its launch. False where there is none, or no
 * room for so many pixels. */
static bool begin(struct drawing *drawing)
{
    const struct ws_probes *results = drawing->results;
    uint32_t first[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint32_t last[3] = {0, 0, 0};
    bool any = false;
    for (uint32_t i = 0; i < results->record_count; ++i) {
        const struct ws_probes_record *record = &results->records[i];
        uint32_t place[3];
        if (!any && record->output == drawing->output && record->has_thread) {
            drawing->shader = record->shader;
            drawing->launch = record->launch;
            any = true;
        }
        if (!any || !is_drawn(drawing, record))
            continue;
        place_of(drawing, record, place);
        for (int axis = 0; axis < 3; ++axis) {
            first[axis] = place[axis] < first[axis] ? place[axis] : first[axis];
            last[axis] = place[axis] > last[axis] ? place[axis] : last[axis];
        }
    }
    const struct ws_launch_record *launch = any ? ws_catalog_launch(results->catalog, drawing->launch) : NULL;
    return launch != NULL && ws_work_grid_make(&drawing->grid, results->catalog, launch, drawing->shader,
                                               first, last, PIXELS_MAX);
}

/* The range of a field's finite values. False where there is none. */
static bool range_of(const struct drawing *drawing, uint32_t field, uint32_t type, double range[2])
{
    bool any = false;
    for (uint32_t i = 0; i < drawing->results->record_count; ++i) {
        const struct ws_probes_record *record = &drawing->results->records[i];
        if (!is_drawn(drawing, record))
            continue;
        const double value = ws_yield_number(type, drawing->results->field_words[record->fields + field]);
        if (!isfinite(value))
            continue;
        range[0] = !any || value < range[0] ? value : range[0];
        range[1] = !any || value > range[1] ? value : range[1];
        any = true;
    }
    return any;
}

/* Fills the pixels. A field that is never negative and has integers keeps its values; others become steps of their
 * range. Values that are not finite have no colour. */
static void fill(struct drawing *drawing, uint32_t field, uint32_t type, const double range[2], bool stepped)
{
    const uint64_t pixels = ws_work_grid_pixels(&drawing->grid);
    for (uint64_t i = 0; i < pixels; ++i)
        drawing->values[i] = UINT64_MAX;
    for (uint32_t i = 0; i < drawing->results->record_count; ++i) {
        const struct ws_probes_record *record = &drawing->results->records[i];
        uint32_t place[3];
        if (!is_drawn(drawing, record))
            continue;
        place_of(drawing, record, place);
        const uint64_t pixel = ws_work_grid_pixel(&drawing->grid, place);
        const double value = ws_yield_number(type, drawing->results->field_words[record->fields + field]);
        if (pixel == WS_WORK_GRID_NONE)
            continue;
        const double width = range[1] - range[0];
        drawing->values[pixel] = !isfinite(value) ? UINT64_MAX
                                 : !stepped       ? (uint64_t)value
                                 : width > 0      ? (uint64_t)(STEPS * ((value - range[0]) / width) + 0.5)
                                                  : 0;
    }
}

static bool draw_field(struct drawing *drawing, uint32_t field, struct ws_plots *plots,
                       struct ws_error *error)
{
    const struct ws_probes *results = drawing->results;
    const struct ws_probes_output *output = &results->outputs[drawing->output];
    const struct ws_probe_field *of = &output->output->fields[field];
    const char *probe = results->probes[output->probe].pass + strlen(WS_PROBE_PASS_PREFIX);
    double range[2] = {0, 0};
    char name[256], title[512], unit[160], launch[32];
    if (!range_of(drawing, field, of->type, range))
        return true;
    const bool stepped = of->type == WS_YIELD_FLOAT || range[0] < 0;
    fill(drawing, field, of->type, range, stepped);
    if (stepped)
        snprintf(unit, sizeof(unit), "%s, in thousandths of the way from %.6g to %.6g", of->name, range[0],
                 range[1]);
    else
        snprintf(unit, sizeof(unit), "%s", of->name);
    snprintf(name, sizeof(name), "%s-%s-%s", probe, output->output->name, of->name);
    snprintf(title, sizeof(title), "Probe %s: %s of %s, %s, launch %" PRIu64, probe, of->name,
             output->output->name, ws_shader_name(results->catalog, drawing->shader), drawing->launch);
    snprintf(launch, sizeof(launch), "--launch %" PRIu64, drawing->launch);
    const struct ws_work_grid *grid = &drawing->grid;
    const struct ws_image_grid ids =
        ws_image_grid_of_threads(grid->first, grid->extent, grid->columns, launch);
    const struct ws_image image = {
        .kind = WS_IMAGE_HEAT,
        .width = grid->width,
        .height = grid->height,
        .values = drawing->values,
        .title = title,
        .about =
            "What each thread recorded last. Pixels without a colour recorded nothing, or no finite number.",
        .unit = unit,
        .grid = &ids,
    };
    return ws_plots_image(plots, name, &image, error);
}

bool ws_probes_images(const struct ws_probes *results, struct ws_plots *plots, struct ws_error *error)
{
    uint32_t count = 0;
    bool drawn = true;
    for (uint32_t i = 0; i < results->output_count && drawn; ++i) {
        struct drawing drawing = {.results = results, .output = i};
        const struct ws_yield_shape *shape = &results->outputs[i].output->shape;
        if (shape->kind != WS_YIELD_RECORD || !begin(&drawing))
            continue;
        drawing.values = malloc(ws_work_grid_pixels(&drawing.grid) * sizeof(*drawing.values) + 1);
        if (drawing.values == NULL)
            return ws_error_set(error, "out of memory");
        for (uint32_t field = 0; field < shape->field_count && drawn && count < IMAGES_MAX; ++field, ++count)
            drawn = draw_field(&drawing, field, plots, error);
        free(drawing.values);
    }
    return drawn;
}
