#include "tests/model/capture/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/capture/capture_writer.h"
#include "warpscope/ray_events.h"
#include "warpscope/records.h"

#define SLOT_FIRST 7
#define QUERY      99  /* its key: there is one for each thread of a context */
#define OBJECT     100 /* the key of the first hit object; those of the others follow */

struct words {
    uint32_t *data;
    uint32_t count;
    uint32_t capacity;
};

static void add(struct words *words, uint32_t word)
{
    if (words->count == words->capacity) {
        words->capacity = words->capacity * 2 + 1024;
        words->data = realloc(words->data, words->capacity * sizeof(*words->data));
        if (words->data == NULL)
            abort();
    }
    words->data[words->count++] = word;
}

static void add_mask(struct words *words, struct ws_lanes lanes, uint32_t bins)
{
    const uint64_t halves[2] = {lanes.low, lanes.high};
    for (uint32_t i = 0; i < WS_MASK_WORDS(bins); i++)
        add(words, (uint32_t)(halves[i / 2] >> (32 * (i % 2))));
}

/* `numbers`: of contexts. */
static void add_entry(struct words *words, const struct model_warps *warps, const struct model_unit *unit,
                      const uint32_t *numbers)
{
    const struct model_context *context = &warps->contexts[unit->context];
    const struct model_program *program = warps->program;
    const enum ws_stage stage = program->shaders[0].stage;
    const bool groups = model_has_groups(stage), pairs = !groups && !program->rays;
    add(words, WS_CONTEXT_NONE);
    add(words, (SLOT_FIRST + context->shader) << 16 | unit->site);
    add(words, warps->lanes | (groups ? 3u : 0u) << 8 | (pairs || context->continues ? 2u : 1u) << 16);
    add_mask(words, unit->lanes, warps->lanes);
    if (groups) {
        const uint32_t thread = context->threads[ws_lanes_lowest(unit->lanes)];
        add(words, thread % program->size[0] / program->group[0]);
        add(words, thread / program->size[0] % program->size[1] / program->group[1]);
        add(words, thread / program->size[0] / program->size[1] / program->group[2]);
    }
    for (uint32_t lane = 0; lane < warps->lanes; lane++) {
        uint32_t group;
        const uint32_t thread = context->threads[lane];
        if (!ws_lanes_has(unit->lanes, lane))
            continue;
        if (pairs) {
            const uint32_t x = thread % program->size[0], y = thread / program->size[0];
            add(words, stage == WS_STAGE_FRAGMENT ? x | y << 16 : x);
            add(words, stage == WS_STAGE_FRAGMENT ? WS_WORK_UNKNOWN | WS_WORK_UNKNOWN << 16 : y);
        } else {
            add(words, groups ? model_local_index(program, thread, &group) : thread);
        }
        if (context->continues)
            add(words, numbers[context->from[lane]]);
    }
}

static void add_place(struct words *words, const struct model_warps *warps, const struct model_unit *unit,
                      uint32_t context)
{
    const struct ws_lanes entered = warps->contexts[unit->context].entered;
    add(words, context);
    if (WS_MASK_PACKED(warps->lanes)) {
        add(words, unit->site << 16 | (uint32_t)unit->lanes.low);
    } else if (ws_lanes_equal(unit->lanes, entered)) {
        add(words, unit->site << 16 | WS_RECORD_FULL);
    } else {
        add(words, unit->site << 16);
        add_mask(words, unit->lanes, warps->lanes);
    }
}

static void add_float(struct words *words, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    add(words, bits);
}

/* What a proceed of a query says. */
static void add_proceed(struct words *words, const struct model_instance *hit, uint32_t detail)
{
    const bool returned = (detail >> 3 & 1) != 0;
    const uint32_t committed = detail >> 4, instance = detail % MODEL_INSTANCES;
    const bool triangle = returned ? !hit->box : committed == 1;
    const uint32_t type = returned ? hit->box : committed;
    const bool any = returned || committed != 0;
    add(words, QUERY);
    add(words, type | (returned ? WS_QUERY_PROCEEDED : 0) | (triangle ? WS_QUERY_FRONT : 0));
    add_float(words, any && !(returned && hit->box) ? 1 : 0);
    add(words, any ? instance - 1 : 0);
    add(words, any ? instance : 0);
    for (uint32_t i = 0; i < 4; i++)
        add(words, 0);
}

/* What a hit object holds after a trace. */
static void add_traced(struct words *words, const struct model_instance *hit,
                       const struct model_action *action, uint32_t instance)
{
    add(words, OBJECT + action->object);
    add(words, instance != 0);
    add_float(words, instance != 0 ? 1 : 0);
    add(words, instance != 0 ? instance - 1 : 0);
    add(words, instance);
    add(words, 0);
    add(words, 0);
    add(words, instance == 0 || hit->box ? 0 : 0xfe);
}

/* The words of one lane of a record of ray_events. */
static void add_event(struct words *words, const struct model_program *program, enum ws_stage stage,
                      const struct model_action *action, bool after, uint32_t detail)
{
    static const float ray[] = {0.25f, 0.25f, -1, 0, 0, 1, 0, 10};
    const struct model_instance *hit = &program->instances[detail % MODEL_INSTANCES];
    const bool chooses = action != NULL && model_chooses(action->kind) && !after;
    const bool traces = chooses && action->kind != MODEL_INITIALIZE;
    if (chooses) {
        for (uint32_t i = 0; i < 8; i++)
            add_float(words, ray[i]);
        add(words, action->flags);
        add(words, (1u << detail) | (traces ? action->miss << 16 : 0));
        if (action->kind != MODEL_TRACE)
            add(words, traces ? OBJECT + action->object : QUERY);
    } else if (action != NULL && action->kind == MODEL_OBJECT_TRACE) {
        add_traced(words, hit, action, detail);
    } else if (action != NULL && (model_runs_shaders(action->kind) || action->kind >= MODEL_OBJECT_EMPTY)) {
        add(words, OBJECT + action->object);
    } else if (action != NULL && action->kind == MODEL_PROCEED) {
        add_proceed(words, hit, detail);
    } else if (action != NULL && action->kind != MODEL_REPORT) {
        add(words, QUERY);
        if (action->kind == MODEL_GENERATE)
            add_float(words, 1);
    } else if (action != NULL) {
        add_float(words, 1);
        add(words, detail != 0 ? WS_RAY_ACCEPTED : 0);
    } else {
        if (stage != WS_STAGE_INTERSECTION)
            add_float(words, 1);
        add(words, detail - 1);
        add(words, detail | (stage == WS_STAGE_INTERSECTION || hit->box ? 0u : 0xfeu) << 24);
        for (uint32_t i = 0; i < (stage == WS_STAGE_INTERSECTION ? 2 : 4); i++)
            add(words, 0);
    }
}

/* Keys are ids of variables, which the model does not know. */
static bool is_key(uint32_t word)
{
    return word >= QUERY && word < OBJECT + MODEL_OBJECTS;
}

/* The words of a site that no record has. */
static uint32_t count_fixed(const struct ws_instrumented *instrumented, uint32_t site)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < instrumented->fixed_count; i++)
        count += instrumented->fixed[i].site == site;
    return count;
}

/* Takes the fixed words out of lanes whose words begin at `first`: they have the values that the model knows. */
static void leave_out(struct words *words, uint32_t first, const struct ws_instrumented *instrumented,
                      uint32_t site)
{
    const uint32_t per_lane = instrumented->sites[site].row;
    uint32_t to = first;
    for (uint32_t from = first; from < words->count; from++) {
        const struct ws_fixed_word *fixed = NULL;
        for (uint32_t i = 0; i < instrumented->fixed_count && fixed == NULL; i++)
            if (instrumented->fixed[i].site == site &&
                instrumented->fixed[i].word == (from - first) % per_lane)
                fixed = &instrumented->fixed[i];
        if (fixed == NULL) {
            words->data[to++] = words->data[from];
        } else if (fixed->value != words->data[from] && !is_key(words->data[from])) {
            fprintf(stderr, "word %u of site %u is %u, not %u as it is fixed\n", fixed->word, site,
                    words->data[from], fixed->value);
            abort();
        }
    }
    words->count = to;
}

static void add_data(struct words *words, const struct model_warps *warps, const struct model_unit *unit,
                     const struct ws_instrumented *instrumented, uint32_t context)
{
    const struct model_context *self = &warps->contexts[unit->context];
    const struct model_event *event = &warps->run->events[unit->event];
    const struct model_shader *shader = &warps->program->shaders[self->shader];
    const struct model_action *action =
        event->kind != MODEL_EVENT_ENTER ? &shader->blocks[event->block].actions[event->action] : NULL;
    const bool has_words = instrumented->sites[unit->site].row > count_fixed(instrumented, unit->site);
    add(words, context);
    if (WS_MASK_PACKED(warps->lanes)) {
        add(words, unit->site << 16 | (uint32_t)unit->lanes.low);
    } else if (!has_words && ws_lanes_equal(unit->lanes, self->entered)) {
        add(words, unit->site << 16 | WS_RECORD_FULL); /* it is a place record */
    } else {
        add(words, unit->site << 16);
        add_mask(words, unit->lanes, warps->lanes);
    }
    if (unit->time != 0) {
        add(words, (uint32_t)unit->time);
        add(words, (uint32_t)(unit->time >> 32));
        return;
    }
    const uint32_t first = words->count;
    for (uint32_t lane = 0; lane < warps->lanes; lane++)
        if (ws_lanes_has(unit->lanes, lane))
            add_event(words, warps->program, shader->stage, action, event->kind == MODEL_EVENT_AFTER,
                      event->detail != MODEL_NONE ? warps->run->details[event->detail].of[self->threads[lane]]
                                                  : 0);
    leave_out(words, first, instrumented, unit->site);
}

/* A record of a path, or of turns of one. */
static void add_path(struct words *words, const struct model_warps *warps, const struct model_paths *paths,
                     const struct model_appended *appended, uint32_t context)
{
    add(words, context);
    if (WS_MASK_PACKED(warps->lanes)) {
        add(words, appended->site << 16 | (uint32_t)appended->lanes.low);
    } else if (appended->count == 0 &&
               ws_lanes_equal(appended->lanes, warps->contexts[appended->context].entered)) {
        add(words, appended->site << 16 | WS_RECORD_FULL); /* a path without words is a place record */
    } else {
        add(words, appended->site << 16);
        add_mask(words, appended->lanes, warps->lanes);
    }
    for (uint32_t i = 0; i < appended->count; i++)
        add(words, paths->words[appended->first + i]);
}

static struct words encode(const struct model_warps *warps, const struct model_module *modules,
                           const struct model_paths *paths)
{
    struct words words = {0};
    uint32_t *numbers = malloc((warps->context_count + 1) * sizeof(*numbers));
    if (numbers == NULL)
        abort();
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct model_appended *appended = &paths->list[i];
        if (appended->unit == MODEL_NONE) {
            add_path(&words, warps, paths, appended, numbers[appended->context]);
            continue;
        }
        const struct model_unit *unit = &warps->units[appended->unit];
        if (unit->site == MODEL_NONE)
            continue; /* a shader without an entry record has no records */
        const enum model_place place = warps->records[unit->first].place;
        if (place == MODEL_PLACE_ENTER || place == MODEL_PLACE_CONTINUE) {
            numbers[unit->context] = words.count;
            add_entry(&words, warps, unit, numbers);
        } else if (place == MODEL_PLACE_DATA) {
            add_data(&words, warps, unit, modules[warps->contexts[unit->context].shader].instrumented,
                     numbers[unit->context]);
        } else {
            add_place(&words, warps, unit, numbers[unit->context]);
        }
    }
    free(numbers);
    return words;
}

/* Puts a histogram into its row; blocks of one row have the same. */
static bool put_row(uint32_t *rows, uint32_t row, uint32_t bins, const struct model_histogram *histogram,
                    bool *filled)
{
    if (row == MODEL_NONE)
        return true;
    if (filled[row])
        return memcmp(rows + (size_t)row * bins, histogram->counts, bins * sizeof(*rows)) == 0;
    memcpy(rows + (size_t)row * bins, histogram->counts, bins * sizeof(*rows));
    filled[row] = true;
    return true;
}

uint32_t *model_count_rows(const struct model_warps *warps, const struct model_module *module,
                           uint32_t shader, const struct model_counts *counts, bool launched)
{
    const struct model_program *program = warps->program;
    const uint32_t row_count = module->instrumented->row_count, bins = warps->lanes;
    uint32_t *rows = calloc((size_t)row_count * bins + 1, sizeof(*rows));
    bool *filled = calloc(row_count + 1, sizeof(*filled));
    if (rows == NULL || filled == NULL)
        abort();
    bool agrees = put_row(rows, module->entry_row, bins, &counts->entries, filled) &&
                  put_row(rows, module->returned_row, bins, &counts->returned, filled);
    for (uint32_t i = 0; i < program->shaders[shader].block_count; i++) {
        for (uint32_t part = 0; part < MODEL_PARTS; part++) {
            if (put_row(rows, module->places[i].parts[part].row, bins, &counts->blocks[i][part], filled))
                continue;
            printf("shader %u block %u part %u: its counter is that of another, which ran otherwise\n",
                   shader, i, part);
            agrees = false;
        }
        agrees = put_row(rows, module->places[i].end_row, bins, &counts->ends[i], filled) && agrees;
        for (uint32_t a = 0; a < MODEL_ACTIONS; a++)
            agrees = put_row(rows, module->places[i].demoted_row[a], bins, &counts->demotes[i][a], filled) &&
                     put_row(rows, module->places[i].before_row[a], bins, &counts->reports[i][a], filled) &&
                     put_row(rows, module->places[i].after_row[a], bins, &counts->reported[i][a], filled) &&
                     agrees;
    }
    if (module->launch_row != MODEL_NONE && launched) {
        uint32_t *row = rows + (size_t)module->launch_row * bins;
        row[WS_LAUNCH_SUBGROUP_SIZES] = bins;
        const bool sized = program->rays || program->shaders[0].stage == WS_STAGE_COMPUTE;
        for (uint32_t i = 0; i < 3 && shader == 0 && sized; i++)
            row[WS_LAUNCH_SIZE + i] = program->size[i] / program->group[i];
    }
    free(filled);
    if (!agrees)
        free(rows);
    return agrees ? rows : NULL;
}

static bool write_head(struct ws_capture_writer *writer, uint32_t lanes, const char *const *passes,
                       uint32_t pass_count, struct ws_error *error)
{
    const struct ws_chunk_info info = {
        .version = "0.1.0", .application = "model", .passes = passes, .pass_count = pass_count};
    const struct ws_chunk_device device = {.name = "model",
                                           .driver_name = "model",
                                           .subgroup_size = lanes,
                                           .subgroup_size_min = lanes,
                                           .subgroup_size_max = lanes,
                                           .bins = lanes,
                                           .subgroup_stages = WS_STAGES_ALL};
    return ws_capture_write_info(writer, &info, error) && ws_capture_write_device(writer, &device, error);
}

static bool write_shaders(struct ws_capture_writer *writer, const struct model_program *program,
                          const struct model_module *modules, struct ws_error *error)
{
    uint32_t ids[MODEL_SHADERS];
    bool written = true;
    for (uint32_t i = 0; i < program->shader_count && written; i++) {
        const struct ws_instrumented *instrumented = modules[i].instrumented;
        const struct ws_chunk_module module = {
            .id = i, .hash = i, .words = modules[i].words, .word_count = (uint32_t)modules[i].word_count};
        const struct ws_chunk_sites sites = {.module = i,
                                             .row_count = instrumented->row_count,
                                             .passes = modules[i].passes,
                                             .pass_count = modules[i].pass_count,
                                             .entries = instrumented->entries,
                                             .entry_count = instrumented->entry_count,
                                             .blocks = instrumented->blocks,
                                             .block_count = instrumented->block_count,
                                             .sites = instrumented->sites,
                                             .site_count = instrumented->site_count,
                                             .fixed = instrumented->fixed,
                                             .fixed_count = instrumented->fixed_count};
        const struct ws_chunk_shader shader = {
            .id = i, .module = i, .stage = program->shaders[i].stage, .name = "main"};
        ids[i] = i;
        written = ws_capture_write_module(writer, &module, error) &&
                  ws_capture_write_sites(writer, &sites, error) &&
                  ws_capture_write_shader(writer, &shader, error);
    }
    const bool computes = program->shaders[0].stage == WS_STAGE_COMPUTE;
    const struct ws_chunk_pipeline pipeline = {.kind = program->rays ? WS_PIPELINE_RAY_TRACING
                                                       : computes    ? WS_PIPELINE_COMPUTE
                                                                     : WS_PIPELINE_GRAPHICS,
                                               .shaders = ids,
                                               .shader_count = program->shader_count};
    return written && ws_capture_write_pipeline(writer, &pipeline, error);
}

static bool has_entered(const struct model_counts *counts)
{
    bool entered = false;
    for (uint32_t n = 0; n < MODEL_LANES; n++)
        entered = entered || counts->entries.counts[n] > 0;
    return entered;
}

/* Counters of all shaders, and what they point to. */
struct counters {
    struct ws_shader_counters list[MODEL_SHADERS * WS_SAMPLE_GROUPS];
    uint32_t *rows[MODEL_SHADERS * WS_SAMPLE_GROUPS];
    uint32_t count;
};

/* Adds the counters of a shader, in one set or several. */
static bool put_counters(struct counters *counters, const struct model_warps *warps,
                         const struct model_module *module, uint32_t shader,
                         const struct model_sampled *sampled)
{
    const struct ws_entry_info *entry = &module->instrumented->entries[0];
    const uint32_t weight = sampled != NULL ? sampled->weights[shader] : 0;
    for (uint32_t set = 0; set < (weight > 0 ? WS_SAMPLE_GROUPS : 1) && entry->row_count > 0; set++) {
        uint32_t *rows = model_count_rows(
            warps, module, shader, weight > 0 ? sampled->sets[shader][set] : &warps->counts[shader],
            weight > 0 ? set == 0 && sampled->drawn[shader] : has_entered(&warps->counts[shader]));
        if (rows == NULL)
            return false;
        counters->rows[counters->count] = rows;
        counters->list[counters->count++] =
            (struct ws_shader_counters){.shader = shader,
                                        .row_first = entry->row_first,
                                        .row_count = entry->row_count,
                                        .bins = warps->lanes,
                                        .words = rows + (size_t)entry->row_first * warps->lanes,
                                        .weight = weight,
                                        .group = set};
    }
    return true;
}

static bool write_submission(struct ws_capture_writer *writer, const struct model_warps *warps,
                             const struct counters *counters, struct ws_error *error)
{
    const struct model_program *program = warps->program;
    const uint32_t pipeline = 0;
    const bool computes = program->shaders[0].stage == WS_STAGE_COMPUTE;
    struct ws_launch launch = {
        .kind = program->rays ? WS_LAUNCH_TRACE_RAYS
                : computes    ? WS_LAUNCH_DISPATCH
                              : WS_LAUNCH_RENDER_PASS,
        .draws = program->rays || computes ? 0 : 1,
        .pipelines = &pipeline,
        .pipeline_count = 1,
        .shaders = counters->list,
        .shader_count = counters->count,
    };
    for (uint32_t i = 0; i < 3; i++)
        launch.size[i] = computes || program->rays || i == 2 || program->shaders[0].stage == WS_STAGE_FRAGMENT
                             ? program->size[i] / program->group[i]
                             : 64;
    const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    return ws_capture_write_submission(writer, &submission, error);
}

static bool write_records(struct ws_capture_writer *writer, const struct model_warps *warps,
                          const struct model_module *modules, const struct model_paths *paths,
                          struct ws_error *error)
{
    struct ws_slot_shader slots[MODEL_SHADERS];
    struct words words = encode(warps, modules, paths);
    for (uint32_t i = 0; i < warps->program->shader_count; i++)
        slots[i] = (struct ws_slot_shader){SLOT_FIRST + i, i};
    const struct ws_chunk_records records = {.flags = WS_RECORDS_LAST,
                                             .bins = warps->lanes,
                                             .sufficient = words.count,
                                             .slots = slots,
                                             .slot_count = warps->program->shader_count,
                                             .words = words.data,
                                             .word_count = words.count};
    const bool written = words.count == 0 || ws_capture_write_records(writer, &records, error);
    free(words.data);
    return written;
}

bool model_capture_write(const char *path, const struct model_warps *warps,
                         const struct model_module *modules, const char *const *passes, uint32_t pass_count,
                         const struct model_paths *paths, const struct model_sampled *sampled)
{
    const struct model_program *program = warps->program;
    const struct ws_chunk_done done = {1, 1, 1, 0};
    struct ws_error error = {0};
    struct counters counters = {.count = 0};
    bool agrees = true;
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    for (uint32_t i = 0; i < program->shader_count && agrees; i++)
        agrees = put_counters(&counters, warps, &modules[i], i, sampled);
    if (agrees && (writer == NULL || !write_head(writer, warps->lanes, passes, pass_count, &error) ||
                   !write_shaders(writer, program, modules, &error) ||
                   !write_submission(writer, warps, &counters, &error) ||
                   !write_records(writer, warps, modules, paths, &error) ||
                   !ws_capture_write_done(writer, &done, &error))) {
        printf("%s\n", error.message);
        agrees = false;
    }
    for (uint32_t i = 0; i < counters.count; i++)
        free(counters.rows[i]);
    ws_capture_writer_destroy(writer);
    return agrees;
}
