#include "record_result.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "warpscope/reader.h"

#define NANOSECONDS UINT64_C(1000000000)

/* What a capture holds, as far as it matters here. */
struct contents {
    uint64_t devices;
    uint64_t submissions;
    uint64_t outside;
    bool counted;             /* some invocation has counters */
    bool closed;              /* as far as it was read */
    char refusal[256];        /* why a device could not be instrumented; "" = none was refused */
    char shader_refusal[256]; /* the same of the first shader or pipeline left alone */
    struct ws_error error;
};

static void keep(char *text, size_t size, const char *reason)
{
    if (text[0] == '\0')
        snprintf(text, size, "%s", reason);
}

static void take_chunk(struct contents *contents, const struct ws_chunk *chunk)
{
    if (chunk->type == WS_CHUNK_DEVICE) {
        contents->devices++;
    } else if (chunk->type == WS_CHUNK_SUBMISSION) {
        contents->submissions++;
        for (uint32_t i = 0; i < chunk->submission.invocation_count; ++i)
            contents->counted = contents->counted || chunk->submission.invocations[i].shader_count > 0;
    } else if (chunk->type == WS_CHUNK_DONE) {
        contents->outside = chunk->done.outside;
    } else if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind == WS_SKIP_DEVICE) {
        keep(contents->refusal, sizeof(contents->refusal), chunk->skip.reason);
    } else if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_SITE) {
        keep(contents->shader_refusal, sizeof(contents->shader_refusal), chunk->skip.reason);
    }
}

/* Reads until something is found to be counted, which in a good capture is soon. */
static void look_into(const char *path, struct contents *contents)
{
    struct ws_chunk chunk;
    memset(contents, 0, sizeof(*contents));
    struct ws_reader *reader = ws_reader_open(path, &contents->error);
    while (reader != NULL && !contents->counted &&
           ws_reader_next(reader, &chunk, &contents->error) == WS_READ_CHUNK)
        take_chunk(contents, &chunk);
    contents->closed = reader != NULL && ws_reader_summary(reader)->closed;
    ws_reader_destroy(reader);
}

/* One line about one capture. Returns whether anything is counted in it. */
static bool say_capture(const char *path)
{
    struct contents contents;
    look_into(path, &contents);
    if (contents.counted)
        ws_say("captured to '%s'; next: warpscope report '%s'", path, path);
    else if (contents.error.message[0] != '\0')
        ws_say("the capture cannot be read: %s", contents.error.message);
    else if (contents.refusal[0] != '\0')
        ws_say("'%s' holds nothing: the device could not be instrumented: %s", path, contents.refusal);
    else if (!contents.closed)
        ws_say("'%s' holds nothing: it was cut short before the first counts came", path);
    else if (contents.devices == 0)
        ws_say("'%s' holds nothing: no Vulkan device was created", path);
    else if (contents.outside > 0)
        ws_say("'%s' holds nothing: %" PRIu64 " invocation%s ran, outside the range that was chosen "
               "(frames are counted by presents: without one, all is frame 0)",
               path, contents.outside, contents.outside == 1 ? "" : "s");
    else if (contents.shader_refusal[0] != '\0')
        ws_say("'%s' holds nothing: no shader that ran was instrumented: %s", path, contents.shader_refusal);
    else
        ws_say(
            "'%s' holds nothing: no trace, dispatch or draw was submitted that runs an instrumented shader",
            path);
    return contents.counted;
}

/* Whether the file was written in this run. Both times are of the coarse clock that file systems use. */
static bool is_new(const char *path, uint64_t start)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_mtim.tv_sec * NANOSECONDS + (uint64_t)status.st_mtim.tv_nsec >= start;
}

/* Whether `name` is `output` with a process id before its extension: "run.wscope" and "run.123.wscope". */
static bool is_sibling(const char *name, const char *output)
{
    const char *dot = strrchr(output, '.');
    size_t stem = dot != NULL ? (size_t)(dot - output) : strlen(output);
    if (strncmp(name, output, stem) != 0 || name[stem] != '.' || !isdigit((unsigned char)name[stem + 1]))
        return false;
    const char *rest = name + stem + 1;
    rest += strspn(rest, "0123456789");
    return strcmp(rest, dot != NULL ? dot : "") == 0;
}

/* The captures of further processes. Returns how many; `*counted` when one holds something. */
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
