/* glslang by its C interface. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>

#include "analysis/probe/glslang.h"

bool ws_glslang_is_built(void)
{
    return true;
}

/* Adds to the log. Without memory the log stays shorter. */
static void add_log(struct ws_glslang_result *result, const char *text)
{
    const size_t old = result->log != NULL ? strlen(result->log) : 0;
    char *grown = text != NULL ? realloc(result->log, old + strlen(text) + 2) : NULL;
    if (grown == NULL)
        return;
    strcpy(grown + old, text);
    strcat(grown, "\n");
    result->log = grown;
}

static bool generate(glslang_shader_t *shader, const glslang_input_t *input, struct ws_glslang_result *result)
{
    glslang_program_t *program = glslang_program_create();
    glslang_spv_options_t options = {.disable_optimizer = true};
    bool good = false;
    if (program == NULL)
        return false;
    glslang_program_add_shader(program, shader);
    if (!glslang_program_link(program, (int)input->messages)) {
        add_log(result, glslang_program_get_info_log(program));
        goto error;
    }
    glslang_program_SPIRV_generate_with_options(program, input->stage, &options);
    result->word_count = glslang_program_SPIRV_get_size(program);
    if (result->word_count == 0) {
        add_log(result, glslang_program_SPIRV_get_messages(program));
        goto error;
    }
    result->words = calloc(result->word_count, sizeof(*result->words));
    if (result->words == NULL)
        goto error;
    glslang_program_SPIRV_get(program, result->words);
    good = true;
error:
    glslang_program_delete(program);
    return good;
}

static bool compile(const struct ws_glslang_request *request, struct ws_glslang_result *result)
{
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = request->is_fragment ? GLSLANG_STAGE_FRAGMENT : GLSLANG_STAGE_COMPUTE,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_1,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_3,
        .code = request->text,
        .default_version = 460,
        .default_profile = GLSLANG_NO_PROFILE,
        /* Cascading errors: all are told, so that the bodies of one line are tried in one reading. */
        .messages = (glslang_messages_t)(GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT |
                                         GLSLANG_MSG_CASCADING_ERRORS_BIT),
        .resource = glslang_default_resource(),
    };
    glslang_shader_t *shader = glslang_shader_create(&input);
    if (shader == NULL)
        return false;
    const bool is_read = glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input);
    add_log(result, glslang_shader_get_info_log(shader));
    const bool good = is_read && (request->only_read || generate(shader, &input, result));
    glslang_shader_delete(shader);
    return good;
}

/* ---- The process that compiles, and what it sends ---- */

/* Before the words and the text of the log. */
struct answer {
    uint64_t word_count;
    uint64_t log_length;
    bool good;
};

static void set_limit(int resource, rlim_t value)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value ? value : limit.rlim_max;
    setrlimit(resource, &limit);
}

/* Bytes of address space that this process has. Sanitizers take terabytes of it. */
static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void compile_and_send(const struct ws_glslang_request *request, int descriptor)
{
    struct ws_glslang_result result = {0};
    struct answer answer = {0};
    FILE *stream = fdopen(descriptor, "w");
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, request->seconds > 0 ? request->seconds : WS_GLSLANG_SECONDS);
    set_limit(RLIMIT_AS, address_space() + WS_GLSLANG_MEMORY);
    /* As at the start: what the caller has set up for its own end is none of this process's. Nor are signals that its thread
     * blocks: SIGXCPU would never end what does not end. */
    sigset_t all;
    sigfillset(&all);
    signal(SIGXCPU, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    answer.good = compile(request, &result);
    answer.word_count = result.words != NULL ? result.word_count : 0;
    answer.log_length = result.log != NULL ? strlen(result.log) : 0;
    const bool sent = stream != NULL && fwrite(&answer, sizeof(answer), 1, stream) == 1 &&
                      fwrite(result.words, 4, answer.word_count, stream) == answer.word_count &&
                      fwrite(result.log, 1, answer.log_length, stream) == answer.log_length &&
                      fflush(stream) == 0;
    _exit(sent ? 0 : 1);
}

/* Reads so many bytes, whatever signals the caller handles meanwhile. False where they end before. */
static bool read_all(int descriptor, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        const ssize_t count = read(descriptor, at, size);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* False where the other process ended before it had sent everything, or there is no memory. */
static bool receive(int descriptor, struct ws_glslang_result *result, bool *good)
{
    struct answer answer;
    bool received = false;
    if (!read_all(descriptor, &answer, sizeof(answer)))
        goto error;
    result->word_count = answer.word_count;
    result->words = answer.word_count > 0 ? calloc(answer.word_count, 4) : NULL;
    result->log = calloc(answer.log_length + 1, 1);
    if (result->log == NULL || (result->words == NULL && answer.word_count > 0))
        goto error;
    *good = answer.good;
    received = read_all(descriptor, result->words, 4 * answer.word_count) &&
               read_all(descriptor, result->log, answer.log_length);
error:
    close(descriptor);
    return received;
}

static void explain(const struct ws_glslang_request *request, int status, struct ws_error *failure)
{
    const uint32_t seconds = request->seconds > 0 ? request->seconds : WS_GLSLANG_SECONDS;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        ws_error_set(failure,
                     "glslang was still at it after %" PRIu32
                     " s of processor time, and was ended: make the probe smaller (a macro that names others "
                     "doubles with each of them)",
                     seconds);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        ws_error_set(failure, "glslang found no more memory, or gave up: make the probe smaller");
    else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE)
        ws_error_set(failure, "glslang crashed (%s): make the probe simpler, or try a newer glslang",
                     strsignal(WTERMSIG(status)));
    else
        ws_error_set(failure, "there is no memory for what glslang made");
}

/* glslang reads the built-in functions of a kind of shader when it meets the first one. The first ones are met here, so that
 * the processes have them from the start. */
static bool warm_up(void)
{
    static bool is_ready;
    if (!is_ready && glslang_initialize_process())
        for (int is_fragment = 0; is_fragment < 2; is_fragment++) {
            const struct ws_glslang_request request = {.text = "#version 460\nvoid main() { }\n",
                                                       .is_fragment = is_fragment != 0,
                                                       .only_read = true};
            struct ws_glslang_result result = {0};
            is_ready = compile(&request, &result);
            free(result.log);
        }
    return is_ready;
}

bool ws_glslang_compile(const struct ws_glslang_request *request, struct ws_glslang_result *result)
{
    int ends[2];
    int status = 0;
    bool good = false;
    *result = (struct ws_glslang_result){0};
    if (!warm_up())
        return ws_error_set(&result->failure, "glslang does not start");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ws_error_set(&result->failure, "no pipe to glslang: %s", strerror(errno));
    const pid_t process = fork();
    if (process < 0) {
        ws_error_set(&result->failure, "no process for glslang: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (process == 0) {
        close(ends[0]);
        compile_and_send(request, ends[1]);
    }
    close(ends[1]);
    const bool received = receive(ends[0], result, &good);
    pid_t ended;
    while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR)
        continue;
    if (!received && ended < 0)
        ws_error_set(&result->failure,
                     "glslang ended early, and why is not known: SIGCHLD is ignored, or handled by others");
    else if (!received)
        explain(request, status, &result->failure);
    return received && good;
}
