/* The probes of a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/record/record_probes.h"
#include "analysis/command/record/temporary_folder.h"
#include "passes/settings/settings.h"

/* The file of probe `index`. False where the path is too long. */
static bool path_of(const struct ws_record_probes *probes, uint32_t index, char path[PATH_MAX])
{
    const int length = snprintf(path, PATH_MAX, "%s/%" PRIu32 ".wsprobe", probes->folder, index);
    return length > 0 && length < PATH_MAX;
}

static bool write_probe(const struct ws_record_probes *probes, uint32_t index)
{
    const struct ws_command_probe *probe = &probes->list.items[index];
    char path[PATH_MAX];
    FILE *file = path_of(probes, index, path) ? fopen(path, "wbxe") : NULL;
    bool written = file != NULL && fwrite(probe->words, 4, probe->word_count, file) == probe->word_count;
    if (file != NULL)
        written = fclose(file) == 0 && written;
    if (!written)
        ws_say("cannot write a probe into '%s': %s", probes->folder, strerror(errno));
    return written;
}

/* What the setting is already, from the environment; NULL = nothing. */
static const char *value_before(const char **variable,
                                char names[WS_SETTING_VARIABLES][WS_SETTING_VARIABLE_SIZE])
{
    *variable = ws_setting_variable(WS_SETTING_PROBES, 0, names[0]);
    for (unsigned i = 0; i < WS_SETTING_VARIABLES; ++i) {
        const char *value = getenv(ws_setting_variable(WS_SETTING_PROBES, i, names[i]));
        if (value != NULL && value[0] != '\0')
            return value;
    }
    return NULL;
}

static bool set_setting(const struct ws_record_probes *probes)
{
    char names[WS_SETTING_VARIABLES][WS_SETTING_VARIABLE_SIZE];
    const char *variable = NULL;
    const char *before = value_before(&variable, names);
    const size_t size = (before != NULL ? strlen(before) + 1 : 0) + (size_t)probes->list.count * PATH_MAX + 1;
    char *value = malloc(size);
    size_t used = 0;
    if (value == NULL) {
        ws_say("no memory for the probes");
        return false;
    }
    value[0] = '\0';
    if (before != NULL)
        used = (size_t)snprintf(value, size, "%s", before);
    for (uint32_t i = 0; i < probes->list.count; ++i) {
        char path[PATH_MAX];
        if (path_of(probes, i, path))
            used += (size_t)snprintf(value + used, size - used, "%s%s", used > 0 ? ":" : "", path);
    }
    const bool set = setenv(variable, value, 1) == 0;
    free(value);
    if (!set)
        ws_say("no memory for the environment of the program");
    return set;
}

bool ws_record_probes_set(struct ws_record_probes *probes, bool quiet)
{
    if (probes->list.count == 0)
        return true;
    if (!ws_command_probes_compile(&probes->list, quiet) ||
        !ws_temporary_folder_make(probes->folder, "probes", ":")) /* paths in the setting stand between ":" */
        return false;
    for (uint32_t i = 0; i < probes->list.count; ++i)
        if (!write_probe(probes, i))
            return false;
    return set_setting(probes);
}

void ws_record_probes_remove(struct ws_record_probes *probes)
{
    ws_temporary_folder_remove(probes->folder);
    ws_command_probes_finish(&probes->list);
    *probes = (struct ws_record_probes){.folder = ""};
}
