#include "analysis/viewer/rays/ray_query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/rule.h"
#include "analysis/viewer/rays/ray_load.h"

#define RULES_MOST 32 /* bits of a mask */

/* The rays that fitted the last question: pages of one answer are asked for one after the other. */
struct last {
    uint64_t launch;
    char *filter; /* its keys and values; NULL = there is none */
    struct ws_ray_set set;
};

static void destroy_last(void *data)
{
    struct last *last = data;
    free(last->filter);
    ws_ray_set_finish(&last->set);
    free(last);
}

static struct last *last_of(struct ws_viewer_capture *capture)
{
    if (capture->parts[WS_VIEWER_PART_RAY_SET].data == NULL) {
        capture->parts[WS_VIEWER_PART_RAY_SET].data = calloc(1, sizeof(struct last));
        capture->parts[WS_VIEWER_PART_RAY_SET].destroy = destroy_last;
    }
    return capture->parts[WS_VIEWER_PART_RAY_SET].data;
}

/* Its keys of filters with their values, as one text, which no other filter has: a value may have any character, so its length
 * stands before it. NULL = no memory. */
static char *filter_text(const struct ws_viewer_query *query)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    for (uint32_t i = 0; i < query->count; ++i)
        if (ws_ray_filter_has_key(query->names[i]))
            fprintf(stream, "%s=%zu:%s&", query->names[i], strlen(query->values[i]), query->values[i]);
    return fclose(stream) == 0 ? text : NULL;
}

static bool read_filter(const struct ws_viewer_capture *capture, const struct ws_viewer_query *query,
                        struct ws_ray_filter *filter, struct ws_error *error)
{
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const char *names[RULES_MOST + 1] = {NULL};
    for (uint32_t i = 0; rules[i] != NULL && i < RULES_MOST; ++i)
        names[i] = rules[i]->name;
    for (uint32_t i = 0; i < query->count; ++i)
        if (ws_ray_filter_has_key(query->names[i]) &&
            !ws_ray_filter_add(filter, query->names[i], query->values[i],
                               &(struct ws_ray_filter_names){&capture->report.catalog, names}, error))
            return false;
    return true;
}

/* Sets the rays that fit, where they are not those of the last question. */
static bool select_rays(struct ws_viewer_capture *capture, const struct ws_viewer_query *query,
                        struct last *last, struct ws_ray_question *question, struct ws_error *error)
{
    struct ws_ray_filter filter = {.count = 0};
    char *text = filter_text(query);
    bool selected = text != NULL;
    if (selected && (last->filter == NULL || last->launch != question->launch->index ||
                     strcmp(last->filter, text) != 0)) {
        ws_ray_set_finish(&last->set);
        free(last->filter);
        last->filter = NULL;
        selected = read_filter(capture, query, &filter, error) &&
                   ws_ray_filter_select(&filter, question->store, &last->set);
        ws_ray_filter_finish(&filter);
        if (selected) {
            last->launch = question->launch->index;
            last->filter = text;
            text = NULL;
        }
    }
    free(text);
    question->set = &last->set;
    question->matches = last->set.count;
    return selected || ws_error_set(error, "no memory for the rays that fit");
}

bool ws_ray_question_read(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                          const struct ws_viewer_query *query, struct ws_ray_question *question,
                          struct ws_error *error)
{
    bool filtered = false;
    for (uint32_t i = 0; i < query->count; ++i)
        filtered = filtered || ws_ray_filter_has_key(query->names[i]);
    *question = (struct ws_ray_question){.launch = ws_viewer_launch(capture, query, error)};
    if (question->launch == NULL)
        return false;
    question->store = ws_viewer_rays(viewer, capture, question->launch, error);
    if (question->store == NULL)
        return false;
    question->matches = question->store->count;
    struct last *last = last_of(capture);
    if (last == NULL)
        return ws_error_set(error, "no memory for the rays that fit");
    return !filtered || select_rays(capture, query, last, question, error);
}

bool ws_ray_question_page(const struct ws_viewer_query *query, uint64_t usual, uint64_t most, uint64_t *first,
                          uint64_t *count, struct ws_error *error)
{
    return ws_viewer_query_number(query, "first", 0, UINT64_MAX, first, error) &&
           ws_viewer_query_number(query, "count", usual, most, count, error);
}
