#include "analysis/export/data_set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/output/parquet.h"
#include "analysis/output/staging.h"
#include "warpscope/base/text.h"

#define PARTS_MAX 100000 /* of one frame and pipeline */

/* A file that is open. */
struct part {
    struct ws_parquet *file; /* NULL = none */
    uint64_t frame;
    uint32_t pipeline;
    uint64_t used; /* number of the row that came last */
};

struct ws_data_set {
    char *path; /* a folder is written beside it first: */
    struct ws_staging staging;
    const char *name;
    bool is_folder;
    const struct ws_export_field *fields;
    size_t field_count;
    struct ws_parquet_column *columns;
    uint32_t column_count;
    char *column_names; /* of parts of vectors */
    char *program;
    char *version; /* that recorded */
    struct part parts[WS_DATA_SET_OPEN];
    uint64_t rows;
    uint64_t files;
};

bool ws_data_set_is_path(const char *path)
{
    struct stat status;
    return ws_text_ends_with(path, ".parquet") || ws_text_ends_with(path, "/") ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool no_memory(const struct ws_data_set *set, struct ws_error *error)
{
    return ws_error_set(error, "no memory for the %s", set->name);
}

/* ---- columns ---- */

static enum ws_parquet_type type_of(enum ws_export_format format)
{
    switch (format) {
    case WS_EXPORT_NUMBER: return WS_PARQUET_UINT32;
    case WS_EXPORT_LONG: return WS_PARQUET_INT64;
    case WS_EXPORT_WIDE: return WS_PARQUET_UINT64;
    case WS_EXPORT_BOOL: return WS_PARQUET_BOOL;
    case WS_EXPORT_TEXT: return WS_PARQUET_TEXT;
    default: return WS_PARQUET_FLOAT;
    }
}

/* The three columns of a vector have names of their own. */
static void add_vector(struct ws_data_set *set, const struct ws_export_field *field, char **names)
{
    for (uint32_t i = 0; i < 3; ++i) {
        char *name = *names;
        *names += sprintf(name, "%s_%c", field->name, 'x' + (int)i) + 1;
        set->columns[set->column_count++] =
            (struct ws_parquet_column){name, WS_PARQUET_FLOAT, field->known != 0};
    }
}

static bool make_columns(struct ws_data_set *set)
{
    size_t names_size = 1;
    for (size_t i = 0; i < set->field_count; ++i)
        names_size += 3 * (strlen(set->fields[i].name) + 3);
    set->columns = calloc(2 + 3 * set->field_count, sizeof(*set->columns));
    set->column_names = malloc(names_size);
    if (set->columns == NULL || set->column_names == NULL)
        return false;
    char *names = set->column_names;
    if (!set->is_folder) {
        set->columns[set->column_count++] = (struct ws_parquet_column){"frame", WS_PARQUET_INT64, false};
        set->columns[set->column_count++] = (struct ws_parquet_column){"pipeline", WS_PARQUET_UINT32, true};
    }
    for (size_t i = 0; i < set->field_count; ++i) {
        const struct ws_export_field *field = &set->fields[i];
        if (field->format == WS_EXPORT_VECTOR)
            add_vector(set, field, &names);
        else
            set->columns[set->column_count++] =
                (struct ws_parquet_column){field->name, type_of(field->format), field->known != 0};
    }
    return true;
}

/* ---- notes ---- */

struct notes {
    struct ws_parquet_note *list;
    uint32_t count;
    char *keys; /* those of columns */
};

static void finish_notes(struct notes *notes)
{
    free(notes->list);
    free(notes->keys);
}

/* What a field means: fields that share a help stand before it. */
static const char *find_help(const struct ws_data_set *set, size_t field)
{
    while (field + 1 < set->field_count && set->fields[field].help == NULL)
        ++field;
    return set->fields[field].help != NULL ? set->fields[field].help : "";
}

static bool make_notes(const struct ws_data_set *set, struct notes *notes)
{
    const struct ws_parquet_note first[] = {
        {"warpscope.table", set->name},
        {"warpscope.program", set->program != NULL ? set->program : ""},
        {"warpscope.recorded_by", set->version != NULL ? set->version : ""},
    };
    size_t size = 1;
    for (size_t i = 0; i < set->field_count; ++i)
        size += strlen(set->fields[i].name) + sizeof("column.");
    notes->list = calloc(set->field_count + 3, sizeof(*notes->list));
    notes->keys = malloc(size);
    if (notes->list == NULL || notes->keys == NULL)
        return false;
    char *key = notes->keys;
    for (notes->count = 0; notes->count < 3; ++notes->count)
        notes->list[notes->count] = first[notes->count];
    for (size_t i = 0; i < set->field_count; ++i) {
        notes->list[notes->count++] = (struct ws_parquet_note){key, find_help(set, i)};
        key += sprintf(key, "column.%s", set->fields[i].name) + 1;
    }
    return true;
}

bool ws_data_set_take(struct ws_data_set *set, const struct ws_chunk *chunk)
{
    if (chunk->type != WS_CHUNK_INFO || set->program != NULL)
        return true;
    size_t size = 0;
    FILE *stream = open_memstream(&set->program, &size);
    if (stream == NULL)
        return false;
    for (uint32_t i = 0; i < chunk->info.argument_count; ++i) {
        char *quoted = malloc(4 * strlen(chunk->info.arguments[i]) + 3);
        if (quoted != NULL)
            quoted[ws_text_quote(quoted, chunk->info.arguments[i])] = '\0';
        fprintf(stream, "%s%s", i > 0 ? " " : "", quoted != NULL ? quoted : "");
        free(quoted);
    }
    const bool closed = fclose(stream) == 0;
    set->version = strdup(chunk->info.version);
    return closed && set->version != NULL;
}

/* ---- files ---- */

static bool make_folder(const char *path, struct ws_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           ws_error_set(error, "cannot make the folder '%s': %s", path, strerror(errno));
}

static bool check_empty(const char *path, struct ws_error *error)
{
    const bool was_killed = ws_staging_remove_left(path);
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;
    if (folder == NULL)
        return ws_error_set(error, "cannot read the folder '%s': %s", path, strerror(errno));
    do
        entry = readdir(folder);
    while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    const bool is_empty = entry == NULL;
    closedir(folder);
    return is_empty || ws_error_set(error,
                                    "the folder '%s' is not empty: %swhat is in it would be read as one with "
                                    "the export. Remove it, or "
                                    "name another",
                                    path, was_killed ? "an export into it was killed, and " : "");
}

/* The path of the next part of a frame and pipeline, whose folders are made. */
static bool name_part(const struct ws_data_set *set, uint64_t frame, uint32_t pipeline, char path[PATH_MAX],
                      struct ws_error *error)
{
    struct stat status;
    if (!set->is_folder)
        return snprintf(path, PATH_MAX, "%s", set->path) < PATH_MAX ||
               ws_error_set(error, "the path '%.200s...' is too long", set->path);
    int length = snprintf(path, PATH_MAX, "%s/frame=%" PRIu64, set->staging.path, frame);
    if (length + 64 >= PATH_MAX)
        return ws_error_set(error, "the path '%s' is too long", set->path);
    if (!make_folder(path, error))
        return false;
    if (pipeline == WS_NONE)
        length += sprintf(path + length, "/pipeline=__HIVE_DEFAULT_PARTITION__");
    else
        length += sprintf(path + length, "/pipeline=%" PRIu32, pipeline);
    if (!make_folder(path, error))
        return false;
    for (uint32_t i = 0; i < PARTS_MAX; ++i) {
        sprintf(path + length, "/part-%" PRIu32 ".parquet", i);
        if (lstat(path, &status) != 0)
            return true;
    }
    return ws_error_set(error, "there are too many parts in '%s'", set->path);
}

static bool finish_part(struct ws_data_set *set, struct part *part, struct ws_error *error)
{
    struct notes notes = {0};
    bool finished = part->file == NULL;
    if (finished)
        return true;
    if (!make_notes(set, &notes))
        no_memory(set, error);
    else
        finished = ws_parquet_finish(part->file, notes.list, notes.count, error);
    ws_parquet_destroy(part->file);
    part->file = NULL;
    finish_notes(&notes);
    return finished;
}

/* Which part is to make room: one of a frame before, or else the one whose row came longest ago. */
static struct part *find_victim(struct ws_data_set *set)
{
    struct part *victim = &set->parts[0];
    for (uint32_t i = 0; i < WS_DATA_SET_OPEN && victim->file != NULL; ++i)
        if (set->parts[i].file == NULL || set->parts[i].used < victim->used)
            victim = &set->parts[i];
    return victim;
}

static bool end_frames_before(struct ws_data_set *set, uint64_t frame, struct ws_error *error)
{
    for (uint32_t i = 0; i < WS_DATA_SET_OPEN; ++i)
        if (set->parts[i].frame != frame && !finish_part(set, &set->parts[i], error))
            return false;
    return true;
}

/* The part of a frame and pipeline, begun where there is none. NULL and `error`. */
static struct part *find_part(struct ws_data_set *set, uint64_t frame, uint32_t pipeline,
                              struct ws_error *error)
{
    char path[PATH_MAX];
    for (uint32_t i = 0; i < WS_DATA_SET_OPEN; ++i) {
        struct part *part = &set->parts[i];
        if (part->file != NULL && (!set->is_folder || (part->frame == frame && part->pipeline == pipeline)))
            return part;
    }
    if (!end_frames_before(set, frame, error))
        return NULL;
    struct part *part = find_victim(set);
    if (!finish_part(set, part, error) || !name_part(set, frame, pipeline, path, error))
        return NULL;
    part->file = ws_parquet_create(path, set->columns, set->column_count, error);
    part->frame = frame;
    part->pipeline = pipeline;
    set->files += part->file != NULL;
    return part->file != NULL ? part : NULL;
}

/* ---- rows ---- */

static void put_field(struct ws_parquet *file, const struct ws_export_field *field, const void *row)
{
    const char *at = (const char *)row + field->at;
    uint32_t number;
    uint64_t large;
    float vector[3];
    const char *text;
    switch (field->format) {
    case WS_EXPORT_NUMBER:
        memcpy(&number, at, sizeof(number));
        ws_parquet_integer(file, number);
        break;
    case WS_EXPORT_LONG:
    case WS_EXPORT_WIDE:
        memcpy(&large, at, sizeof(large));
        ws_parquet_integer(file, large);
        break;
    case WS_EXPORT_BOOL: ws_parquet_integer(file, *at != 0); break;
    case WS_EXPORT_FLOAT:
        memcpy(vector, at, sizeof(vector[0]));
        ws_parquet_number(file, (double)vector[0]);
        break;
    case WS_EXPORT_VECTOR:
        memcpy(vector, at, sizeof(vector));
        for (uint32_t i = 0; i < 3; ++i)
            ws_parquet_number(file, (double)vector[i]);
        break;
    case WS_EXPORT_TEXT:
        memcpy(&text, at, sizeof(text));
        ws_parquet_text(file, text);
        break;
    }
}

bool ws_data_set_add(struct ws_data_set *set, uint64_t frame, uint32_t pipeline, const void *row,
                     uint32_t known, struct ws_error *error)
{
    struct part *part = find_part(set, frame, pipeline, error);
    if (part == NULL) {
        ws_staging_name(&set->staging, set->path, error);
        return false;
    }
    part->used = ++set->rows;
    if (!set->is_folder) {
        ws_parquet_integer(part->file, frame);
        if (pipeline == WS_NONE)
            ws_parquet_nothing(part->file);
        else
            ws_parquet_integer(part->file, pipeline);
    }
    for (size_t i = 0; i < set->field_count; ++i) {
        const struct ws_export_field *field = &set->fields[i];
        if ((known >> field->known & 1) != 0) {
            put_field(part->file, field, row);
            continue;
        }
        for (uint32_t j = 0; j < (field->format == WS_EXPORT_VECTOR ? 3 : 1); ++j)
            ws_parquet_nothing(part->file);
    }
    if (ws_parquet_end_row(part->file, error))
        return true;
    ws_staging_name(&set->staging, set->path, error);
    return false;
}

bool ws_data_set_finish(struct ws_data_set *set, struct ws_error *error)
{
    bool finished = true;
    /* A table without rows is a file, too: whoever asks it finds none. */
    if (!set->is_folder && set->files == 0 && find_part(set, 0, WS_NONE, error) == NULL)
        return false;
    for (uint32_t i = 0; i < WS_DATA_SET_OPEN; ++i)
        finished = finish_part(set, &set->parts[i], error) && finished;
    if (finished)
        return ws_staging_keep(&set->staging, true, error);
    ws_staging_name(&set->staging, set->path, error);
    return false;
}

uint32_t ws_data_set_pipeline(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader)
{
    const uint32_t pipeline = ws_catalog_launch_pipeline(catalog, launch, shader);
    return pipeline < catalog->pipeline_count ? catalog->pipelines[pipeline].id : WS_NONE;
}

uint64_t ws_data_set_rows(const struct ws_data_set *set)
{
    return set->rows;
}

uint64_t ws_data_set_files(const struct ws_data_set *set)
{
    return set->files;
}

void ws_data_set_destroy(struct ws_data_set *set)
{
    if (set == NULL)
        return;
    for (uint32_t i = 0; i < WS_DATA_SET_OPEN; ++i)
        ws_parquet_destroy(set->parts[i].file);
    ws_staging_drop(&set->staging);
    free(set->path);
    free(set->columns);
    free(set->column_names);
    free(set->program);
    free(set->version);
    free(set);
}

struct ws_data_set *ws_data_set_create(const char *path, const char *name,
                                       const struct ws_export_field *fields, size_t field_count,
                                       struct ws_error *error)
{
    struct ws_data_set *set = calloc(1, sizeof(*set));
    if (set == NULL) {
        ws_error_set(error, "no memory for the %s", name);
        return NULL;
    }
    set->path = strdup(path);
    set->name = name;
    set->fields = fields;
    set->field_count = field_count;
    set->is_folder = !ws_text_ends_with(path, ".parquet");
    if (set->path == NULL || !make_columns(set)) {
        no_memory(set, error);
        goto error;
    }
    if (set->is_folder) {
        for (size_t length = strlen(set->path); length > 1 && set->path[length - 1] == '/';)
            set->path[--length] = '\0';
        if ((access(set->path, F_OK) == 0 && !check_empty(set->path, error)) ||
            !ws_staging_begin_tree(&set->staging, set->path, error))
            goto error;
    }
    return set;
error:
    ws_data_set_destroy(set);
    return NULL;
}
