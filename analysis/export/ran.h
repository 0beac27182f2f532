/* The first columns of tables whose rows come from records: the launch, and the shader that ran in it. */
#ifndef WS_ANALYSIS_EXPORT_RAN_H
#define WS_ANALYSIS_EXPORT_RAN_H

#include "analysis/export/fields.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/selection.h"

/* The first member of a row. Zero-initialised, with `shader_index` WS_NONE, none has come yet. */
struct ws_export_ran {
    uint64_t launch; /* index, set before the first look-up */
    const char *pipeline_name;
    const char *stage;
    uint32_t shader; /* id */
    const char *shader_name;

    /* What is no column of it. */
    uint32_t shader_index; /* in the catalog */
    uint32_t pipeline;     /* id; WS_NONE = not known */
    bool chosen;
};

/* The columns; `always` and `of_pipeline` are bits of what is known of a row (fields.h). */
#define WS_EXPORT_RAN_FIELDS(always, of_pipeline)                                                            \
    {"launch", WS_EXPORT_LONG, offsetof(struct ws_export_ran, launch), always, "index of the launch"},       \
        {"pipeline_name", WS_EXPORT_TEXT, offsetof(struct ws_export_ran, pipeline_name), of_pipeline,        \
         "as reports show it"},                                                                              \
        {"stage", WS_EXPORT_TEXT, offsetof(struct ws_export_ran, stage), always,                             \
         "raygen, compute, fragment, ..."},                                                                  \
        {"shader", WS_EXPORT_NUMBER, offsetof(struct ws_export_ran, shader), always, NULL},                  \
    {                                                                                                        \
        "shader_name", WS_EXPORT_TEXT, offsetof(struct ws_export_ran, shader_name), always,                  \
            "id in the capture; name as reports show it"                                                     \
    }

/* Says that a shader ran, by its index in the catalog: mostly the one before. */
void ws_export_ran_find(struct ws_export_ran *ran, const struct ws_catalog *catalog,
                        const struct ws_selection *selection, uint32_t shader);

#endif
