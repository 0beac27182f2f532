/* Writes what is installed beside the command, from its table.
 *
 *   generate manual FOLDER COMMAND...    warpscope.1, and warpscope-COMMAND.1 for each command
 *   generate completion FOLDER           warpscope for bash, _warpscope for zsh, warpscope.fish
 *
 * The build names the commands, because it must know the files. It is an error if these are not all. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/completion.h"
#include "analysis/command/manual.h"

static FILE *open_file(const char *folder, const char *before, const char *name, const char *after)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s%s%s", folder, before, name, after);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        ws_say("cannot write '%s': %s", path, strerror(errno));
    return file;
}

/* Closes a file. False if it could not be written. */
static bool finish_file(FILE *file)
{
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

static bool write_manual(const char *folder, int count, char *const *names)
{
    FILE *file = open_file(folder, "warpscope", "", ".1");
    if (file == NULL)
        return false;
    ws_manual_write(file);
    bool written = finish_file(file);
    for (int i = 0; i < count && written; ++i) {
        const struct ws_command *command = ws_command_find(names[i]);
        file = command != NULL ? open_file(folder, "warpscope-", names[i], ".1") : NULL;
        if (file != NULL)
            ws_manual_write_command(command, file);
        written = file != NULL && finish_file(file);
    }
    for (size_t i = 0; ws_commands[i] != NULL && written; ++i)
        for (int j = 0; j <= count; ++j)
            if (j == count) {
                ws_say("the build knows no command '%s': add it to commands in meson.build",
                       ws_commands[i]->name);
                return false;
            } else if (strcmp(ws_commands[i]->name, names[j]) == 0) {
                break;
            }
    return written;
}

static bool write_completion(const char *folder)
{
    static const struct {
        const char *name;
        void (*write)(FILE *stream);
    } shells[] = {{"warpscope", ws_completion_write_bash},
                  {"_warpscope", ws_completion_write_zsh},
                  {"warpscope.fish", ws_completion_write_fish}};
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); ++i) {
        FILE *file = open_file(folder, "", shells[i].name, "");
        if (file == NULL)
            return false;
        shells[i].write(file);
        if (!finish_file(file))
            return false;
    }
    return true;
}

int main(int argument_count, char **arguments)
{
    bool written = false;
    if (argument_count > 2 && strcmp(arguments[1], "manual") == 0)
        written = write_manual(arguments[2], argument_count - 3, arguments + 3);
    else if (argument_count == 3 && strcmp(arguments[1], "completion") == 0)
        written = write_completion(arguments[2]);
    else
        ws_say("generate manual FOLDER COMMAND..., or generate completion FOLDER");
    return written ? WS_EXIT_GOOD : WS_EXIT_FAILED;
}
