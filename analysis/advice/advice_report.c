/* The analysis `advice`: shows every ray of a capture to the rules (advice.h), and their advice as text, JSON
 * and CSV. */
#include "analysis/advice/advice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "analysis/report/analysis.h"
#include "analysis/scene/scene_preview.h"
#include "passes/base/text.h"

#define WIDTH      100 /* of a line */
#define INDENT     17  /* of what stands behind a name */
#define USUAL_ROWS 30

struct advice_report {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_scene_preview preview;
    struct ws_advice_input input;
    struct ws_advice_run *run;
    struct ws_advice_list *list;
    struct ws_advice_launch launch; /* under way */
    struct ws_scene_matcher *own;   /* its matcher, where the preview has none */
    uint32_t table_rows;            /* ws_analysis_options.rows */
    uint32_t pass;                  /* index of ray_events among the capture's passes; WS_NONE */
    bool sampled;                   /* only some threads left records */
    bool truncated;                 /* records are missing */
    bool skipped;                   /* something was left uninstrumented */
    bool closed;                    /* the capture is there to its end */
    uint64_t rays_seen;
};

/* No geometry: of a capture that cannot be read twice. */
static const struct ws_scene no_scene = {.structure_count = 0};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct advice_report *results = user;
    const struct ws_launch_record *launch = threads->launch;
    struct ws_scene_matcher *matcher = ws_scene_preview_matcher(&results->preview, launch->index);
    results->truncated = results->truncated || threads->launch->truncated;
    if (matcher == NULL) {
        results->own = ws_scene_matcher_create(results->input.scene,
                                               results->catalog->devices[launch->device].id, launch->index);
        matcher = results->own;
    }
    results->launch = (struct ws_advice_launch){.threads = threads, .matcher = matcher};
    return matcher != NULL;
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct advice_report *results = user;
    results->rays_seen += thread->ray_count;
    return ws_advice_run_thread(results->run, &results->launch, thread);
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct advice_report *results = user;
    (void)threads;
    const bool ended = ws_advice_run_end_launch(results->run, &results->launch);
    ws_scene_matcher_destroy(results->own);
    results->own = NULL;
    return ended;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread, .end = end_launch};

static void destroy(void *user)
{
    struct advice_report *results = user;
    if (results == NULL)
        return;
    ws_scene_matcher_destroy(results->own);
    ws_advice_list_destroy(results->list);
    ws_advice_run_destroy(results->run);
    ws_rays_destroy(results->rays);
    ws_scene_trace_destroy(results->input.trace);
    ws_scene_preview_finish(&results->preview);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct advice_report *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->table_rows = options->rows;
    results->pass = WS_NONE;
    if (!ws_scene_preview_read(&results->preview, options->path, error))
        goto error;
    results->input = (struct ws_advice_input){
        .catalog = catalog,
        .scene = results->preview.scene != NULL ? results->preview.scene : &no_scene,
        .effects = results->preview.effects,
        .tables = results->preview.tables,
    };
    if (results->input.scene->structure_count > 0) {
        results->input.trace = ws_scene_trace_create(results->input.scene);
        if (results->input.trace == NULL && ws_scene_trace_missing() == NULL)
            goto error;
    }
    results->list = ws_advice_list_create();
    results->run = ws_advice_run_create(&results->input, NULL);
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->list == NULL || results->run == NULL || results->rays == NULL)
        goto error;
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *user, uint32_t number)
{
    struct advice_report *results = user;
    ws_rays_attach(results->rays, number);
}

/* Which threads were chosen. */
static void read_info(struct advice_report *results, const struct ws_chunk_info *info)
{
    static const char *const samples[] = {"threads", "pixels", "tile"};
    for (uint32_t i = 0; i < info->pass_count; ++i)
        if (strcmp(info->passes[i], "ray_events") == 0)
            results->pass = i;
    for (uint32_t i = 0; i < info->setting_count; ++i)
        for (size_t j = 0; j < sizeof(samples) / sizeof(samples[0]); ++j)
            results->sampled = results->sampled || (strcmp(info->settings[i].key, samples[j]) == 0 &&
                                                    info->settings[i].value[0] != '\0');
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct advice_report *results = user;
    if (chunk->type == WS_CHUNK_INFO)
        read_info(results, &chunk->info);
    if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_DEVICE &&
        (chunk->skip.pass == WS_NONE || chunk->skip.pass == results->pass))
        results->skipped = true;
    results->closed = results->closed || chunk->type == WS_CHUNK_DONE;
    return results->preview.scene != NULL || (ws_effects_record(results->preview.effects, chunk, error) &&
                                              ws_scene_sbt_record(results->preview.tables, chunk, error));
}

static bool end(void *user, struct ws_error *error)
{
    struct advice_report *results = user;
    const char *partial = results->sampled     ? "only a sample of the threads left records"
                          : results->truncated ? "records are missing"
                          : !results->closed   ? "the capture was cut short"
                          : results->skipped   ? "something was left uninstrumented (see Left out)"
                                               : NULL;
    return ws_advice_run_end(results->run, partial, results->list) ||
           ws_error_set(error, "no memory for the advice");
}

static const char *saving_name(uint32_t saves)
{
    static const char *const names[] = {"nothing", "any_hit", "intersection", "closest_hit",
                                        "miss",    "rays",    "bytes"};
    return saves < sizeof(names) / sizeof(names[0]) ? names[saves] : "unknown";
}

static const char *saving_words(uint32_t saves)
{
    static const char *const words[] = {"nothing",   "any-hit runs", "intersection runs", "closest hit runs",
                                        "miss runs", "rays",         "bytes of geometry"};
    return saves < sizeof(words) / sizeof(words[0]) ? words[saves] : "unknown";
}

static const char *certainty_name(uint32_t certainty)
{
    static const char *const names[] = {"certain", "likely", "possible"};
    return certainty < sizeof(names) / sizeof(names[0]) ? names[certainty] : "unknown";
}

/* Prints a text behind its name, broken at spaces. */
static void print_field(const char *name, const char *text, FILE *stream)
{
    size_t column = INDENT;
    fprintf(stream, "     %-*s", INDENT - 5, name);
    for (const char *word = text; *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        const size_t width = column + (column > INDENT) + length;
        if (width > WIDTH && column > INDENT)
            fprintf(stream, "\n%*s", INDENT, "");
        else if (column > INDENT)
            fputc(' ', stream);
        ws_text_print_part(stream, word, length);
        column = width > WIDTH ? INDENT + length : width;
        word += length;
    }
    fputc('\n', stream);
}

static void print_saving(const struct ws_advice *advice, FILE *stream)
{
    char text[160] = "nothing that can be counted";
    if (advice->saves != WS_SAVES_NOTHING && advice->saving > 0)
        snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " %s (%.1f %%)", advice->saving, advice->of,
                 saving_words(advice->saves), ws_percent(advice->saving, advice->of));
    print_field("saves", text, stream);
}

static void print_advice(const struct ws_advice *advice, size_t number, FILE *stream)
{
    char text[256];
    fprintf(stream, "\n%3zu. %s (%s)\n", number, advice->rule->title, advice->rule->name);
    print_field("subject", advice->subject, stream);
    print_saving(advice, stream);
    print_field("evidence", advice->evidence, stream);
    print_field("change", advice->change, stream);
    print_field("certainty", certainty_name(advice->certainty), stream);
    if (advice->doubt[0] != '\0')
        print_field("doubt", advice->doubt, stream);
    if (advice->has_place) {
        snprintf(text, sizeof(text), "%g, %g, %g", (double)advice->place[0], (double)advice->place[1],
                 (double)advice->place[2]);
        print_field("place", text, stream);
    }
    if (advice->has_thread) {
        snprintf(text, sizeof(text), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, advice->thread[0], advice->thread[1],
                 advice->thread[2]);
        print_field("thread", text, stream);
    }
}

/* Rules that say nothing for want of geometry, or of what traces rays through it. */
static void print_silent(const struct advice_report *results, FILE *stream)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const bool geometry = results->input.scene->structure_count > 0;
    uint32_t count = 0;
    if (geometry && ws_scene_trace_missing() != NULL)
        fprintf(stream, "\n  Rules that trace rays are silent: %s", ws_scene_trace_missing());
    for (size_t i = 0; rules[i] != NULL; ++i)
        if (ws_advice_run_is_silent(results->run, rules[i]))
            fprintf(stream, "%s%s",
                    count++ > 0 ? ", "
                    : geometry  ? ": "
                               : "\n  Without captured geometry (record --geometry) these rules are silent: ",
                    rules[i]->name);
    if (count > 0)
        fputc('\n', stream);
}

static bool print_text(const void *user, FILE *stream)
{
    const struct advice_report *results = user;
    size_t count = 0;
    const struct ws_advice *advice = ws_advice_list_all(results->list, &count);
    const size_t most = results->table_rows > 0 ? results->table_rows : USUAL_ROWS;
    fprintf(stream, "\nAdvice from %" PRIu64 " ray%s\n", results->rays_seen,
            results->rays_seen == 1 ? "" : "s");
    if (results->rays_seen == 0)
        fputs("\n  No advice: no ray was recorded.\n", stream);
    else if (count == 0)
        fputs("\n  No advice: nothing in this capture gives reason for any.\n", stream);
    for (size_t i = 0; i < count && i < most; ++i)
        print_advice(&advice[i], i + 1, stream);
    if (count > 1 && advice[1].saving > 0)
        fputs("\n  What they save does not add up: several may be about the same runs.\n", stream);
    if (count > most)
        fprintf(stream, "\n  ... and %zu more: --rows 0 shows them all\n", count - most);
    print_silent(results, stream);
    return true;
}

static cJSON *advice_json(const struct ws_advice *advice)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "rule", advice->rule->name);
    cJSON_AddStringToObject(object, "title", advice->rule->title);
    cJSON_AddStringToObject(object, "subject", advice->subject);
    cJSON_AddStringToObject(object, "evidence", advice->evidence);
    cJSON_AddStringToObject(object, "change", advice->change);
    cJSON_AddStringToObject(object, "saves", saving_name(advice->saves));
    ws_json_integer(object, "saving", advice->saving);
    ws_json_integer(object, "of", advice->of);
    cJSON_AddStringToObject(object, "certainty", certainty_name(advice->certainty));
    cJSON_AddStringToObject(object, "doubt", advice->doubt);
    if (advice->has_place) {
        cJSON *place = cJSON_AddArrayToObject(object, "place");
        for (int i = 0; i < 3; ++i)
            cJSON_AddItemToArray(place, cJSON_CreateNumber((double)advice->place[i]));
    }
    if (advice->has_thread) {
        cJSON *thread = cJSON_AddArrayToObject(object, "thread");
        for (int i = 0; i < 3; ++i)
            cJSON_AddItemToArray(thread, ws_json_integer_item(advice->thread[i]));
    }
    return object;
}

static bool print_json(const void *user, cJSON *object)
{
    const struct advice_report *results = user;
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    size_t count = 0;
    const struct ws_advice *advice = ws_advice_list_all(results->list, &count);
    ws_json_integer(object, "rays", results->rays_seen);
    cJSON_AddBoolToObject(object, "geometry", results->input.scene->structure_count > 0);
    cJSON *silent = cJSON_AddArrayToObject(object, "silent");
    for (size_t i = 0; rules[i] != NULL; ++i)
        if (ws_advice_run_is_silent(results->run, rules[i]))
            cJSON_AddItemToArray(silent, cJSON_CreateString(rules[i]->name));
    cJSON *list = cJSON_AddArrayToObject(object, "advice");
    for (size_t i = 0; i < count; ++i)
        cJSON_AddItemToArray(list, advice_json(&advice[i]));
    return list != NULL && silent != NULL && (size_t)cJSON_GetArraySize(list) == count;
}

static bool print_csv(const void *user, FILE *stream)
{
    const struct advice_report *results = user;
    size_t count = 0;
    const struct ws_advice *all = ws_advice_list_all(results->list, &count);
    fputs("rule,title,subject,evidence,change,saves,saving,of,certainty,doubt,x,y,z,thread_x,thread_y,"
          "thread_z\n",
          stream);
    for (size_t i = 0; i < count; ++i) {
        const struct ws_advice *advice = &all[i];
        const char *const texts[] = {advice->rule->name, advice->rule->title, advice->subject,
                                     advice->evidence,   advice->change,      saving_name(advice->saves)};
        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); ++t) {
            ws_csv_text(stream, texts[t]);
            fputc(',', stream);
        }
        fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%s,", advice->saving, advice->of,
                certainty_name(advice->certainty));
        ws_csv_text(stream, advice->doubt);
        for (int n = 0; n < 3; ++n)
            if (advice->has_place)
                fprintf(stream, ",%.9g", (double)advice->place[n]);
            else
                fputc(',', stream);
        for (int n = 0; n < 3; ++n)
            if (advice->has_thread)
                fprintf(stream, ",%" PRIu32, advice->thread[n]);
            else
                fputc(',', stream);
        fputc('\n', stream);
    }
    return true;
}

static const char words[] =
    "Saves is what the capture would have had less of; those that save most come first.\n"
    "Certain: it follows from the specification and the whole capture. Likely: if other\n"
    "frames and inputs are as those captured. Possible: a pattern that is usually a fault.\n"
    "The thread is an example: report FILE ray_events --thread shows its rays.\n";

static const char *const passes[] = {"ray_events", NULL};

extern const struct ws_analysis ws_analysis_advice;

const struct ws_analysis ws_analysis_advice = {
    .name = "advice",
    .summary = "what to change in the application, with evidence, saving and certainty",
    .passes = passes,
    .words = words,
    .csv_help = "rule, title, subject, evidence, change, saves (what), saving (how many), of, certainty,\n"
                "doubt, x, y, z (a place), thread_x, thread_y, thread_z (an example); most saving first",
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .record = record,
    .end = end,
    .attach = attach,
    .text = print_text,
    .json = print_json,
    .csv = print_csv,
};
