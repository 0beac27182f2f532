#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/stage.h"

struct ws_settings *ws_settings_create(const void *chain, struct ws_error *error)
{
    (void)chain;
    struct ws_settings *settings = calloc(1, sizeof(*settings));
    if (settings == NULL) {
        ws_error_set(error, "out of memory");
        return NULL;
    }
    const char *passes = getenv("WARPSCOPE_PASSES");
    const char *output = getenv("WARPSCOPE_OUTPUT");
    settings->passes = calloc(1, sizeof(*settings->passes));
    if (passes != NULL && passes[0] != '\0') {
        settings->passes[0] = strdup(passes);
        settings->pass_count = 1;
    }
    settings->output = strdup(output != NULL ? output : "%n-%p.wscope");
    settings->trigger = strdup("");
    settings->shaders = strdup("");
    settings->dump_shaders = strdup("");
    settings->frames.last = settings->invocations.last = UINT64_MAX;
    settings->stages = WS_STAGES_ALL;
    return settings;
}

void ws_settings_destroy(struct ws_settings *settings)
{
    if (settings == NULL)
        return;
    for (size_t i = 0; i < settings->pass_count; i++)
        free((char *)settings->passes[i]);
    free(settings->passes);
    free(settings->output);
    free(settings->trigger);
    free(settings->shaders);
    free(settings->dump_shaders);
    free(settings);
}
