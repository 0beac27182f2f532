/* The kind of report `recommendations`: what all advisers (advice.h) say of a capture. */
#ifndef WS_ANALYSIS_ADVICE_RECOMMENDATIONS_H
#define WS_ANALYSIS_ADVICE_RECOMMENDATIONS_H

#include "analysis/report/analysis.h"
#include "analysis/scene/recommendations_preview.h"

struct ws_recommendations {
    struct ws_rays *rays; /* first: ws_rays_replay_of */
    const struct ws_catalog *catalog;
    struct ws_preview preview;
    struct ws_advice_input input;
    struct ws_advice_run *run;
    struct ws_advice_list *list;
    struct ws_advice_launch launch; /* under way */
    struct ws_scene_matcher *own;   /* its matcher, where the preview has none */
    uint32_t table_rows;            /* ws_analysis_options.rows */
    uint32_t pass;                  /* index of ray_events among the capture's passes; WS_NONE */
    bool sampled;                   /* only some threads left records */
    bool truncated;                 /* records are missing */
    bool skipped;                   /* something was left uninstrumented */
    bool closed;                    /* the capture is there to its end */
    uint64_t rays_seen;
};

/* "any_hit", ...: of enum ws_saving; in words: "any-hit runs". And of enum ws_certainty. */
const char *ws_saving_name(uint32_t saves);
const char *ws_saving_words(uint32_t saves);
const char *ws_certainty_name(uint32_t certainty);

bool ws_recommendations_text(const void *results, FILE *stream);
bool ws_recommendations_json(const void *results, cJSON *object);
bool ws_recommendations_csv(const void *results, FILE *stream);

#endif
