#include "warpscope/model/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/model/launch.h"

#define PART_MOST      160 /* bytes of a module's, an entry point's or a pipeline's part of a name */
#define CONSTANTS_MOST 200 /* bytes of the constants in a name */
#define NAME_MOST      1024
#define FOLDERS_MOST   8
#define CHECKED_MOST   256 /* constants of a specialization that are compared */
#define ID_ROUNDS      8

/* A name that is being made, of a shader or a pipeline. */
struct naming {
    uint32_t index; /* in the catalog */
    uint32_t folders;
    bool stage;
    bool hash;
    bool id;
    const char *pipeline; /* NULL = none */
    char *constants;      /* "<K=2>"; NULL = none */
    char *text;
};

struct work {
    struct ws_catalog *catalog;
    char *(*text)(const struct ws_catalog *catalog, const struct naming *naming); /* the name as it is now */
    struct naming *names;
    uint32_t count;
};

const char *ws_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *ws_shader_name(const struct ws_catalog *catalog, uint32_t shader)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    return record->shown != NULL ? record->shown : record->name;
}

const char *ws_pipeline_name(const struct ws_catalog *catalog, uint32_t pipeline)
{
    const struct ws_pipeline_record *record = &catalog->pipelines[pipeline];
    return record->shown != NULL ? record->shown : record->name;
}

/* Whether a shader's pipeline is a single one: neither WS_NONE nor WS_PIPELINE_SEVERAL. */
static bool is_one(const struct ws_catalog *catalog, uint32_t pipeline)
{
    return pipeline < catalog->pipeline_count;
}

/* Copies a text of any length. From a long one the middle is left out: beginnings and ends tell names apart. */
static const char *shorten(const char *text, char short_text[PART_MOST + 1])
{
    ws_text_shorten(text, PART_MOST, short_text);
    return short_text;
}

/* The file's name with `folders` folders in front of it. */
static const char *path_end(const char *path, uint32_t folders)
{
    const char *at = path + strlen(path);
    for (uint32_t slashes = 0; at > path; --at)
        if (at[-1] == '/' && slashes++ == folders)
            break;
    return at;
}

static char *shader_text(const struct ws_catalog *catalog, const struct naming *naming)
{
    char module_text[PART_MOST + 1];
    char entry_text[PART_MOST + 1];
    char pipeline_text[PART_MOST + 1];
    char hash[16] = "";
    char id[16] = "";
    char *text = NULL;
    const struct ws_shader_record *record = &catalog->shaders[naming->index];
    const struct ws_module_record *module = &catalog->modules[record->module];
    const bool nameless = module->name[0] == '\0' && module->source[0] == '\0';
    const char *stage = ws_stage_name(record->stage);
    const char *of_module = module->name[0] != '\0' ? module->name
                            : nameless              ? stage
                                                    : path_end(module->source, naming->folders);
    const bool staged = naming->stage && !nameless;
    if (naming->hash)
        snprintf(hash, sizeof(hash), " %08" PRIx32, (uint32_t)(module->hash >> 32));
    if (naming->id)
        snprintf(id, sizeof(id), " #%" PRIu32, record->id);
    const int length = asprintf(
        &text, "%s%s:%s%s%s%s%s%s%s%s%s", shorten(of_module, module_text), hash,
        shorten(record->name, entry_text), naming->constants != NULL ? naming->constants : "",
        staged ? " (" : "", staged ? stage : "", staged ? ")" : "", naming->pipeline != NULL ? " in '" : "",
        naming->pipeline != NULL ? shorten(naming->pipeline, pipeline_text) : "",
        naming->pipeline != NULL ? "'" : "", id);
    return length >= 0 ? text : NULL;
}

void ws_entry_name(const struct ws_catalog *catalog, uint32_t module, uint32_t entry, char *text, size_t size)
{
    char module_text[PART_MOST + 1];
    const struct ws_module_record *record = &catalog->modules[module];
    const struct ws_entry_record *of = entry < record->entry_count ? &record->entries[entry] : NULL;
    if (record->name[0] != '\0' || record->source[0] != '\0')
        shorten(record->name[0] != '\0' ? record->name : ws_file_name(record->source), module_text);
    else
        snprintf(module_text, sizeof(module_text), "%s %08" PRIx32,
                 of != NULL ? ws_stage_name(of->stage) : "module", (uint32_t)(record->hash >> 32));
    snprintf(text, size, "%s%s%s", module_text, of != NULL ? ":" : "", of != NULL ? of->name : "");
    ws_text_cut(text);
}

static double half_value(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, (int)exponent - 25));
}

static double float_value(uint32_t width, uint64_t value)
{
    const uint32_t low = (uint32_t)value;
    float single = 0;
    double real = 0;
    memcpy(&single, &low, sizeof(single));
    memcpy(&real, &value, sizeof(real));
    return width == 16 ? half_value(low) : width == 32 ? (double)single : real;
}

/* The value as the shader's source would have it. `constant` NULL = its type is not known. */
static void print_value(const struct ws_constant_record *constant, uint64_t value, char *text, size_t size)
{
    const uint32_t width =
        constant != NULL && constant->width > 0 && constant->width < 64 ? constant->width : 64;
    const uint64_t mask = UINT64_MAX >> (64 - width);
    value &= mask;
    switch (constant != NULL ? (enum ws_constant_kind)constant->kind : WS_CONSTANT_UINT) {
    case WS_CONSTANT_BOOL: snprintf(text, size, "%s", value != 0 ? "true" : "false"); break;
    case WS_CONSTANT_INT:
        snprintf(text, size, "%" PRId64, (int64_t)((value >> (width - 1)) != 0 ? value | ~mask : value));
        break;
    case WS_CONSTANT_FLOAT: {
        const double real = float_value(width, value);
        snprintf(text, size, "%.6g", real);
        /* As many digits as tell the value from its neighbours. */
        if (width == 32 && strtof(text, NULL) != (float)real)
            snprintf(text, size, "%.9g", real);
        if (width == 64 && strtod(text, NULL) != real)
            snprintf(text, size, "%.17g", real);
        break;
    }
    default: snprintf(text, size, "%" PRIu64, value); break;
    }
}

static const struct ws_constant_record *find_constant(const struct ws_module_record *module, uint32_t spec_id)
{
    uint32_t first = 0;
    uint32_t end = module->constant_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (module->constants[middle].spec_id < spec_id)
            first = middle + 1;
        else
            end = middle;
    }
    return first < module->constant_count && module->constants[first].spec_id == spec_id
               ? &module->constants[first]
               : NULL;
}

/* The value that the shader has for a constant. False: the module's own value, which is not known. */
static bool value_of(const struct ws_catalog *catalog, uint32_t shader, uint32_t spec_id, uint64_t *value)
{
    const struct ws_shader_record *record = &catalog->shaders[shader];
    const struct ws_constant_record *constant = find_constant(&catalog->modules[record->module], spec_id);
    uint32_t first = 0;
    uint32_t end = record->specialization_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (record->specialization[middle].constant_id < spec_id)
            first = middle + 1;
        else
            end = middle;
    }
    *value = constant != NULL ? constant->value : 0;
    if (first < record->specialization_count && record->specialization[first].constant_id == spec_id) {
        *value = record->specialization[first].value;
        return true;
    }
    return constant != NULL;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The constants that names [first, end) give, ascending: `ids` of `*count`. False = no memory. */
static bool list_constants(const struct work *work, uint32_t first, uint32_t end, uint32_t **ids,
                           uint32_t *count)
{
    size_t most = 0;
    for (uint32_t i = first; i < end; ++i)
        most += work->catalog->shaders[work->names[i].index].specialization_count;
    uint32_t *list = malloc(most * sizeof(*list) + 1);
    size_t given = 0;
    if (list == NULL)
        return false;
    for (uint32_t i = first; i < end; ++i) {
        const struct ws_shader_record *record = &work->catalog->shaders[work->names[i].index];
        for (uint32_t j = 0; j < record->specialization_count; ++j)
            list[given++] = record->specialization[j].constant_id;
    }
    qsort(list, given, sizeof(*list), compare_numbers);
    *ids = list;
    *count = 0;
    for (size_t i = 0; i < given && *count < CHECKED_MOST; ++i)
        if (i == 0 || list[i] != list[i - 1])
            list[(*count)++] = list[i];
    return true;
}

static bool differs(const struct work *work, uint32_t first, uint32_t end, uint32_t spec_id)
{
    uint64_t value = 0;
    const bool known = value_of(work->catalog, work->names[first].index, spec_id, &value);
    for (uint32_t i = first + 1; i < end; ++i) {
        uint64_t other = 0;
        if (value_of(work->catalog, work->names[i].index, spec_id, &other) != known || other != value)
            return true;
    }
    return false;
}

/* Adds "K=2" to the constants of a name. */
static bool add_constant(const struct work *work, struct naming *naming, uint32_t spec_id)
{
    char value_text[64] = "?";
    char name_text[PART_MOST + 1];
    uint64_t value = 0;
    const struct ws_shader_record *record = &work->catalog->shaders[naming->index];
    const struct ws_constant_record *constant =
        find_constant(&work->catalog->modules[record->module], spec_id);
    if (naming->constants != NULL && strlen(naming->constants) > CONSTANTS_MOST)
        return true;
    if (value_of(work->catalog, naming->index, spec_id, &value))
        print_value(constant, value, value_text, sizeof(value_text));
    if (constant != NULL && constant->name[0] != '\0')
        shorten(constant->name, name_text);
    else
        snprintf(name_text, sizeof(name_text), "SpecId %" PRIu32, spec_id);
    char *text = NULL;
    const int before = naming->constants != NULL ? (int)strlen(naming->constants) - 1 : 0;
    if (asprintf(&text, "%.*s%s%s=%s>", before, naming->constants != NULL ? naming->constants : "",
                 before > 0 ? "," : "<", name_text, value_text) < 0)
        return false;
    free(naming->constants);
    naming->constants = text;
    return true;
}

/* Adds to names [first, end), which are of one entry point, each constant that differs among them. */
static bool specialize(struct work *work, uint32_t first, uint32_t end)
{
    uint32_t *ids = NULL;
    uint32_t count = 0;
    if (!list_constants(work, first, end, &ids, &count))
        return false;
    bool added = true;
    for (uint32_t i = 0; i < count && added; ++i) {
        const bool told = differs(work, first, end, ids[i]);
        for (uint32_t j = first; j < end && told && added; ++j)
            added = add_constant(work, &work->names[j], ids[i]);
    }
    free(ids);
    return added;
}

/* What shaders of one name are told apart by. Each is given the names [first, end) that are the same, and changes
 * them, or not. False when there is no memory. */

static const struct ws_shader_record *record_of(const struct work *work, uint32_t name)
{
    return &work->catalog->shaders[work->names[name].index];
}

static const struct ws_module_record *module_of(const struct work *work, uint32_t name)
{
    return &work->catalog->modules[record_of(work, name)->module];
}

static bool tell_stages(struct work *work, uint32_t first, uint32_t end)
{
    bool differ = false;
    for (uint32_t i = first + 1; i < end; ++i)
        differ = differ || record_of(work, i)->stage != record_of(work, first)->stage;
    for (uint32_t i = first; i < end; ++i)
        work->names[i].stage = differ;
    return true;
}

static bool tell_folders(struct work *work, uint32_t first, uint32_t end)
{
    bool differ = false;
    for (uint32_t i = first + 1; i < end; ++i)
        differ = differ || strcmp(module_of(work, i)->source, module_of(work, first)->source) != 0;
    for (uint32_t i = first; i < end && differ; ++i)
        work->names[i].folders++;
    return true;
}

static int compare_entries(const void *left, const void *right, void *user)
{
    const struct ws_catalog *catalog = user;
    const struct naming *a = left;
    const struct naming *b = right;
    const struct ws_shader_record *of_a = &catalog->shaders[a->index];
    const struct ws_shader_record *of_b = &catalog->shaders[b->index];
    if (of_a->module != of_b->module)
        return of_a->module < of_b->module ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool tell_specializations(struct work *work, uint32_t first, uint32_t end)
{
    qsort_r(work->names + first, end - first, sizeof(*work->names), compare_entries, work->catalog);
    for (uint32_t last = first; first < end; first = last) {
        while (last < end && record_of(work, last)->module == record_of(work, first)->module)
            ++last;
        if (last - first > 1 && !specialize(work, first, last))
            return false;
    }
    return true;
}

/* The debug name of the one pipeline that has the shader; NULL = none. */
static const char *owner_of(const struct work *work, uint32_t name)
{
    const uint32_t owner = record_of(work, name)->pipeline;
    return is_one(work->catalog, owner) && work->catalog->pipelines[owner].name[0] != '\0'
               ? work->catalog->pipelines[owner].name
               : NULL;
}

static bool tell_pipelines(struct work *work, uint32_t first, uint32_t end)
{
    bool differ = false;
    for (uint32_t i = first + 1; i < end; ++i)
        differ = differ || owner_of(work, i) != owner_of(work, first);
    for (uint32_t i = first; i < end && differ; ++i)
        work->names[i].pipeline = owner_of(work, i);
    return true;
}

static bool tell_modules(struct work *work, uint32_t first, uint32_t end)
{
    bool differ = false;
    for (uint32_t i = first + 1; i < end; ++i)
        differ = differ || module_of(work, i)->hash != module_of(work, first)->hash;
    for (uint32_t i = first; i < end && differ; ++i)
        work->names[i].hash = true;
    return true;
}

static bool tell_ids(struct work *work, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i)
        work->names[i].id = true;
    return true;
}

static int compare_texts(const void *left, const void *right)
{
    const struct naming *a = left;
    const struct naming *b = right;
    const int texts = strcmp(a->text, b->text);
    return texts != 0 ? texts : a->index < b->index ? -1 : a->index > b->index;
}

static bool write_texts(struct work *work, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i) {
        free(work->names[i].text);
        work->names[i].text = work->text(work->catalog, &work->names[i]);
        if (work->names[i].text == NULL)
            return false;
    }
    return true;
}

/* Tells apart the names that are the same. `*same` receives whether any were. */
static bool tell(struct work *work, bool (*step)(struct work *work, uint32_t first, uint32_t end), bool *same)
{
    *same = false;
    qsort(work->names, work->count, sizeof(*work->names), compare_texts);
    for (uint32_t first = 0, end = 0; first < work->count; first = end) {
        for (end = first + 1;
             end < work->count && strcmp(work->names[end].text, work->names[first].text) == 0;)
            ++end;
        if (end - first == 1)
            continue;
        *same = true;
        /* The texts of later groups are compared only after this, and these no more. */
        if (!step(work, first, end) || !write_texts(work, first, end))
            return false;
    }
    return true;
}

/* A name with an id can be the same as one that an application gave. So it is looked at again, and in the end all
 * have their ids. */
static bool tell_by_ids(struct work *work)
{
    bool same = true;
    for (int i = 0; i < ID_ROUNDS && same; ++i)
        if (!tell(work, tell_ids, &same))
            return false;
    return !same || (tell_ids(work, 0, work->count) && write_texts(work, 0, work->count));
}

static bool begin(struct work *work, uint32_t count)
{
    work->names = calloc((size_t)count + 1, sizeof(*work->names));
    if (work->names == NULL)
        return false;
    work->count = count;
    for (uint32_t i = 0; i < count; ++i)
        work->names[i].index = i;
    return write_texts(work, 0, count);
}

static void finish(struct work *work)
{
    for (uint32_t i = 0; i < work->count; ++i) {
        free(work->names[i].text);
        free(work->names[i].constants);
    }
    free(work->names);
}

/* Sets the pipeline of every shader. */
static void find_owners(struct ws_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->shader_count; ++i)
        catalog->shaders[i].pipeline = WS_NONE;
    for (uint32_t i = 0; i < catalog->pipeline_count; ++i)
        for (uint32_t j = 0; j < catalog->pipelines[i].shader_count; ++j) {
            uint32_t *owner = &catalog->shaders[catalog->pipelines[i].shaders[j]].pipeline;
            *owner = *owner == WS_NONE || *owner == i ? i : WS_PIPELINE_SEVERAL;
        }
}

static bool name_shaders(struct ws_catalog *catalog)
{
    struct work work = {.catalog = catalog, .text = shader_text};
    bool same = false;
    bool named = begin(&work, catalog->shader_count) && tell(&work, tell_stages, &same);
    for (int i = 0; i < FOLDERS_MOST && named; ++i)
        named = tell(&work, tell_folders, &same);
    named = named && tell(&work, tell_specializations, &same) && tell(&work, tell_pipelines, &same) &&
            tell(&work, tell_modules, &same) && tell_by_ids(&work);
    for (uint32_t i = 0; i < work.count && named; ++i) {
        const char *kept = ws_text_pool_add(&catalog->texts, work.names[i].text);
        catalog->shaders[work.names[i].index].shown = kept;
        named = kept != NULL;
    }
    finish(&work);
    return named;
}

/* Adds a text to `text`, as far as there is room. */
__attribute__((format(printf, 2, 3))) static void add_text(char text[NAME_MOST], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, NAME_MOST - used, format, arguments);
    va_end(arguments);
}

/* How many of the shaders are of a stage. `*first` receives the one that stands first. */
static uint32_t count_stage(const struct ws_catalog *catalog, const uint32_t *shaders, uint32_t shader_count,
                            uint32_t stage, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shader_count; ++i)
        if (catalog->shaders[shaders[i]].stage == stage) {
            *first = count == 0 ? shaders[i] : *first;
            ++count;
        }
    return count;
}

/* "raygen.rgen:main + 2 miss, closest_hit": shaders that a launch begins with have their names, the others are
 * counted. False when there is no memory. */
static bool add_shaders(const struct ws_catalog *catalog, const struct ws_pipeline_record *pipeline,
                        char text[NAME_MOST])
{
    char name[PART_MOST + 1];
    uint32_t shader = 0;
    uint32_t count = 0;
    const char *before = " ";
    uint32_t *shaders = malloc(pipeline->shader_count * sizeof(*shaders) + 1);
    if (shaders == NULL)
        return false;
    if (pipeline->shader_count > 0)
        memcpy(shaders, pipeline->shaders, pipeline->shader_count * sizeof(*shaders));
    qsort(shaders, pipeline->shader_count, sizeof(*shaders), compare_numbers);
    for (uint32_t i = 0; i < pipeline->shader_count; ++i)
        if (i == 0 || shaders[i] != shaders[i - 1])
            shaders[count++] = shaders[i];
    for (uint32_t bit = 1; bit <= WS_STAGES_ALL; bit <<= 1) {
        const uint32_t of_stage = count_stage(catalog, shaders, count, bit, &shader);
        const bool named = of_stage == 1 && (bit & WS_STAGES_CALLED) == 0;
        if (named)
            add_text(text, "%s%s", before, shorten(ws_shader_name(catalog, shader), name));
        else if (of_stage == 1)
            add_text(text, "%s%s", before, ws_stage_name(bit));
        else if (of_stage > 1)
            add_text(text, "%s%" PRIu32 " %s", before, of_stage, ws_stage_name(bit));
        if (of_stage > 0)
            before = named ? " + " : ", ";
    }
    free(shaders);
    return true;
}

static char *pipeline_text(const struct ws_catalog *catalog, const struct naming *naming)
{
    static const char *const kinds[] = {"graphics", "compute", "ray tracing", "shader objects"};
    char text[NAME_MOST] = "";
    const struct ws_pipeline_record *record = &catalog->pipelines[naming->index];
    if (record->name[0] != '\0') {
        ws_text_shorten(record->name, PART_MOST, text);
    } else {
        add_text(text, "%s", record->kind < 4 ? kinds[record->kind] : "pipeline");
        if (!add_shaders(catalog, record, text))
            return NULL;
    }
    if (naming->id) {
        text[NAME_MOST - 16] = '\0';
        ws_text_cut(text);
        add_text(text, " #%" PRIu32, record->id);
    }
    return strdup(text);
}

static bool name_pipelines(struct ws_catalog *catalog)
{
    struct work work = {.catalog = catalog, .text = pipeline_text};
    bool named = begin(&work, catalog->pipeline_count) && tell_by_ids(&work);
    for (uint32_t i = 0; i < work.count && named; ++i) {
        const char *kept = ws_text_pool_add(&catalog->texts, work.names[i].text);
        catalog->pipelines[work.names[i].index].shown = kept;
        named = kept != NULL;
    }
    finish(&work);
    return named;
}

bool ws_names_make(struct ws_catalog *catalog, struct ws_error *error)
{
    find_owners(catalog);
    return (name_shaders(catalog) && name_pipelines(catalog)) ||
           ws_error_set(error, "no memory for the names of shaders");
}

/* The call site and its number; NULL and NULL where the offset is of none. */
static const struct ws_call_site_record *find_call(const struct ws_catalog *catalog, uint32_t shader,
                                                   uint32_t offset, const struct ws_call_site_number **number)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    const struct ws_entry_record *entry = ws_catalog_entry(catalog, shader);
    uint32_t first = 0;
    uint32_t end = entry != NULL ? entry->call_site_count : 0;
    *number = NULL;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (module->call_sites[entry->call_sites[middle].call_site].offset < offset)
            first = middle + 1;
        else
            end = middle;
    }
    if (entry == NULL || first == entry->call_site_count)
        return NULL;
    const struct ws_call_site_record *site = &module->call_sites[entry->call_sites[first].call_site];
    if (site->offset != offset)
        return NULL;
    *number = &entry->call_sites[first];
    return site;
}

/* "2nd traceRay"; of a single one "traceRay". */
static void count_text(const char *word, uint32_t number, uint32_t count, char *text, size_t size)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    const bool teen = number / 10 % 10 == 1;
    if (count > 1)
        snprintf(text, size, "%" PRIu32 "%s %s", number,
                 number % 10 < 4 && !teen ? endings[number % 10] : endings[0], word);
    else
        snprintf(text, size, "%s", word);
}

static void line_text(const struct ws_call_site_record *site, char *text, size_t size)
{
    char file[PART_MOST + 1];
    snprintf(text, size, "%s:%" PRIu32, shorten(ws_file_name(site->file), file), site->line);
}

void ws_call_name(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text, size_t size)
{
    char which[64];
    char line[PART_MOST + 16];
    const struct ws_call_site_number *number = NULL;
    const struct ws_call_site_record *site = find_call(catalog, shader, offset, &number);
    if (site == NULL) {
        snprintf(text, size, "word %" PRIu32, offset);
    } else if (site->file == NULL) {
        count_text(ws_call_word(site->opcode), number->number, number->count, text, size);
    } else {
        count_text(ws_call_word(site->opcode), number->line_number, number->line_count, which, sizeof(which));
        line_text(site, line, sizeof(line));
        snprintf(text, size, "%s at %s", which, line);
        ws_text_cut(text);
    }
}

void ws_call_place(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text,
                   size_t size)
{
    char line[PART_MOST + 16];
    const struct ws_call_site_number *number = NULL;
    const struct ws_call_site_record *site = find_call(catalog, shader, offset, &number);
    if (site == NULL || site->file == NULL || number->line_count > 1) {
        ws_call_name(catalog, shader, offset, text, size);
        return;
    }
    line_text(site, line, sizeof(line));
    snprintf(text, size, "%s", line);
    ws_text_cut(text);
}

void ws_rays_name(const struct ws_catalog *catalog, uint32_t shader, uint32_t offset, char *text, size_t size)
{
    char call[2 * PART_MOST];
    const struct ws_call_site_number *number = NULL;
    const struct ws_call_site_record *site = find_call(catalog, shader, offset, &number);
    const char *name = ws_shader_name(catalog, shader);
    if (site != NULL && site->file != NULL) {
        ws_call_place(catalog, shader, offset, call, sizeof(call));
        snprintf(text, size, "rays traced %s%s (%s)", number->line_count > 1 ? "by the " : "at ", call, name);
    } else {
        const uint32_t owner = catalog->shaders[shader].pipeline;
        ws_call_name(catalog, shader, offset, call, sizeof(call));
        snprintf(text, size, "rays of the %s of %s%s%s", call, name,
                 is_one(catalog, owner) ? ", pipeline " : "",
                 is_one(catalog, owner) ? ws_pipeline_name(catalog, owner) : "");
    }
    ws_text_cut(text);
}

uint32_t ws_site_offset(const struct ws_catalog *catalog, uint32_t shader, uint32_t site)
{
    const struct ws_module_record *module = &catalog->modules[catalog->shaders[shader].module];
    return site < module->site_count ? module->sites[site].info.offset : WS_NONE;
}

void ws_block_place(const struct ws_block_record *block, char *place, size_t size)
{
    const char *name = block->file != NULL ? ws_file_name(block->file) : NULL;
    if (name == NULL)
        snprintf(place, size, "%s", "");
    else if (block->line == block->line_last)
        snprintf(place, size, "%s:%" PRIu32, name, block->line);
    else
        snprintf(place, size, "%s:%" PRIu32 "-%" PRIu32, name, block->line, block->line_last);
    ws_text_cut(place);
}
