#include "warpscope/model/selection.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/glob.h"
#include "passes/settings/settings.h"
#include "warpscope/base/array.h"
#include "warpscope/model/names.h"

#define NAMES_SHOWN  8    /* of what there is, in an error */
#define NAME_SIZE    256  /* of each of them, as it is printed */
#define NAMES_LOOKED 4096 /* at, for the nearest */

/* Parses "N", "N-M" or "N-". */
static bool read_range(enum ws_selection_option option, const char *text, struct ws_range *range,
                       struct ws_error *error)
{
    struct ws_settings settings = {.passes = NULL};
    struct ws_error unused = {{0}};
    const bool read =
        text[0] != '\0' && ws_settings_set(&settings, WS_SETTING_LAUNCHES, text, "--launch", &unused);
    *range = settings.launches;
    ws_settings_finish(&settings);
    return read || ws_error_set(error, "%s takes N, N-M or N- with N not above M, counted from 0, not '%s'",
                                ws_selection_option_name(option), text);
}

static bool read_stages(const char *text, uint32_t *stages, struct ws_error *error)
{
    struct ws_settings settings = {.passes = NULL};
    const bool read = ws_settings_set(&settings, WS_SETTING_STAGES, text, "--stage", error);
    *stages |= settings.stages;
    ws_settings_finish(&settings);
    return read;
}

const char *ws_selection_option_name(enum ws_selection_option option)
{
    static const char *const names[] = {"--shader", "--pipeline", "--label",
                                        "--stage",  "--frame",    "--launch"};
    return names[option];
}

bool ws_selection_add(struct ws_selection *selection, enum ws_selection_option option, const char *text,
                      struct ws_error *error)
{
    uint32_t *count = &selection->counts[option];
    if (*count == WS_SELECTION_MAX)
        return ws_error_set(error, "%s was given more than %d times", ws_selection_option_name(option),
                            WS_SELECTION_MAX);
    if (option == WS_SELECT_FRAME && !read_range(option, text, &selection->frames[*count], error))
        return false;
    if (option == WS_SELECT_LAUNCH && !read_range(option, text, &selection->launches[*count], error))
        return false;
    if (option == WS_SELECT_STAGE && !read_stages(text, &selection->stages, error))
        return false;
    selection->texts[option][(*count)++] = text;
    return true;
}

bool ws_selection_has_launches(const struct ws_selection *selection)
{
    return selection != NULL &&
           (selection->counts[WS_SELECT_LABEL] > 0 || selection->counts[WS_SELECT_FRAME] > 0 ||
            selection->counts[WS_SELECT_LAUNCH] > 0);
}

bool ws_selection_has_shaders(const struct ws_selection *selection)
{
    return selection != NULL &&
           (selection->counts[WS_SELECT_SHADER] > 0 || selection->counts[WS_SELECT_PIPELINE] > 0 ||
            selection->counts[WS_SELECT_STAGE] > 0);
}

bool ws_selection_is_set(const struct ws_selection *selection)
{
    return ws_selection_has_launches(selection) || ws_selection_has_shaders(selection);
}

/* A pattern is tried on names: as they are, and as reports print them. */
struct pattern {
    const char *text;
    bool exact; /* it is such a name; else it is a glob */
};

static bool fits(const struct pattern *pattern, const char *name)
{
    char shown[NAME_SIZE * 4];
    if (name == NULL)
        return false;
    if (!pattern->exact)
        return ws_glob_matches(pattern->text, name);
    if (strcmp(pattern->text, name) == 0)
        return true;
    ws_text_escape(shown, sizeof(shown), name);
    return strcmp(pattern->text, shown) == 0;
}

static bool fits_shader(const struct ws_catalog *catalog, uint32_t index, const struct pattern *pattern)
{
    const struct ws_shader_record *shader = &catalog->shaders[index];
    const struct ws_module_record *module = &catalog->modules[shader->module];
    char id[16];
    char hash[20];
    snprintf(id, sizeof(id), "%" PRIu32, shader->id);
    snprintf(hash, sizeof(hash), "%016" PRIx64, module->hash);
    return fits(pattern, ws_shader_name(catalog, index)) || fits(pattern, id) || fits(pattern, hash) ||
           (module->name[0] != '\0' && fits(pattern, module->name)) ||
           (module->source[0] != '\0' && fits(pattern, ws_file_name(module->source))) ||
           fits(pattern, shader->name) || fits(pattern, ws_stage_name(shader->stage));
}

static bool fits_pipeline(const struct ws_catalog *catalog, uint32_t index, const struct pattern *pattern)
{
    char id[16];
    snprintf(id, sizeof(id), "%" PRIu32, catalog->pipelines[index].id);
    return fits(pattern, ws_pipeline_name(catalog, index)) || fits(pattern, id);
}

/* The labels that a launch lies in are joined by this, the outermost first (chunks.h). */
static const char between_labels[] = " / ";

static bool fits_label(const struct ws_catalog *catalog, uint32_t index, const struct pattern *pattern)
{
    const char *label = catalog->launches.launches[index].label;
    char one[NAME_SIZE * 4];
    if (fits(pattern, label))
        return true;
    for (const char *end = strstr(label, between_labels); label[0] != '\0';
         end = strstr(label, between_labels)) {
        const size_t length = end != NULL ? (size_t)(end - label) : strlen(label);
        snprintf(one, sizeof(one), "%.*s", (int)(length < sizeof(one) ? length : sizeof(one) - 1), label);
        if (fits(pattern, one))
            return true;
        label += length + (end != NULL ? sizeof(between_labels) - 1 : 0);
    }
    return false;
}

/* What patterns choose from. */
struct kind {
    enum ws_selection_option option;
    const char *one; /* "shader" */
    const char *several;
    bool (*fits)(const struct ws_catalog *catalog, uint32_t index, const struct pattern *pattern);
    const char *(*name)(const struct ws_catalog *catalog, uint32_t index);
};

static const char *label_of(const struct ws_catalog *catalog, uint32_t index)
{
    return catalog->launches.launches[index].label;
}

static const struct kind shader_kind = {WS_SELECT_SHADER, "shader", "shaders", fits_shader, ws_shader_name};
static const struct kind pipeline_kind = {WS_SELECT_PIPELINE, "pipeline", "pipelines", fits_pipeline,
                                          ws_pipeline_name};
static const struct kind label_kind = {WS_SELECT_LABEL, "label", "labels", fits_label, label_of};

/* Marks what a pattern fits. False where it fits nothing. */
static bool mark(const struct ws_catalog *catalog, const struct kind *kind, uint32_t count,
                 const struct pattern *pattern, bool *chosen)
{
    bool found = false;
    for (uint32_t i = 0; i < count; ++i)
        if (kind->fits(catalog, i, pattern))
            found = chosen[i] = true;
    return found;
}

/* The same of a text: a name as it is, else a glob. */
static bool mark_text(const struct ws_catalog *catalog, const struct kind *kind, uint32_t count,
                      const char *text, bool *chosen)
{
    return mark(catalog, kind, count, &(struct pattern){text, true}, chosen) ||
           mark(catalog, kind, count, &(struct pattern){text, false}, chosen);
}

/* A name of what there is, and how near it is to what was asked for. */
struct near {
    const char *name;
    uint32_t shared; /* pairs of letters that both have, in thousandths of all pairs */
    uint32_t place;
};

/* How many pairs of neighbouring letters of `one` are in `other`, in thousandths; case does not count. Names of which
 * a part was typed, or with a slip, share many. */
static uint32_t shared_pairs(const char *one, const char *other)
{
    const size_t length = strnlen(one, NAME_SIZE);
    const size_t width = strnlen(other, NAME_SIZE);
    uint32_t shared = 0;
    for (size_t i = 0; i + 1 < length; ++i)
        for (size_t j = 0; j + 1 < width; ++j)
            if (tolower((unsigned char)one[i]) == tolower((unsigned char)other[j]) &&
                tolower((unsigned char)one[i + 1]) == tolower((unsigned char)other[j + 1])) {
                ++shared;
                break;
            }
    return length > 1 ? (uint32_t)(1000 * shared / (length - 1)) : 0;
}

static int compare_near(const void *left, const void *right)
{
    const struct near *a = left;
    const struct near *b = right;
    if (a->shared != b->shared)
        return a->shared > b->shared ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Takes the names of what there is, each once; the first NAMES_SHOWN of `near` are the nearest in the end. Returns how
 * many there are. */
static uint32_t find_near(const struct ws_catalog *catalog, const struct kind *kind, uint32_t count,
                          const char *text, struct near near[NAMES_SHOWN + 1])
{
    uint32_t kept = 0;
    uint32_t names = 0;
    for (uint32_t i = 0; i < count && i < NAMES_LOOKED; ++i) {
        const char *name = kind->name(catalog, i);
        bool known = name == NULL || name[0] == '\0';
        for (uint32_t j = 0; j < kept && !known; ++j)
            known = strcmp(near[j].name, name) == 0;
        if (known)
            continue;
        ++names;
        near[kept] = (struct near){name, shared_pairs(text, name), i};
        qsort(near, ++kept, sizeof(*near), compare_near);
        kept = kept > NAMES_SHOWN ? NAMES_SHOWN : kept;
    }
    return names;
}

/* The error that names what there is. */
static bool say_missing(const struct ws_catalog *catalog, const struct kind *kind, uint32_t count,
                        const char *text, const char *path, struct ws_error *error)
{
    struct near near[NAMES_SHOWN + 1];
    const uint32_t names = find_near(catalog, kind, count, text, near);
    char list[WS_ERROR_SIZE] = "";
    size_t used = 0;
    if (names == 0)
        return ws_error_set(error, "%s '%.120s': '%.120s' has no %s", ws_selection_option_name(kind->option),
                            text, path, kind->several);
    uint32_t shown = 0;
    for (; shown < names && shown < NAMES_SHOWN; ++shown) {
        char name[NAME_SIZE];
        ws_text_escape(name, sizeof(name), near[shown].name);
        if (used + strlen(name) + 4 > 280 && shown > 0)
            break;
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.200s", shown > 0 ? ", " : "", name);
    }
    return ws_error_set(error, "there is no %s '%.100s'; there %s: %s%s", kind->one, text,
                        names == 1 ? "is" : "are", list,
                        names == shown ? "" : ", and more (the nearest are named)");
}

/* Marks what all values of an option fit. */
static bool mark_all(const struct ws_selection *selection, const struct kind *kind,
                     const struct ws_catalog *catalog, uint32_t count, bool *chosen, const char *path,
                     struct ws_error *error)
{
    for (uint32_t i = 0; i < selection->counts[kind->option]; ++i) {
        const char *text = selection->texts[kind->option][i];
        if (mark_text(catalog, kind, count, text, chosen))
            continue;
        char part[WS_TEXT_KEPT];
        const char *rest = text;
        do {
            const size_t length = strcspn(rest, ",");
            snprintf(part, sizeof(part), "%.*s", (int)(length < sizeof(part) ? length : sizeof(part) - 1),
                     rest);
            if (!mark_text(catalog, kind, count, part, chosen))
                return say_missing(catalog, kind, count, part, path, error);
            rest += length + (rest[length] == ',');
        } while (*rest != '\0');
    }
    return true;
}

static bool is_in(const struct ws_range *ranges, uint32_t count, uint64_t value)
{
    for (uint32_t i = 0; i < count; ++i)
        if (value >= ranges[i].first && value <= ranges[i].last)
            return true;
    return count == 0;
}

/* What a launch is counted by in --launch and --frame. */
static uint64_t number_of(const struct ws_launch_record *launch, enum ws_selection_option option)
{
    return option == WS_SELECT_FRAME ? launch->frame : launch->index;
}

/* Whether the capture has some of every range. */
static bool check_ranges(const struct ws_selection *selection, enum ws_selection_option option,
                         const struct ws_range *ranges, const char *path, struct ws_error *error)
{
    const char *word = option == WS_SELECT_FRAME ? "frame" : "launch";
    for (uint32_t i = 0; i < selection->counts[option]; ++i) {
        uint64_t first = UINT64_MAX;
        uint64_t last = 0;
        bool found = false;
        for (uint32_t j = 0; j < selection->all.count && !found; ++j) {
            const uint64_t number = number_of(&selection->all.launches[j], option);
            found = is_in(&ranges[i], 1, number);
            first = number < first ? number : first;
            last = number > last ? number : last;
        }
        if (found)
            continue;
        if (selection->all.count == 0)
            return ws_error_set(error, "'%s' has no launches", path);
        if (first == last)
            return ws_error_set(error, "there is no %s %s: '%.200s' has only %s %" PRIu64, word,
                                selection->texts[option][i], path, word, first);
        return ws_error_set(error, "there is no %s %s: '%.200s' has %s %" PRIu64 " to %" PRIu64, word,
                            selection->texts[option][i], path,
                            option == WS_SELECT_FRAME ? "frames" : "launches", first, last);
    }
    return true;
}

/* Which shaders are chosen. */
static bool decide_shaders(struct ws_selection *selection, const char *path, struct ws_error *error)
{
    const struct ws_catalog *catalog = selection->catalog;
    bool *chosen = selection->shaders;
    uint32_t there = 0;
    if (!mark_all(selection, &shader_kind, catalog, catalog->shader_count, chosen, path, error))
        return false;
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        const uint32_t stage = catalog->shaders[i].stage;
        there |= stage;
        chosen[i] = (chosen[i] || selection->counts[WS_SELECT_SHADER] == 0) &&
                    (selection->stages == 0 || (selection->stages & stage) != 0);
    }
    if (selection->stages == 0 || (selection->stages & there) != 0)
        return true;
    char stages[320] = "";
    for (uint32_t stage = 1; stage <= there && stage != 0; stage <<= 1) {
        const size_t used = strlen(stages);
        if ((there & stage) != 0)
            snprintf(stages + used, sizeof(stages) - used, "%s%s", used > 0 ? ", " : "",
                     ws_stage_name(stage));
    }
    return ws_error_set(error, "there is no shader of --stage %s; there are stages: %s",
                        selection->texts[WS_SELECT_STAGE][0], stages);
}

/* Narrows shaders and pipelines to those that have each other. */
static void join_pipelines(struct ws_selection *selection)
{
    const struct ws_catalog *catalog = selection->catalog;
    const bool by_pipelines = selection->counts[WS_SELECT_PIPELINE] > 0;
    bool *in_chosen = selection->shaders + catalog->shader_count; /* scratch, zero */
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i) {
        const struct ws_pipeline_record *pipeline = &catalog->pipelines[i];
        bool any = false;
        for (uint32_t j = 0; j < pipeline->shader_count && (selection->pipelines[i] || !by_pipelines); ++j) {
            any = any || selection->shaders[pipeline->shaders[j]];
            in_chosen[pipeline->shaders[j]] = true;
        }
        selection->pipelines[i] = any;
        selection->pipeline_count += any;
    }
    for (uint32_t i = 0; i < catalog->pipeline_count && by_pipelines; ++i)
        for (uint32_t j = 0; j < catalog->pipelines[i].shader_count && !selection->pipelines[i]; ++j) {
            const uint32_t shader = catalog->pipelines[i].shaders[j];
            selection->shared = selection->shared || (selection->shaders[shader] && in_chosen[shader]);
        }
    for (uint32_t i = 0; i < catalog->shader_count; ++i) {
        selection->shaders[i] = selection->shaders[i] && (in_chosen[i] || !by_pipelines);
        selection->shader_count += selection->shaders[i];
    }
}

/* Whether a launch can run a chosen shader. Of one without pipelines (shader objects) nothing is known. */
static enum ws_selection_launched find_pipelines(const struct ws_selection *selection,
                                                 const struct ws_launch_record *launch)
{
    uint32_t chosen = 0;
    if (!ws_selection_has_shaders(selection))
        return WS_LAUNCH_WHOLE;
    if (launch->pipeline_count == 0)
        return selection->counts[WS_SELECT_PIPELINE] > 0 ? WS_LAUNCH_UNCHOSEN : WS_LAUNCH_WHOLE;
    for (uint32_t i = 0; i < launch->pipeline_count; ++i)
        chosen += selection->pipelines[launch->pipelines[i]];
    if (chosen == 0)
        return WS_LAUNCH_UNCHOSEN;
    return chosen == launch->pipeline_count || selection->counts[WS_SELECT_PIPELINE] == 0 ? WS_LAUNCH_WHOLE
                                                                                          : WS_LAUNCH_PARTLY;
}

static void decide_launches(struct ws_selection *selection, const bool *labelled)
{
    for (uint32_t i = 0; i < selection->all.count; ++i) {
        const struct ws_launch_record *launch = &selection->all.launches[i];
        if ((selection->counts[WS_SELECT_LABEL] > 0 && !labelled[i]) ||
            !is_in(selection->frames, selection->counts[WS_SELECT_FRAME], launch->frame) ||
            !is_in(selection->launches, selection->counts[WS_SELECT_LAUNCH], launch->index))
            continue;
        selection->launched[i] = find_pipelines(selection, launch);
        if (selection->launched[i] == WS_LAUNCH_UNCHOSEN)
            continue;
        selection->launch_count++;
        selection->last = launch->index > selection->last ? launch->index : selection->last;
    }
}

/* Prints the options of a set of them that were given: "--launch 1, --label 'shadows'". */
static void print_options(const struct ws_selection *selection, uint32_t options, FILE *stream)
{
    const char *before = "";
    for (uint32_t option = 0; option < WS_SELECT_COUNT; ++option)
        for (uint32_t i = 0; i < selection->counts[option] && (options >> option & 1) != 0; ++i) {
            fprintf(stream, "%s%s ", before, ws_selection_option_name(option));
            fputs(option == WS_SELECT_FRAME || option == WS_SELECT_LAUNCH ? "" : "'", stream);
            ws_text_print(stream, selection->texts[option][i]);
            fputs(option == WS_SELECT_FRAME || option == WS_SELECT_LAUNCH ? "" : "'", stream);
            before = ", ";
        }
}

#define OF_LAUNCHES (1u << WS_SELECT_LABEL | 1u << WS_SELECT_FRAME | 1u << WS_SELECT_LAUNCH)
#define OF_SHADERS  (1u << WS_SELECT_SHADER | 1u << WS_SELECT_PIPELINE | 1u << WS_SELECT_STAGE)

/* The same of all, as a text; cut at `size`. */
static void list_options(const struct ws_selection *selection, char *text, size_t size)
{
    char *list = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&list, &length);
    text[0] = '\0';
    if (stream == NULL)
        return;
    print_options(selection, OF_LAUNCHES | OF_SHADERS, stream);
    if (fclose(stream) == 0)
        snprintf(text, size, "%s", list);
    free(list);
}

void ws_selection_print_launches(const struct ws_selection *selection, FILE *stream)
{
    if (!ws_selection_is_set(selection) ||
        (!ws_selection_has_launches(selection) && selection->launch_count == selection->all.count))
        return;
    fprintf(stream, "%" PRIu32 " of %" PRIu32 " launch%s", selection->launch_count, selection->all.count,
            ws_plural(selection->all.count, "es"));
    if (!ws_selection_has_launches(selection)) {
        fputs(", which can run these shaders", stream);
        return;
    }
    fputs(" (", stream);
    print_options(selection, OF_LAUNCHES, stream);
    fputc(')', stream);
}

void ws_selection_print_shaders(const struct ws_selection *selection, uint32_t names, FILE *stream)
{
    uint32_t shown = 0;
    if (!ws_selection_has_shaders(selection))
        return;
    fprintf(stream, "%" PRIu32 " of %" PRIu32 " shader%s (", selection->shader_count,
            selection->catalog->shader_count, ws_plural(selection->catalog->shader_count, "s"));
    print_options(selection, OF_SHADERS, stream);
    fputc(')', stream);
    for (uint32_t i = 0; i < selection->catalog->shader_count && shown < names; ++i)
        if (selection->shaders[i]) {
            fputs(shown++ == 0 ? ": " : ", ", stream);
            ws_text_print(stream, ws_shader_name(selection->catalog, i));
        }
    if (names > 0 && selection->shader_count > shown)
        fprintf(stream, " and %" PRIu32 " more", selection->shader_count - shown);
}

static bool decide(struct ws_selection *selection, const char *path, bool *labelled, struct ws_error *error)
{
    const struct ws_catalog *catalog = selection->catalog;
    char options[WS_ERROR_SIZE / 2];
    if (!check_ranges(selection, WS_SELECT_LAUNCH, selection->launches, path, error) ||
        !check_ranges(selection, WS_SELECT_FRAME, selection->frames, path, error) ||
        !mark_all(selection, &label_kind, catalog, catalog->launches.count, labelled, path, error) ||
        !decide_shaders(selection, path, error) ||
        !mark_all(selection, &pipeline_kind, catalog, catalog->pipeline_count, selection->pipelines, path,
                  error))
        return false;
    join_pipelines(selection);
    decide_launches(selection, labelled);
    list_options(selection, options, sizeof(options));
    if (selection->shader_count == 0 && ws_selection_has_shaders(selection))
        return ws_error_set(error, "each of these is in '%.120s', but no shader is of all: %s", path,
                            options);
    /* A shader that no launch ran is there all the same. */
    return selection->launch_count > 0 || !ws_selection_has_launches(selection) ||
           ws_error_set(error, "each of these is in '%.120s', but no launch is of all: %s", path, options);
}

bool ws_selection_decide(struct ws_selection *selection, struct ws_catalog *catalog, const char *path,
                         struct ws_error *error)
{
    ws_selection_finish(selection);
    selection->catalog = catalog;
    selection->all = catalog->launches;
    selection->shaders = calloc(2 * (size_t)catalog->shader_count + 1, sizeof(*selection->shaders));
    selection->pipelines = calloc((size_t)catalog->pipeline_count + 1, sizeof(*selection->pipelines));
    selection->launched = calloc((size_t)selection->all.count + 1, sizeof(*selection->launched));
    bool *labelled = calloc((size_t)selection->all.count + 1, sizeof(*labelled));
    bool decided = false;
    if (selection->shaders == NULL || selection->pipelines == NULL || selection->launched == NULL ||
        labelled == NULL)
        ws_error_set(error, "no memory for what was chosen of '%s'", path);
    else
        decided = decide(selection, path, labelled, error);
    free(labelled);
    catalog->launches = (struct ws_launch_table){.count = 0};
    return decided;
}

void ws_selection_finish(struct ws_selection *selection)
{
    free(selection->shaders);
    free(selection->pipelines);
    free(selection->launched);
    ws_launch_table_finish(&selection->all);
    selection->catalog = NULL;
    selection->shaders = NULL;
    selection->pipelines = NULL;
    selection->launched = NULL;
    selection->shader_count = 0;
    selection->pipeline_count = 0;
    selection->launch_count = 0;
    selection->last = 0;
    selection->shared = false;
}

/* How a launch is chosen, and its record, which is NULL where it is not. */
static enum ws_selection_launched find_launch(const struct ws_selection *selection, uint64_t launch,
                                              const struct ws_launch_record **record)
{
    uint32_t place = 0;
    if (!ws_id_map_get(&selection->all.by_index, launch, &place))
        return WS_LAUNCH_UNCHOSEN;
    *record = &selection->all.launches[place];
    return selection->launched[place];
}

bool ws_selection_has_launch(const struct ws_selection *selection, uint64_t launch)
{
    const struct ws_launch_record *record = NULL;
    return selection == NULL || selection->catalog == NULL ||
           find_launch(selection, launch, &record) != WS_LAUNCH_UNCHOSEN;
}

static bool has_shader(const struct ws_pipeline_record *pipeline, uint32_t shader)
{
    for (uint32_t i = 0; i < pipeline->shader_count; ++i)
        if (pipeline->shaders[i] == shader)
            return true;
    return false;
}

bool ws_selection_runs(const struct ws_selection *selection, uint64_t launch, uint32_t shader)
{
    const struct ws_launch_record *record = NULL;
    if (selection == NULL || selection->catalog == NULL)
        return true;
    const enum ws_selection_launched launched = find_launch(selection, launch, &record);
    if (launched == WS_LAUNCH_UNCHOSEN || shader >= selection->catalog->shader_count ||
        !selection->shaders[shader])
        return false;
    for (uint32_t i = 0; launched == WS_LAUNCH_PARTLY && i < record->pipeline_count; ++i)
        if (!selection->pipelines[record->pipelines[i]] &&
            has_shader(&selection->catalog->pipelines[record->pipelines[i]], shader))
            return false;
    return true;
}

bool ws_selection_has_shader(const struct ws_selection *selection, uint32_t shader)
{
    return selection == NULL || selection->catalog == NULL || selection->shaders[shader];
}

bool ws_selection_has_pipeline(const struct ws_selection *selection, uint32_t pipeline)
{
    return selection == NULL || selection->catalog == NULL || !ws_selection_has_shaders(selection) ||
           selection->pipelines[pipeline];
}

void ws_selected_chunk_finish(struct ws_selected_chunk *selected)
{
    free(selected->launches);
    free(selected->counters);
    memset(selected, 0, sizeof(*selected));
}

static bool keep_launches(const struct ws_selection *selection, struct ws_selected_chunk *selected,
                          bool *some)
{
    struct ws_chunk_submission *submission = &selected->chunk.submission;
    uint32_t count = 0;
    for (uint32_t i = 0; i < submission->launch_count; ++i)
        count += ws_selection_has_launch(selection, submission->launches[i].index);
    *some = count > 0;
    if (count == submission->launch_count || count == 0)
        return true;
    struct ws_launch *launches =
        ws_array_grow(selected->launches, &selected->launch_capacity, count, sizeof(*launches));
    if (launches == NULL)
        return false;
    selected->launches = launches;
    count = 0;
    for (uint32_t i = 0; i < submission->launch_count; ++i)
        if (ws_selection_has_launch(selection, submission->launches[i].index))
            launches[count++] = submission->launches[i];
    submission->launches = launches;
    submission->launch_count = count;
    return true;
}

bool ws_selection_launches(const struct ws_selection *selection, const struct ws_chunk *chunk,
                           struct ws_selected_chunk *selected, bool *some)
{
    selected->chunk = *chunk;
    *some = true;
    if (selection == NULL || selection->catalog == NULL)
        return true;
    switch (chunk->type) {
    case WS_CHUNK_SUBMISSION: return keep_launches(selection, selected, some);
    case WS_CHUNK_RECORDS: *some = ws_selection_has_launch(selection, chunk->records.launch); break;
    case WS_CHUNK_TABLES: *some = ws_selection_has_launch(selection, chunk->tables.launch); break;
    case WS_CHUNK_IMAGE:
        *some = chunk->image.source != WS_IMAGE_OF_LAUNCH ||
                ws_selection_has_launch(selection, chunk->image.launch);
        break;
    case WS_CHUNK_BUILD: *some = chunk->build.moment <= selection->last; break;
    case WS_CHUNK_COPY: *some = chunk->copy.moment <= selection->last; break;
    case WS_CHUNK_GONE: *some = chunk->gone.moment <= selection->last; break;
    default: break;
    }
    return true;
}

bool ws_selection_counters(const struct ws_selection *selection, const struct ws_chunk *chunk,
                           struct ws_selected_chunk *selected)
{
    selected->chunk = *chunk;
    if (!ws_selection_has_shaders(selection) || selection->catalog == NULL ||
        chunk->type != WS_CHUNK_SUBMISSION)
        return true;
    const struct ws_chunk_submission *submission = &chunk->submission;
    uint32_t capacity = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < submission->launch_count; ++i)
        capacity += submission->launches[i].shader_count;
    struct ws_launch *launches = ws_array_grow(selected->launches, &selected->launch_capacity,
                                               submission->launch_count, sizeof(*launches));
    if (launches == NULL)
        return submission->launch_count == 0;
    selected->launches = launches;
    struct ws_shader_counters *counters =
        ws_array_grow(selected->counters, &selected->counter_capacity, capacity + 1, sizeof(*counters));
    if (counters == NULL)
        return false;
    selected->counters = counters;
    for (uint32_t i = 0; i < submission->launch_count; ++i) {
        const struct ws_launch *from = &submission->launches[i];
        const struct ws_launch_record *known = NULL;
        find_launch(selection, from->index, &known);
        launches[i] = *from;
        launches[i].shaders = &counters[count];
        /* Its size may stand in the counters of a shader that is gone (root.h). */
        if (known != NULL)
            memcpy(launches[i].size, known->size, sizeof(known->size));
        for (uint32_t j = 0; j < from->shader_count; ++j)
            if (ws_selection_runs(selection, from->index,
                                  ws_catalog_shader(selection->catalog, from->shaders[j].shader)))
                counters[count++] = from->shaders[j];
        launches[i].shader_count = (uint32_t)(&counters[count] - launches[i].shaders);
    }
    selected->chunk.submission.launches = launches;
    return true;
}

enum ws_read_result ws_selection_next(const struct ws_selection *selection, struct ws_reader *reader,
                                      struct ws_selected_chunk *selected, struct ws_error *error)
{
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_CHUNK;
    for (bool some = false; result == WS_READ_CHUNK && !some;) {
        result = ws_reader_next(reader, &chunk, error);
        if (result == WS_READ_CHUNK && !ws_selection_launches(selection, &chunk, selected, &some)) {
            ws_error_set(error, "no memory for what was chosen");
            return WS_READ_ERROR;
        }
    }
    return result;
}
