/* The analysis `advice`: shows every ray of a capture to the rules (advice.h), and declares their advice. Its text is in
 * advice_text.c. */
#include "analysis/advice/advice_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_findings.h"
#include "warpscope/base/text.h"
#include "warpscope/output/json.h"
#include "warpscope/report/analysis.h"

const char *const ws_advice_idle_reports[] = {"divergence", "thread_compaction"};

/* What adds up over pieces of advice. What they save does not: several may be about the same runs. */
struct sums {
    uint64_t pieces;
};

static const struct ws_advice *advice_of(const struct ws_row *row)
{
    const struct ws_advice_report *results = row->user;
    size_t count = 0;
    return &ws_advice_list_all(results->list, &count)[row->key];
}

static void set_text(struct ws_value *value, const char *text)
{
    value->kind = WS_VALUE_TEXT;
    value->text = text;
}

static void rule_name(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_advice_rules()[row->key]->name);
}

static void rule_title(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_advice_rules()[row->key]->title);
}

static void advice_subject(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, advice_of(row)->subject);
}

static void advice_evidence(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, advice_of(row)->evidence);
}

static void advice_change(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, advice_of(row)->change);
}

static void advice_saves(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_saving_name(advice_of(row)->saves));
}

static void advice_saving(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, advice_of(row)->saving);
}

static void advice_total(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, advice_of(row)->of);
}

static void advice_at_most(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, advice_of(row)->at_most);
}

static void advice_wrong_rays(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, advice_of(row)->wrong_rays);
}

static void advice_share(const struct ws_row *row, struct ws_value *value)
{
    if (advice_of(row)->share > 0)
        ws_value_real(value, advice_of(row)->share);
}

bool ws_advice_time_share(const struct ws_advice_report *results, const struct ws_advice *advice,
                          double *share)
{
    const uint64_t time = advice->shader == WS_NONE       ? results->ray_time
                          : results->shader_times != NULL ? results->shader_times[advice->shader]
                                                          : UINT64_MAX;
    if (time == UINT64_MAX || ws_times_total(results->catalog) == 0)
        return false;
    *share = ws_times_share(results->catalog, time);
    return true;
}

static void advice_time_share(const struct ws_row *row, struct ws_value *value)
{
    double share;
    if (ws_advice_time_share(row->user, advice_of(row), &share))
        ws_value_real(value, share);
}

static void advice_number(const struct ws_row *row, struct ws_value *value)
{
    ws_value_count(value, advice_of(row)->number);
}

static void advice_against(const struct ws_row *row, struct ws_value *value)
{
    const struct ws_advice_report *results = row->user;
    const uint32_t other = advice_of(row)->against;
    size_t count = 0;
    if (other != WS_NONE)
        ws_value_count(value, ws_advice_list_all(results->list, &count)[other].number);
}

static void advice_certainty(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, ws_certainty_name(advice_of(row)->certainty));
}

static void advice_doubt(const struct ws_row *row, struct ws_value *value)
{
    set_text(value, advice_of(row)->doubt);
}

static void set_place(const struct ws_row *row, int axis, struct ws_value *value)
{
    if (advice_of(row)->has_place)
        ws_value_real(value, (double)advice_of(row)->place[axis]);
}

static void advice_x(const struct ws_row *row, struct ws_value *value)
{
    set_place(row, 0, value);
}

static void advice_y(const struct ws_row *row, struct ws_value *value)
{
    set_place(row, 1, value);
}

static void advice_z(const struct ws_row *row, struct ws_value *value)
{
    set_place(row, 2, value);
}

static void advice_thread(const struct ws_row *row, struct ws_value *value)
{
    const uint32_t *thread = advice_of(row)->thread;
    if (advice_of(row)->has_thread)
        ws_value_text(value, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, thread[0], thread[1], thread[2]);
}

static void advice_launch(const struct ws_row *row, struct ws_value *value)
{
    if (advice_of(row)->has_thread)
        ws_value_count(value, advice_of(row)->launch);
}

static void advice_instance(const struct ws_row *row, struct ws_value *value)
{
    if (advice_of(row)->has_instance)
        ws_value_count(value, advice_of(row)->instance);
}

static void advice_geometry(const struct ws_row *row, struct ws_value *value)
{
    if (advice_of(row)->has_geometry)
        ws_value_count(value, advice_of(row)->geometry);
}

static const struct ws_field rule_fields[] = {
    {"rule", "that gives it", WS_TEXT, .value = rule_name},
    {"title", "of the rule", WS_TEXT, .value = rule_title},
    {NULL},
};

static const struct ws_field piece_fields[] = {
    {"number", "in the list; pieces that have one cause share it", WS_COUNT, .value = advice_number},
    {"subject", "what it is about", WS_TEXT, .value = advice_subject},
    {"evidence", "with the numbers", WS_TEXT, .value = advice_evidence},
    {"change", "what to change, and to what", WS_TEXT, .value = advice_change},
    {"saves",
     "what there would be less of: nothing, any_hit, intersection,\nclosest_hit, miss, rays, candidates, "
     "slots, instructions,\nexecutions or bytes",
     WS_TEXT, .value = advice_saves},
    {"saving", "how many", WS_COUNT, .flags = WS_FIGURE, .better = WS_BETTER_LESS, .value = advice_saving},
    {"of", "of how many in the capture", WS_COUNT, .value = advice_total},
    {"at_most", "what the change needs may cost as much again", WS_FLAG, .value = advice_at_most},
    {"wrong_rays", "rays that find what they should not, until it is changed", WS_COUNT, .flags = WS_FIGURE,
     .better = WS_BETTER_LESS, .value = advice_wrong_rays},
    {"share", "of the capture's work, or of bytes, that is saved or wrong", WS_SHARE, .flags = WS_FIGURE,
     .better = WS_BETTER_LESS, .value = advice_share},
    {"time_share",
     "of the capture's device time: the launches that it is about, whose pipelines have the\n"
     "shader, or which traced rays; where times are known (pass time, --time)",
     WS_SHARE, .value = advice_time_share},
    {"against", "number of a piece that pulls the other way", WS_COUNT, .value = advice_against},
    {"certainty", "certain, likely or possible", WS_TEXT, .value = advice_certainty},
    {"doubt", "why it is not more certain", WS_TEXT, .value = advice_doubt},
    {"x", "of a place in the world", WS_RATIO, .value = advice_x},
    {"y", "of it", WS_RATIO, .value = advice_y},
    {"z", "of it", WS_RATIO, .value = advice_z},
    {"thread", "a thread that is an example, as --thread takes it", WS_TEXT, .value = advice_thread},
    {"thread_launch", "number of the launch of that thread", WS_COUNT, .value = advice_launch},
    {"instance", "number of the instance that it is about; of several, one in which it was met", WS_COUNT,
     .value = advice_instance},
    {"geometry", "number of the geometry that it is about, in the instance's structure; of several, one",
     WS_COUNT, .value = advice_geometry},
    {NULL},
};

static const struct ws_dimension dimensions[] = {
    [WS_ADVICE_RULE] = {.name = "rule", .help = "what looks for one kind of advice", .fields = rule_fields},
    [WS_ADVICE_PIECE] = {.name = "advice",
                         .help = "one piece of advice, most saving first",
                         .fields = piece_fields,
                         .shown = "subject saves saving of share certainty",
                         .implies = 1u << WS_ADVICE_RULE,
                         .same = "subject"},
    [WS_ADVICE_DIMENSIONS] = {NULL},
};

static const struct ws_field measures[] = {
    {"pieces", "how many pieces of advice", WS_COUNT, .at = offsetof(struct sums, pieces)},
    {NULL},
};

static const struct ws_level levels[] = {
    [WS_ADVICE_BY_PIECE] =
        {.name = "advice",
         .heading = "Advice",
         .by = 1u << WS_ADVICE_PIECE,
         .rows = WS_ADVICE_ROWS,
         .text = "rule subject saves saving of share certainty",
         .data = "rule title number subject evidence change saves saving of at_most wrong_rays share "
                 "time_share "
                 "certainty doubt against x y z thread thread_launch instance geometry"},
    {NULL},
};

static const struct ws_columns columns = {dimensions, measures, levels, sizeof(struct sums), .shown = NULL};

static uint64_t number_of(const struct ws_advice_rule *rule)
{
    uint64_t number = 0;
    while (ws_advice_rules()[number] != rule)
        number++;
    return number;
}

static bool add_pieces(struct ws_advice_report *results)
{
    size_t count = 0;
    const struct ws_advice *all = ws_advice_list_all(results->list, &count);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t keys[WS_ADVICE_DIMENSIONS] = {
            [WS_ADVICE_RULE] = number_of(all[i].rule), [WS_ADVICE_PIECE] = i};
        if (!ws_groups_add(results->groups, keys, &(struct sums){.pieces = 1}))
            return false;
    }
    return true;
}

static const struct ws_groups *groups(const void *user)
{
    const struct ws_advice_report *results = user;
    return results->groups;
}

/* No geometry: of a capture that cannot be read twice. */
static const struct ws_scene no_scene = {.structure_count = 0};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct ws_advice_report *results = user;
    const struct ws_launch_record *launch = threads->launch;
    if (!ws_scene_preview_begin(results->preview, results, results->catalog, launch))
        return false;
    struct ws_scene_matcher *matcher = results->preview->matcher;
    results->truncated = results->truncated || threads->launch->truncated;
    if (matcher == NULL) {
        results->own = ws_scene_matcher_create(results->input.scene,
                                               results->catalog->devices[launch->device].id, launch->index);
        matcher = results->own;
    }
    results->launch = (struct ws_advice_launch){.threads = threads, .matcher = matcher};
    return matcher != NULL;
}

static bool look(void *user, const struct ws_ray_thread *thread)
{
    const struct ws_advice_report *results = user;
    return ws_scene_preview_look(results->preview, results, thread);
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct ws_advice_report *results = user;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        results->rays_seen += ws_advice_is_chosen(&results->input, &results->launch, &thread->rays[i]);
    if (thread->ray_count > 0 &&
        !ws_id_map_put(&results->ray_launches, results->launch.threads->launch->index, 1))
        return false;
    return ws_advice_run_thread(results->run, &results->launch, thread);
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct ws_advice_report *results = user;
    (void)threads;
    const bool ended = ws_advice_run_end_launch(results->run, &results->launch);
    ws_scene_matcher_destroy(results->own);
    results->own = NULL;
    return ended;
}

static const struct ws_ray_operations operations = {
    .begin = begin, .look = look, .thread = add_thread, .end = end_launch};

static void destroy(void *user)
{
    struct ws_advice_report *results = user;
    if (results == NULL)
        return;
    ws_scene_matcher_destroy(results->own);
    ws_groups_destroy(results->groups);
    ws_advice_list_destroy(results->list);
    ws_advice_run_destroy(results->run);
    ws_rays_destroy(results->rays);
    ws_scene_trace_destroy(results->input.trace);
    ws_shader_modules_finish(&results->modules);
    ws_simt_finish(&results->simt);
    ws_reorder_destroy(results->reorder);
    ws_scene_preview_release(results->preview);
    ws_id_map_finish(&results->ray_launches);
    free(results->shader_times);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_advice_report *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->table_rows = options->rows;
    results->fields = options->view.fields != NULL;
    results->pass = WS_NONE;
    ws_simt_begin(&results->simt, catalog);
    results->preview = ws_scene_preview_open(options->preview, options->path, options->selection, error);
    if (results->preview == NULL)
        goto error;
    results->input = (struct ws_advice_input){
        .catalog = catalog,
        .selection = ws_selection_has_shaders(options->selection) ? options->selection : NULL,
        .scene = results->preview->scene != NULL ? results->preview->scene : &no_scene,
        .effects = results->preview->effects,
        .tables = results->preview->tables,
        .modules = &results->modules,
        .marks = options->marks,
    };
    if (results->input.scene->structure_count > 0) {
        results->input.trace = ws_scene_trace_create(results->input.scene);
        if (results->input.trace == NULL && ws_scene_trace_missing() == NULL)
            goto error;
    }
    results->list = ws_advice_list_create();
    results->run = ws_advice_run_create(&results->input, NULL);
    results->rays = ws_rays_create(catalog, &operations, results);
    results->groups = ws_groups_create(&columns, catalog, results, &options->view, error);
    results->reorder = ws_reorder_create(catalog, options->selection, &(struct ws_view){.rows = 0}, error);
    if (results->reorder != NULL)
        results->reorder->worth = options->worth;
    if (results->reorder == NULL || results->list == NULL || results->run == NULL || results->rays == NULL ||
        results->groups == NULL)
        goto error;
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *user, uint32_t number)
{
    struct ws_advice_report *results = user;
    ws_rays_attach(results->rays, number);
}

/* The rule `reorder` has what the analysis of that name finds out. */
static bool hear(void *user, struct ws_replay *replay)
{
    struct ws_advice_report *results = user;
    return ws_replay_add(replay, &ws_reorder_operations, results->reorder, &results->reorder->user) &&
           ws_reorder_hear(results->reorder, replay);
}

/* Which threads were chosen. */
static void read_info(struct ws_advice_report *results, const struct ws_chunk_info *info)
{
    static const char *const samples[] = {"threads", "pixels", "tile"};
    for (uint32_t i = 0; i < info->pass_count; ++i) {
        if (strcmp(info->passes[i], "ray_events") == 0)
            results->pass = i;
        for (size_t j = 0; j < WS_ADVICE_IDLE_REPORTS; ++j)
            results->idle[j] = results->idle[j] || strcmp(info->passes[i], ws_advice_idle_reports[j]) == 0;
    }
    for (uint32_t i = 0; i < info->setting_count; ++i)
        for (size_t j = 0; j < sizeof(samples) / sizeof(samples[0]); ++j)
            results->sampled = results->sampled || (strcmp(info->settings[i].key, samples[j]) == 0 &&
                                                    info->settings[i].value[0] != '\0');
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_advice_report *results = user;
    if (chunk->type == WS_CHUNK_INFO)
        read_info(results, &chunk->info);
    if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_DEVICE &&
        chunk->skip.kind != WS_SKIP_NO_PLACE && chunk->skip.kind != WS_SKIP_IMAGE &&
        (chunk->skip.pass == WS_NONE || chunk->skip.pass == results->pass))
        results->skipped = true;
    results->closed = results->closed || chunk->type == WS_CHUNK_DONE;
    if (!ws_simt_record(&results->simt, chunk, error))
        return false;
    if (!ws_shader_modules_record(&results->modules, results->catalog, chunk) ||
        !ws_reorder_record(results->reorder, chunk))
        return ws_error_set(error, "no memory for the code of the shaders");
    return results->preview->scene != NULL || (ws_effects_record(results->preview->effects, chunk, error) &&
                                               ws_scene_sbt_record(results->preview->tables, chunk, error));
}

/* What launches take of the device's time, as far as it is known. */
static bool add_times(struct ws_advice_report *results)
{
    const struct ws_times *times = &results->catalog->times;
    uint32_t ignored;
    results->ray_time = UINT64_MAX;
    results->shader_times = ws_times_of_shaders(results->catalog);
    for (uint32_t i = 0; i < times->count; ++i)
        if (times->launches[i].state == WS_TIME_TAKEN &&
            ws_id_map_get(&results->ray_launches, times->launches[i].launch, &ignored))
            results->ray_time =
                (results->ray_time != UINT64_MAX ? results->ray_time : 0) + times->launches[i].nanoseconds;
    return results->shader_times != NULL;
}

/* Whether any shader can have records of thread_compaction. */
static bool has_call_sites(const struct ws_catalog *catalog)
{
    bool found = false;
    for (uint32_t i = 0; i < catalog->module_count; ++i)
        found = found || catalog->modules[i].call_site_count > 0;
    return found;
}

static bool end(void *user, struct ws_error *error)
{
    struct ws_advice_report *results = user;
    const char *partial = results->sampled                   ? "only a sample of the threads left records"
                          : results->truncated               ? "records are missing"
                          : !results->closed                 ? "the capture was cut short"
                          : results->input.selection != NULL ? "only some shaders were looked at"
                          : results->skipped ? "something was left uninstrumented (see Left out)"
                                             : NULL;
    if (!ws_simt_end(&results->simt, error))
        return false;
    results->input.unseen = results->skipped;
    results->idle[1] = results->idle[1] && has_call_sites(results->catalog);
    results->input.reorder = results->idle[0] ? results->reorder : NULL;
    results->input.simt = results->simt.total.counts.instructions > 0 ? &results->simt : NULL;
    if (!ws_advice_run_end(results->run, partial, results->list) || !add_pieces(results) ||
        !add_times(results))
        return ws_error_set(error, "no memory for the advice");
    return true;
}

static const struct ws_member members[] = {
    {"rays", "integer", "rays that were looked at"},
    {"has_geometry", "boolean", "the capture has acceleration structures"},
    {"silent", "string[]", "rules that could not judge, because what they need was not recorded"},
    {NULL}};

static bool print_json(const void *user, struct ws_json *json)
{
    const struct ws_advice_report *results = user;
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    ws_json_member(json, "rays", ws_json_integer_item(results->rays_seen));
    ws_json_member(json, "has_geometry", cJSON_CreateBool(results->input.scene->structure_count > 0));
    ws_json_open_list(json, "silent");
    for (size_t i = 0; rules[i] != NULL; ++i)
        if (ws_advice_run_is_silent(results->run, rules[i]))
            ws_json_element(json, cJSON_CreateString(rules[i]->name));
    ws_json_close_list(json);
    return !json->failed;
}

/* Divergence knows better what idle lanes take, where it was recorded. */
static bool add_findings(const void *user, struct ws_findings *findings)
{
    const struct ws_advice_report *results = user;
    double slots = 0;
    for (uint32_t i = 0; results->input.simt != NULL && i < results->input.simt->shader_count; ++i)
        slots += (double)ws_simt_slots(&results->input.simt->shaders[i].counts);
    const double rays =
        results->ray_time != UINT64_MAX ? ws_times_share(results->catalog, results->ray_time) : 0;
    return ws_advice_findings(results->list, ws_advice_run_costs(results->run), rays, findings) &&
           (results->idle[0] ||
            ws_idle_losses_findings(ws_advice_run_losses(results->run), results->catalog, slots, findings));
}

static const char words[] =
    "Saves is what the capture would have had less of. Wrong: rays that find what they\n"
    "should not. To compare them, each is taken as a share of the capture's work, counted in\n"
    "instruction slots (of a warp's lanes, active or not): first what has the largest. With\n"
    "simt_efficiency recorded, what runs cost is measured; else any-hit and intersection runs\n"
    "count 400 slots, closest hit 1000, miss 25. A call of such a shader counts 100 besides,\n"
    "a ray's way through the scene 500, a candidate of a ray query 50.\n"
    "Pieces with one cause have one number. What saves less than a thousandth, and makes less\n"
    "than one ray in 10,000 wrong, is shown with --rows 0.\n"
    "Certain: it follows from the specification and the whole capture. Likely: if other\n"
    "frames and inputs are as those captured. Possible: a pattern that is usually a fault.\n"
    "Place and thread are an example: the thread with most of the evidence, and where in the\n"
    "world a ray of it shows it; report FILE ray_events --thread shows its rays.\n";

static const char *const passes[] = {"simt_efficiency", "ray_events",
                                     NULL}; /* what every program has first: it is what is proposed */

extern const struct ws_analysis ws_analysis_advice;

const struct ws_analysis ws_analysis_advice = {
    .name = "advice",
    .summary = "what to change in the application, with evidence, saving and certainty",
    .passes = passes,
    .words = words,
    .columns = &columns,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .record = record,
    .end = end,
    .attach = attach,
    .hear = hear,
    .groups = groups,
    .findings = add_findings,
    .text = ws_advice_print,
    .members = members,
    .json = print_json,
};
