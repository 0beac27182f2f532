/* The one table of the layer's settings: the layer reads them by it, the build writes the manifests of
 * it. Knows no Vulkan. */
#ifndef WS_LAYER_CORE_SETTINGS_TABLE_H
#define WS_LAYER_CORE_SETTINGS_TABLE_H

#include <stddef.h>

#define WS_LAYER_NAME        "VK_LAYER_WARPSCOPE_capture"
#define WS_LAYER_DESCRIPTION "Warpscope: what really happens inside the shaders of an application"

enum ws_setting_id {
    WS_SETTING_PASSES,
    WS_SETTING_OUTPUT,
    WS_SETTING_FRAMES,
    WS_SETTING_LAUNCHES,
    WS_SETTING_TRIGGER,
    WS_SETTING_STAGES,
    WS_SETTING_SHADERS,
    WS_SETTING_PER_BLOCK,
    WS_SETTING_MAX_SITES,
    WS_SETTING_DUMP_SHADERS,
    WS_SETTING_BUFFER_SIZE,
    WS_SETTING_BUFFER_LIMIT,
    WS_SETTING_THREADS,
    WS_SETTING_PIXELS,
    WS_SETTING_TILE,
    WS_SETTING_GEOMETRY,
    WS_SETTING_LOG_LEVEL,
    WS_SETTING_COUNT,
};

/* Types as vkconfig names them. */
enum ws_setting_type {
    WS_SETTING_TYPE_STRING,
    WS_SETTING_TYPE_BOOL,
    WS_SETTING_TYPE_INT,
    WS_SETTING_TYPE_ENUM,
    WS_SETTING_TYPE_FLAGS,
    WS_SETTING_TYPE_LOAD_FILE,
    WS_SETTING_TYPE_SAVE_FILE,
    WS_SETTING_TYPE_SAVE_FOLDER,
};

struct ws_setting {
    const char *key;
    enum ws_setting_type type;
    const char *default_value; /* as a setting's text */
    const char *label;         /* for people, in vkconfig */
    const char *description;   /* likewise; says what is allowed */
};

/* By enum ws_setting_id. */
extern const struct ws_setting ws_setting_table[WS_SETTING_COUNT];

/* Option `index` of an ENUM or FLAGS setting, NULL after the last. Static string. */
const char *ws_setting_option(enum ws_setting_id id, size_t index);

/* What that option means, one line; "" where its name says it. Static string. */
const char *ws_setting_option_summary(enum ws_setting_id id, size_t index);

#endif
