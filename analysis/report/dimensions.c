/* Fields of the dimensions that analyses share (columns.h). */
#include <inttypes.h>
#include <string.h>

#include "analysis/report/report.h"
#include "warpscope/model/names.h"
#include "warpscope/output/json.h"
#include "warpscope/report/columns.h"

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

static void stage_name(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_stage_name((uint32_t)row->key));
}

const struct ws_field ws_stage_fields[] = {
    {"stage", "stage of the shader: raygen, compute, fragment, ...", WS_TEXT, .value = stage_name}, {NULL}};

static void pipeline_id(const struct ws_row *row, struct ws_value *value)
{
    if (row->key != WS_KEY_SEVERAL)
        ws_value_count(value, row->catalog->pipelines[row->key].id);
}

static void pipeline_name(const struct ws_row *row, struct ws_value *value)
{
    if (row->key == WS_KEY_SEVERAL) {
        set_text(value, "shaders of several pipelines");
        return;
    }
    set_text(value, ws_pipeline_name(row->catalog, (uint32_t)row->key));
}

const struct ws_field ws_pipeline_fields[] = {
    {"pipeline_id", "its id in the capture", WS_COUNT, .value = pipeline_id},
    {"pipeline", "its debug name, or that of its shaders", WS_TEXT, .value = pipeline_name},
    {NULL}};

static void shader_id(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->catalog->shaders[row->key].id);
}

static void shader_name(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_shader_name(row->catalog, (uint32_t)row->key));
}

const struct ws_field ws_shader_fields[] = {
    {"shader_id", "its id in the capture", WS_COUNT, .value = shader_id},
    {"shader", "name of the module and the entry point, and what tells it from others of that name", WS_TEXT,
     .value = shader_name},
    {NULL}};

static const struct ws_block_record *block_of(const struct ws_row *row)
{
    const struct ws_catalog *catalog = row->catalog;
    return &catalog->modules[catalog->shaders[row->key >> 32].module].blocks[(uint32_t)row->key];
}

static void block_label(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, block_of(row)->info.label);
}

static void block_part(const struct ws_row *row, struct ws_value *value)
{
    if (block_of(row)->part > 0)
        ws_value_count(value, block_of(row)->part);
}

static void block_source(const struct ws_row *row, struct ws_value *value)
{
    ws_block_place(block_of(row), value->buffer, sizeof(value->buffer));
    set_text(value, value->buffer);
}

static void block_offset(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, block_of(row)->info.offset);
}

static void block_file(const struct ws_row *row, struct ws_value *value)
{
    if (block_of(row)->file != NULL)
        set_text(value, block_of(row)->file);
}

static void block_line(const struct ws_row *row, struct ws_value *value)
{
    if (block_of(row)->file != NULL)
        ws_value_count(value, block_of(row)->line);
}

const struct ws_field ws_block_fields[] = {
    {"block", "id of its label", WS_COUNT, .prefix = "%", .value = block_label},
    {"part",
     "1, 2, ...: what stands behind the first, second, ... place of that block where lanes\n"
     "may end, such as a call of a function that discards; nothing: its beginning",
     WS_COUNT, .flags = WS_BLANK_ZERO, .value = block_part},
    {"source", "where it is in the source: file:line or file:line-line", WS_TEXT, .value = block_source},
    {"offset", "where it begins in the module, in words", WS_COUNT, .value = block_offset},
    {"file", "where it begins in the source, if known: path as the compiler was given it", WS_TEXT,
     .value = block_file},
    {"line", "line in that file, from 1", WS_COUNT, .value = block_line},
    {NULL}};

static const struct ws_launch_record *launch_of(const struct ws_row *row)
{
    return ws_catalog_launch(row->catalog, row->key);
}

static void launch_index(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, row->key);
}

static void launch_frame(const struct ws_row *row, struct ws_value *value)
{
    if (launch_of(row) != NULL)
        ws_value_count(value, launch_of(row)->frame);
}

static void launch_submission(const struct ws_row *row, struct ws_value *value)
{
    if (launch_of(row) != NULL)
        ws_value_count(value, launch_of(row)->submission);
}

static void launch_kind(const struct ws_row *row, struct ws_value *value)
{
    if (launch_of(row) != NULL)
        set_text(value, ws_launch_kind_name(launch_of(row)->kind));
}

static void launch_size(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_launch_record *launch = launch_of(row);
    if (launch != NULL && (launch->size[0] != 0 || launch->size[1] != 0 || launch->size[2] != 0))
        ws_value_text(value, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, launch->size[0], launch->size[1],
                      launch->size[2]);
}

static cJSON *launch_size_json(const struct ws_row *row)
{
    const struct ws_launch_record *launch = launch_of(row);
    struct ws_value value = {.kind = WS_VALUE_NONE};
    launch_size(row, &value);
    cJSON *size = value.kind != WS_VALUE_NONE ? cJSON_CreateArray() : cJSON_CreateNull();
    for (int i = 0; i < 3 && value.kind != WS_VALUE_NONE; ++i)
        ws_json_append(size, ws_json_integer_item(launch->size[i]));
    return size;
}

static void launch_label(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, launch_of(row) != NULL ? launch_of(row)->label : "");
}

static void launch_subgroup_size(const struct ws_row *row, struct ws_value *value)
{
    if (launch_of(row) != NULL)
        ws_value_count(value, launch_of(row)->subgroup_size);
}

const struct ws_field ws_launch_fields[] = {
    {"launch", "its number in the capture", WS_COUNT, .value = launch_index},
    {"frame", "number of its frame: presents before it; 0 where nothing is presented (see submission)",
     WS_COUNT, .value = launch_frame},
    {"submission", "number of its submission to a queue, from 0: it counts where nothing is presented too",
     WS_COUNT, .value = launch_submission},
    {"launch_kind", "trace rays, dispatch or render pass", WS_TEXT, .value = launch_kind},
    {"launch_size", "threads of a trace, workgroups of a dispatch, pixels of a render pass", WS_TEXT,
     .flags = WS_RIGHT | WS_DASH, .value = launch_size, .json = launch_size_json, .type = "integer[]?"},
    {"label", "debug label around it", WS_TEXT, .value = launch_label},
    {"subgroup_size", "of the device", WS_COUNT, .value = launch_subgroup_size},
    {NULL}};
