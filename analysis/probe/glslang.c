/* glslang by its C interface. */
#include <stdlib.h>
#include <string.h>

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

bool ws_glslang_compile(const char *text, bool is_fragment, bool only_read, struct ws_glslang_result *result)
{
    static bool is_ready;
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = is_fragment ? GLSLANG_STAGE_FRAGMENT : GLSLANG_STAGE_COMPUTE,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_1,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_3,
        .code = text,
        .default_version = 460,
        .default_profile = GLSLANG_NO_PROFILE,
        /* Cascading errors: all are told, so that the bodies of one line are tried in one reading. */
        .messages = (glslang_messages_t)(GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT |
                                         GLSLANG_MSG_CASCADING_ERRORS_BIT),
        .resource = glslang_default_resource(),
    };
    *result = (struct ws_glslang_result){0};
    if (!is_ready && !glslang_initialize_process())
        return false;
    is_ready = true;
    glslang_shader_t *shader = glslang_shader_create(&input);
    if (shader == NULL)
        return false;
    const bool is_read = glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input);
    add_log(result, glslang_shader_get_info_log(shader));
    const bool good = is_read && (only_read || generate(shader, &input, result));
    glslang_shader_delete(shader);
    return good;
}
