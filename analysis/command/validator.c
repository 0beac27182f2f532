#include "analysis/command/validator.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "passes/spirv/spirv_tools.h"
#include "warpscope/base/text.h"

extern char **environ;

/* Runs a program with a file as its standard input, and its output and messages in another. Returns its exit
 * status; -1 and `error` where it did not run to its end. */
static int run(char *const *arguments, FILE *input, FILE *output, struct ws_error *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        ws_error_set(error, "out of memory to run '%s'", arguments[0]);
        return -1;
    }
    int failure = posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&actions, fileno(output), STDERR_FILENO);
    if (failure == 0)
        failure = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        ws_error_set(error, "cannot run '%s': %s; name a spirv-val of SPIRV-Tools", arguments[0],
                     strerror(failure));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            ws_error_set(error, "cannot wait for '%s': %s", arguments[0], strerror(errno));
            return -1;
        }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 127)
        return WEXITSTATUS(status);
    ws_error_set(error, "'%s' did not run to its end; name a spirv-val of SPIRV-Tools", arguments[0]);
    return -1;
}

/* The first line of a file, without what a terminal would act on. */
static void first_line(FILE *file, char *text, size_t size)
{
    rewind(file);
    if (fgets(text, (int)size, file) == NULL)
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    ws_text_cut(text);
    ws_text_repair(text, strlen(text));
}

/* Runs a program on a module; NULL = on nothing. `line` receives the first line that it prints. */
static int ask(char *const *arguments, const uint32_t *words, size_t word_count, char *line, size_t size,
               struct ws_error *error)
{
    int status = -1;
    FILE *input = tmpfile();
    FILE *output = tmpfile();
    if (input == NULL || output == NULL ||
        (words != NULL && fwrite(words, sizeof(*words), word_count, input) != word_count) ||
        fflush(input) != 0) {
        ws_error_set(error, "cannot write a module for '%s': %s", arguments[0], strerror(errno));
    } else {
        rewind(input);
        status = run(arguments, input, output, error);
        first_line(output, line, size);
    }
    if (input != NULL)
        fclose(input);
    if (output != NULL)
        fclose(output);
    return status;
}

bool ws_validator_accepts(const char *program, const uint32_t *words, size_t word_count,
                          struct ws_error *error)
{
    char line[WS_ERROR_SIZE / 2];
    char *const arguments[] = {(char *)program,     (char *)"--target-env",
                               (char *)"vulkan1.3", (char *)"--scalar-block-layout",
                               (char *)"-",         NULL};
    if (program == NULL)
        return ws_spirv_validate(words, word_count, error);
    const int status = ask(arguments, words, word_count, line, sizeof(line), error);
    if (status > 0)
        ws_error_set(error, "%s", line[0] != '\0' ? line : "no reason given");
    return status == 0;
}

bool ws_validator_version(const char *program, char *text, size_t size, struct ws_error *error)
{
    char *const arguments[] = {(char *)program, (char *)"--version", NULL};
    if (program == NULL) {
        snprintf(text, size, "%s", ws_spirv_tools_version());
        return true;
    }
    const int status = ask(arguments, NULL, 0, text, size, error);
    return status == 0 || (status > 0 && ws_error_set(error,
                                                      "'%s' does not tell its version; name a spirv-val of "
                                                      "SPIRV-Tools",
                                                      program));
}
