#include "analysis/command/record_result.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/command/command.h"
#include "analysis/model/catalog.h"
#include "analysis/model/overview.h"
#include "passes/base/text.h"

#define NANOSECONDS UINT64_C(1000000000)

/* What is of interest here of a capture. */
struct contents {
    struct ws_catalog catalog;
    struct ws_overview overview;
    uint32_t *placed; /* of each module of the catalog: mask of the passes that have sites in it */
    uint32_t placed_count;
    uint32_t ran;             /* mask of the passes that have sites in a shader that ran */
    bool counted;             /* a launch ran an instrumented shader */
    uint64_t bytes;           /* of records */
    uint64_t missing;         /* words of records that did not fit */
    uint64_t capacity;        /* in words: what would have held the largest submission */
    bool whole;               /* read to the end */
    char refusal[256];        /* why a device could not be instrumented; "" = none was refused */
    char shader_refusal[256]; /* the same of the first shader or pipeline that was not instrumented */
    struct ws_error error;
};

static void keep(char *text, size_t size, const char *reason)
{
    if (text[0] == '\0')
        snprintf(text, size, "%s", reason);
}

/* Notes which passes have sites in a module. */
static bool take_sites(struct contents *contents, const struct ws_chunk_sites *sites)
{
    const struct ws_catalog *catalog = &contents->catalog;
    if (catalog->module_count > contents->placed_count) {
        uint32_t *placed = realloc(contents->placed, catalog->module_capacity * sizeof(*placed));
        if (placed == NULL)
            return false;
        memset(placed + contents->placed_count, 0,
               (catalog->module_count - contents->placed_count) * sizeof(*placed));
        contents->placed = placed;
        contents->placed_count = catalog->module_count;
    }
    for (uint32_t i = 0; i < sites->site_count; ++i)
        if (sites->sites[i].pass < 32)
            contents->placed[ws_catalog_module(catalog, sites->module)] |= 1u << sites->sites[i].pass;
    return true;
}

static void take_shader(struct contents *contents, uint32_t id)
{
    uint32_t module = contents->catalog.shaders[ws_catalog_shader(&contents->catalog, id)].module;
    contents->counted = true;
    if (module < contents->placed_count)
        contents->ran |= contents->placed[module];
}

static void take_records(struct contents *contents, const struct ws_chunk_records *records)
{
    contents->bytes += 4 * (uint64_t)records->word_count;
    if ((records->flags & WS_RECORDS_LAST) != 0)
        contents->missing += records->missing;
    if (records->missing > 0 && records->sufficient > contents->capacity)
        contents->capacity = records->sufficient;
    for (uint32_t i = 0; i < records->slot_count; ++i)
        take_shader(contents, records->slots[i].shader);
}

static bool take_chunk(struct contents *contents, const struct ws_chunk *chunk)
{
    if (!ws_catalog_record(&contents->catalog, chunk, &contents->error) ||
        !ws_overview_record(&contents->overview, chunk, &contents->error))
        return false;
    if (chunk->type == WS_CHUNK_SITES)
        return take_sites(contents, &chunk->sites);
    if (chunk->type == WS_CHUNK_RECORDS)
        take_records(contents, &chunk->records);
    for (uint32_t i = 0; chunk->type == WS_CHUNK_SUBMISSION && i < chunk->submission.launch_count; ++i)
        for (uint32_t j = 0; j < chunk->submission.launches[i].shader_count; ++j)
            take_shader(contents, chunk->submission.launches[i].shaders[j].shader);
    if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind == WS_SKIP_DEVICE)
        keep(contents->refusal, sizeof(contents->refusal), chunk->skip.reason);
    else if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_SITE &&
             chunk->skip.kind != WS_SKIP_NO_PLACE)
        keep(contents->shader_refusal, sizeof(contents->shader_refusal), chunk->skip.reason);
    return true;
}

/* The capture is read for no longer than this; then the message is about its first part. */
#define PATIENCE 3 /* seconds */

static void look_into(const char *path, struct contents *contents)
{
    struct ws_chunk chunk;
    time_t start = time(NULL);
    memset(contents, 0, sizeof(*contents));
    ws_catalog_init(&contents->catalog);
    ws_overview_begin(&contents->overview);
    struct ws_reader *reader = ws_reader_open(path, &contents->error);
    if (reader == NULL)
        return;
    enum ws_read_result result = ws_reader_next(reader, &chunk, &contents->error);
    while (result == WS_READ_CHUNK && take_chunk(contents, &chunk) && time(NULL) - start <= PATIENCE)
        result = ws_reader_next(reader, &chunk, &contents->error);
    contents->whole = result == WS_READ_END;
    ws_overview_end(&contents->overview, reader);
    ws_reader_destroy(reader);
}

static void finish_contents(struct contents *contents)
{
    ws_catalog_finish(&contents->catalog);
    ws_overview_finish(&contents->overview);
    free(contents->placed);
}

/* Writes a size such as "1.5 MB" into `text`, and returns it. */
static const char *size_text(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    size_t unit = 0;
    for (; size >= 1000 && unit < 4; size /= 1000)
        unit++;
    snprintf(text, 32, "%.*f %s", unit > 0 ? 1 : 0, size, units[unit]);
    return text;
}

/* Says why a capture holds nothing. */
static void say_nothing(const char *path, const struct contents *contents)
{
    const struct ws_overview *overview = &contents->overview;
    if (contents->error.message[0] != '\0')
        ws_say("the capture cannot be read: %s", contents->error.message);
    else if (contents->refusal[0] != '\0')
        ws_say("'%s' holds nothing: the device could not be instrumented: %s", path, contents->refusal);
    else if (!overview->reading.closed)
        ws_say("'%s' holds nothing: it was cut short before the first counts came", path);
    else if (contents->catalog.device_count == 0)
        ws_say("'%s' holds nothing: no Vulkan device was created", path);
    else if (overview->outside > 0)
        ws_say("'%s' holds nothing: %" PRIu64 " launch%s ran, outside the range that was chosen "
               "(frames are counted by presents: without one, all is frame 0)",
               path, overview->outside, ws_plural(overview->outside, "es"));
    else if (contents->shader_refusal[0] != '\0')
        ws_say("'%s' holds nothing: no shader that ran was instrumented: %s", path, contents->shader_refusal);
    else if (overview->no_place.count > 0)
        ws_say("'%s' holds nothing: no shader that ran does anything that the passes record", path);
    else
        ws_say(
            "'%s' holds nothing: no trace, dispatch or draw was submitted that runs an instrumented shader",
            path);
}

/* Names the passes that have no sites in any shader that ran. Returns whether another pass has some. */
static bool say_passes(const char *path, const struct contents *contents)
{
    const struct ws_overview *overview = &contents->overview;
    char names[256] = "";
    uint32_t idle = 0;
    for (uint32_t i = 0; i < overview->pass_count && i < 32 && contents->whole; ++i)
        if ((contents->ran >> i & 1) == 0) {
            ws_append_name(names, sizeof(names), overview->passes[i]);
            idle++;
        }
    bool nothing = idle > 0 && idle == overview->pass_count;
    if (idle > 0)
        ws_say("'%s' holds nothing of %s: no shader that ran does anything that %s", path, names,
               idle == 1 ? "this pass records" : "these passes record");
    return !nothing;
}

/* Says what one capture holds. Returns whether that is anything. */
static bool say_counted(const char *path, const struct contents *contents)
{
    char bytes[32];
    char stored[32];
    uint64_t needed = (4 * contents->capacity + 1023) / 1024;
    bool any = say_passes(path, contents);
    if (contents->missing > 0)
        ws_say("%s of records did not fit into the device's buffer: record again with --buffer %" PRIu64
               "K --buffer-limit %" PRIu64 "K, or fewer warps (--threads, --pixels, --tile)",
               size_text(4 * contents->missing, bytes), needed, needed);
    if (any && contents->bytes > 0)
        ws_say("captured to '%s': %s%s of records, in a file of %s; next: warpscope report '%s'", path,
               contents->whole ? "" : "more than ", size_text(contents->bytes, bytes),
               size_text(contents->overview.reading.bytes, stored), path);
    else if (any)
        ws_say("captured to '%s'; next: warpscope report '%s'", path, path);
    if (contents->whole && (contents->overview.reading.broken || !contents->overview.reading.closed))
        ws_say("'%s' is cut short: the program ended, or could not write, before the capture was whole",
               path);
    return any;
}

/* Says all about one capture. Returns whether it holds anything. */
static bool say_capture(const char *path)
{
    struct contents contents;
    look_into(path, &contents);
    bool any = contents.counted;
    if (any)
        any = say_counted(path, &contents);
    else
        say_nothing(path, &contents);
    finish_contents(&contents);
    return any;
}

/* Whether the file was written in this run. Both times are from the coarse clock that file systems use. */
static bool is_new(const char *path, uint64_t start)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_mtim.tv_sec * NANOSECONDS + (uint64_t)status.st_mtim.tv_nsec >= start;
}

/* Whether `name` is `output` with a process id before its extension: "run.wscope" and "run.123.wscope", or
 * "run.123-2.wscope" for a further capture of that process. */
static bool is_sibling(const char *name, const char *output)
{
    const char *dot = strrchr(output, '.');
    size_t stem = dot != NULL ? (size_t)(dot - output) : strlen(output);
    if (strncmp(name, output, stem) != 0 || name[stem] != '.' || !isdigit((unsigned char)name[stem + 1]))
        return false;
    const char *rest = name + stem + 1;
    rest += strspn(rest, "0123456789");
    if (rest[0] == '-' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    return strcmp(rest, dot != NULL ? dot : "") == 0;
}

/* Says all about the captures of further processes. Returns how many there are, and sets `*counted` when one
 * holds something. */
static unsigned say_siblings(const char *output, uint64_t start, bool *counted)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(output, '/');
    unsigned count = 0;
    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - output + 1) : 2,
             slash != NULL ? output : "./");
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return 0;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[PATH_MAX + NAME_MAX + 1];
        snprintf(path, sizeof(path), "%s%s", folder, entry->d_name);
        if (!is_sibling(entry->d_name, slash != NULL ? slash + 1 : output) || !is_new(path, start))
            continue;
        *counted = say_capture(path) || *counted;
        count++;
    }
    closedir(entries);
    return count;
}

bool ws_record_result_say(const char *output, uint64_t start)
{
    bool counted = false;
    unsigned count = is_new(output, start) ? 1 : 0;
    if (count > 0)
        counted = say_capture(output);
    count += say_siblings(output, start, &counted);
    if (count == 0)
        ws_say("no capture was made: the program created no Vulkan device, or its loader did not load the "
               "layer (VK_LOADER_DEBUG=layer tells)");
    return counted;
}
