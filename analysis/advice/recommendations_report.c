/* How recommendations are shown: text, JSON and CSV from the same list. */
#include <inttypes.h>
#include <string.h>

#include "analysis/advice/recommendations.h"
#include "analysis/advice/subject.h"
#include "analysis/output/csv.h"
#include "analysis/output/json.h"
#include "passes/base/text.h"

#define WIDTH      100 /* of a line */
#define INDENT     17  /* of what stands behind a name */
#define USUAL_ROWS 30

/* Prints a text behind its name, broken at spaces. */
static void print_field(const char *name, const char *text, FILE *stream)
{
    size_t column = INDENT;
    fprintf(stream, "     %-*s", INDENT - 5, name);
    for (const char *word = text; *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        const size_t width = column + (column > INDENT) + length;
        if (width > WIDTH && column > INDENT)
            fprintf(stream, "\n%*s", INDENT, "");
        else if (column > INDENT)
            fputc(' ', stream);
        ws_text_print_part(stream, word, length);
        column = width > WIDTH ? INDENT + length : width;
        word += length;
    }
    fputc('\n', stream);
}

static void print_saving(const struct ws_advice *advice, FILE *stream)
{
    char text[160] = "nothing that can be counted";
    if (advice->saves != WS_SAVES_NOTHING && advice->saving > 0)
        snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 " %s (%.1f %%)", advice->saving, advice->of,
                 ws_saving_words(advice->saves), ws_percent(advice->saving, advice->of));
    print_field("saves", text, stream);
}

static void print_item(const struct ws_advice_item *item, size_t number, FILE *stream)
{
    const struct ws_advice *advice = &item->advice;
    char text[256];
    fprintf(stream, "\n%3zu. %s (%s)\n", number, item->adviser->title, item->adviser->name);
    print_field("of", advice->subject, stream);
    print_saving(advice, stream);
    print_field("evidence", advice->evidence, stream);
    print_field("change", advice->change, stream);
    print_field("certainty", ws_certainty_name(advice->certainty), stream);
    if (advice->doubt[0] != '\0')
        print_field("doubt", advice->doubt, stream);
    if (advice->has_place) {
        snprintf(text, sizeof(text), "%g, %g, %g", (double)advice->place[0], (double)advice->place[1],
                 (double)advice->place[2]);
        print_field("place", text, stream);
    }
    if (advice->has_thread) {
        snprintf(text, sizeof(text), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, advice->thread[0], advice->thread[1],
                 advice->thread[2]);
        print_field("thread", text, stream);
    }
}

/* Advisers that say nothing for want of geometry. */
static void print_silent(const struct ws_recommendations *results, FILE *stream)
{
    const struct ws_adviser *const *advisers = ws_adviser_list();
    uint32_t count = 0;
    for (size_t i = 0; advisers[i] != NULL; ++i)
        if (ws_advice_run_is_silent(results->run, advisers[i]))
            fprintf(stream, "%s%s",
                    count++ > 0 ? ", " : "\n  Without geometry (record --geometry) nothing is said of: ",
                    advisers[i]->name);
    if (count > 0)
        fputc('\n', stream);
}

bool ws_recommendations_text(const void *user, FILE *stream)
{
    const struct ws_recommendations *results = user;
    size_t count = 0;
    const struct ws_advice_item *items = ws_advice_list_items(results->list, &count);
    const size_t most = results->table_rows > 0 ? results->table_rows : USUAL_ROWS;
    fprintf(stream, "\nRecommendations from %" PRIu64 " ray%s\n", results->rays_seen,
            results->rays_seen == 1 ? "" : "s");
    if (results->rays_seen == 0)
        fputs("\n  No recommendation: no ray was recorded.\n", stream);
    else if (count == 0)
        fputs("\n  No recommendation: nothing in this capture gives reason for one.\n", stream);
    for (size_t i = 0; i < count && i < most; ++i)
        print_item(&items[i], i + 1, stream);
    if (count > 1 && items[1].advice.saving > 0)
        fputs("\n  What they save does not add up: several may be about the same runs.\n", stream);
    if (count > most)
        fprintf(stream, "\n  ... and %zu more: --rows 0 shows them all\n", count - most);
    print_silent(results, stream);
    return true;
}

static cJSON *describe_item(const struct ws_advice_item *item)
{
    const struct ws_advice *advice = &item->advice;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "adviser", item->adviser->name);
    cJSON_AddStringToObject(object, "title", item->adviser->title);
    cJSON_AddStringToObject(object, "subject", advice->subject);
    cJSON_AddStringToObject(object, "evidence", advice->evidence);
    cJSON_AddStringToObject(object, "change", advice->change);
    cJSON_AddStringToObject(object, "saves", ws_saving_name(advice->saves));
    ws_json_integer(object, "saving", advice->saving);
    ws_json_integer(object, "of", advice->of);
    cJSON_AddStringToObject(object, "certainty", ws_certainty_name(advice->certainty));
    cJSON_AddStringToObject(object, "doubt", advice->doubt);
    if (advice->has_place) {
        cJSON *place = cJSON_AddArrayToObject(object, "place");
        for (int i = 0; i < 3; ++i)
            cJSON_AddItemToArray(place, cJSON_CreateNumber((double)advice->place[i]));
    }
    if (advice->has_thread) {
        cJSON *thread = cJSON_AddArrayToObject(object, "thread");
        for (int i = 0; i < 3; ++i)
            cJSON_AddItemToArray(thread, ws_json_integer_item(advice->thread[i]));
    }
    return object;
}

bool ws_recommendations_json(const void *user, cJSON *object)
{
    const struct ws_recommendations *results = user;
    const struct ws_adviser *const *advisers = ws_adviser_list();
    size_t count = 0;
    const struct ws_advice_item *items = ws_advice_list_items(results->list, &count);
    ws_json_integer(object, "rays", results->rays_seen);
    cJSON_AddBoolToObject(object, "geometry", results->input.scene->structure_count > 0);
    cJSON *silent = cJSON_AddArrayToObject(object, "silent");
    for (size_t i = 0; advisers[i] != NULL; ++i)
        if (ws_advice_run_is_silent(results->run, advisers[i]))
            cJSON_AddItemToArray(silent, cJSON_CreateString(advisers[i]->name));
    cJSON *list = cJSON_AddArrayToObject(object, "items");
    for (size_t i = 0; i < count; ++i)
        cJSON_AddItemToArray(list, describe_item(&items[i]));
    return list != NULL && silent != NULL && (size_t)cJSON_GetArraySize(list) == count;
}

bool ws_recommendations_csv(const void *user, FILE *stream)
{
    const struct ws_recommendations *results = user;
    size_t count = 0;
    const struct ws_advice_item *items = ws_advice_list_items(results->list, &count);
    fputs("adviser,title,subject,evidence,change,saves,saving,of,certainty,doubt,x,y,z,thread_x,thread_y,"
          "thread_z\n",
          stream);
    for (size_t i = 0; i < count; ++i) {
        const struct ws_advice *advice = &items[i].advice;
        const char *const texts[] = {items[i].adviser->name, items[i].adviser->title,
                                     advice->subject,        advice->evidence,
                                     advice->change,         ws_saving_name(advice->saves)};
        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); ++t) {
            ws_csv_text(stream, texts[t]);
            fputc(',', stream);
        }
        fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%s,", advice->saving, advice->of,
                ws_certainty_name(advice->certainty));
        ws_csv_text(stream, advice->doubt);
        for (int n = 0; n < 3; ++n)
            if (advice->has_place)
                fprintf(stream, ",%.9g", (double)advice->place[n]);
            else
                fputc(',', stream);
        for (int n = 0; n < 3; ++n)
            if (advice->has_thread)
                fprintf(stream, ",%" PRIu32, advice->thread[n]);
            else
                fputc(',', stream);
        fputc('\n', stream);
    }
    return true;
}
