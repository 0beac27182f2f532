/* The probes of a command line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/probes.h"
#include "analysis/probe/compile.h"
#include "passes/settings/settings.h"
#include "warpscope/capture.h"
#include "warpscope/probe.h"

enum { OPTION_PROBE, OPTION_TEXT };

const struct ws_option ws_probe_options[] = {
    {.name = "probe",
     .argument = "FILE",
     .id = OPTION_PROBE,
     .repeats = true,
     .help = "a probe of your own: warpscope help probes",
     .group = WS_SETTING_WHAT,
     .kind = WS_ARGUMENT_FILE},
    {.name = "expression",
     .letter = 'e',
     .argument = "TEXT",
     .id = OPTION_TEXT,
     .repeats = true,
     .help = "a probe of one line, as below",
     .group = WS_SETTING_WHAT},
    {NULL},
};

bool ws_take_probe(void *probes, const struct ws_option *option, const char *value, struct ws_error *error)
{
    return ws_command_probes_add(probes, value, option->id == OPTION_TEXT, error);
}

/* The file's name without folders and endings, with letters that names of probes have. */
static void name_of_file(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/');
    const char *begin = slash != NULL ? slash + 1 : path;
    const size_t length = strcspn(begin, ".");
    snprintf(name, 48, "%.*s", (int)(length < 47 ? length : 47), length > 0 ? begin : "probe");
    for (char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
              *c == '-'))
            *c = '_';
}

static bool is_taken(const struct ws_command_probes *probes, uint32_t before, const char *name)
{
    for (uint32_t i = 0; i < before; i++)
        if (strcmp(probes->items[i].name, name) == 0)
            return true;
    return false;
}

/* Makes the name of a probe one that those before it have not: nan, nan_2, nan_3. */
static void make_unique(struct ws_command_probes *probes, uint32_t index)
{
    char stem[64];
    memcpy(stem, probes->items[index].name, sizeof(stem));
    for (uint32_t number = 2; is_taken(probes, index, probes->items[index].name); number++)
        snprintf(probes->items[index].name, sizeof(stem), "%.47s_%" PRIu32, stem, number);
}

bool ws_command_probes_add(struct ws_command_probes *probes, const char *argument, bool is_one_line,
                           struct ws_error *error)
{
    if (probes->count == WS_PROBES_MAX)
        return ws_error_set(error, "at most %d probes can be given", WS_PROBES_MAX);
    struct ws_command_probe *probe = &probes->items[probes->count];
    *probe = (struct ws_command_probe){.argument = argument, .is_one_line = is_one_line};
    if (is_one_line)
        snprintf(probe->name, sizeof(probe->name), "e");
    else
        name_of_file(argument, probe->name);
    make_unique(probes, probes->count++);
    return true;
}

/* The bytes of a file and a NUL; NULL and `error` where it cannot be read. */
static char *read_bytes(const char *path, size_t *size, struct ws_error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    char *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    if (file == NULL) {
        ws_error_set(error, "cannot read the probe '%s': %s%s", path, strerror(errno),
                     errno == ENOENT ? "; -e takes a text" : "");
        return NULL;
    }
    for (size_t got = 1; got > 0; *size += got) {
        if (*size + 1 >= capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1u << 14;
            char *larger = capacity <= 1u << 25 ? realloc(bytes, capacity) : NULL;
            if (larger == NULL) {
                ws_error_set(error, "the probe '%s' is too large", path);
                goto error;
            }
            bytes = larger;
        }
        got = fread(bytes + *size, 1, capacity - *size - 1, file);
    }
    if (ferror(file)) {
        ws_error_set(error, "cannot read the probe '%s': %s", path, strerror(errno));
        goto error;
    }
    if (file != stdin)
        fclose(file);
    bytes[*size] = '\0';
    return bytes;
error:
    if (file != stdin)
        fclose(file);
    free(bytes);
    return NULL;
}

/* Takes a text that is a compiled probe. */
static bool take_blob(struct ws_command_probe *probe, const char *bytes, size_t size)
{
    probe->word_count = size / 4;
    probe->words = calloc(probe->word_count + 1, 4);
    if (probe->words == NULL)
        return false;
    memcpy(probe->words, bytes, size / 4 * 4);
    return true;
}

/* Complains of bytes that are no text. */
static bool is_text(const struct ws_command_probe *probe, const char *bytes, size_t size)
{
    if (strlen(bytes) == size)
        return true;
    ws_say("the probe '%s' is no text: it holds a zero byte", probe->argument);
    return false;
}

/* A probe of words. Its name there is that of its file now. */
static bool read_probe(struct ws_command_probe *probe)
{
    struct ws_error error = {{0}};
    probe->probe = ws_probe_read(probe->words, probe->word_count, &error);
    if (probe->probe == NULL)
        ws_say("the probe '%s': %s", probe->argument, error.message);
    return probe->probe != NULL;
}

static bool compile_text(struct ws_command_probe *probe, const char *text, bool quiet)
{
    const struct ws_probe_source source = {.label = probe->is_one_line ? "-e" : probe->argument,
                                           .name = probe->name,
                                           .text = text,
                                           .is_one_line = probe->is_one_line};
    struct ws_complaints complaints = {0};
    probe->words = ws_probe_compile(&source, &probe->word_count, &complaints);
    if (probe->words == NULL || !quiet)
        ws_complaints_print(&complaints, &source, stderr);
    ws_complaints_finish(&complaints);
    return probe->words != NULL;
}

static bool compile(struct ws_command_probe *probe, bool quiet)
{
    static const char magic[4] = {'W', 'S', 'P', 'B'};
    struct ws_error error = {{0}};
    size_t size = 0;
    if (probe->is_one_line)
        return compile_text(probe, probe->argument, quiet) && read_probe(probe);
    char *bytes = read_bytes(probe->argument, &size, &error);
    if (bytes == NULL) {
        ws_say("%s", error.message);
        return false;
    }
    const bool is_blob = size >= 4 && memcmp(bytes, magic, 4) == 0;
    bool good = is_blob ? take_blob(probe, bytes, size)
                        : is_text(probe, bytes, size) && compile_text(probe, bytes, quiet);
    good = good && read_probe(probe);
    free(bytes);
    return good;
}

bool ws_command_probes_compile(struct ws_command_probes *probes, bool quiet)
{
    bool good = true;
    for (uint32_t i = 0; i < probes->count; i++)
        good = compile(&probes->items[i], quiet) && good;
    /* A probe may name itself, and so may two. */
    for (uint32_t i = 0; i < probes->count && good; i++)
        for (uint32_t k = 0; k < i && good; k++)
            if (strcmp(probes->items[i].probe->name, probes->items[k].probe->name) == 0) {
                ws_say("two probes are named '%s'; name one by a line `//! name NAME`",
                       probes->items[i].probe->name);
                good = false;
            }
    return good;
}

void ws_command_probes_finish(struct ws_command_probes *probes)
{
    for (uint32_t i = 0; i < probes->count; i++) {
        ws_probe_destroy(probes->items[i].probe);
        free(probes->items[i].words);
    }
    probes->count = 0;
}
