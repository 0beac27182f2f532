#include "analysis/reorder/payload_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder_threads.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"

void ws_payload_rows_finish(struct ws_payload_rows *payloads)
{
    const struct ws_catalog *catalog = payloads->catalog;
    ws_visit_rows_finish(&payloads->rows);
    free(payloads->first);
    free(payloads->words);
    memset(payloads, 0, sizeof(*payloads));
    payloads->catalog = catalog;
}

/* Room for so many rows and words more. False when there is no memory. */
static bool reserve(struct ws_payload_rows *payloads, uint32_t rows, uint32_t words)
{
    uint32_t *first = ws_array_grow(payloads->first, &payloads->first_capacity, payloads->rows.count + rows,
                                    sizeof(*first));
    payloads->first = first != NULL ? first : payloads->first;
    uint32_t *grown = first != NULL ? ws_array_grow(payloads->words, &payloads->word_capacity,
                                                    payloads->word_count + words, sizeof(*grown))
                                    : NULL;
    payloads->words = grown != NULL ? grown : payloads->words;
    return grown != NULL;
}

bool ws_payload_rows_data(struct ws_payload_rows *payloads, struct ws_context *context, uint32_t site,
                          struct ws_lanes lanes, const uint32_t *words, uint32_t words_per_lane)
{
    const struct ws_module_record *module =
        &payloads->catalog->modules[payloads->catalog->shaders[context->shader].module];
    const struct ws_site_info *info = &module->sites[site].info;
    uint32_t number = 0;
    if (info->tag != WS_TAG_PAYLOADS_WORDS || words_per_lane == 0 || words_per_lane > WS_PAYLOAD_WORDS_MAX)
        return true;
    if (!ws_visit_rows_site(&payloads->rows, ws_reorder_site(context->shader, info->offset), &number))
        return false;
    for (; ws_lanes_any(lanes); words += words_per_lane) {
        const uint32_t lane = ws_lanes_take(&lanes);
        const uint32_t thread = lane < context->lane_count ? context->threads[lane] : WS_NONE;
        if (thread == WS_NONE)
            continue;
        if (payloads->word_count > WS_REORDER_WORDS_MAX - words_per_lane) {
            payloads->lost++;
            continue;
        }
        if (!reserve(payloads, 1, words_per_lane))
            return false;
        payloads->first[payloads->rows.count] = payloads->word_count;
        memcpy(payloads->words + payloads->word_count, words, words_per_lane * sizeof(*words));
        payloads->word_count += words_per_lane;
        if (!ws_visit_rows_add(&payloads->rows, thread, number))
            return false;
    }
    return true;
}

/* Where the words of a row end. */
static uint32_t end_of(const struct ws_payload_rows *payloads, uint32_t row)
{
    return row + 1 < payloads->rows.count ? payloads->first[row + 1] : payloads->word_count;
}

bool ws_payload_rows_add(struct ws_payload_rows *payloads, struct ws_payload_rows *part)
{
    if (payloads->rows.count == 0) { /* moved, so that they are not there twice */
        part->lost += payloads->lost;
        ws_payload_rows_finish(payloads);
        *payloads = *part;
        *part = (struct ws_payload_rows){.catalog = payloads->catalog};
        return true;
    }
    uint32_t kept = part->rows.count;
    while (kept > 0 && end_of(part, kept - 1) > WS_REORDER_WORDS_MAX - payloads->word_count)
        kept--;
    payloads->lost += part->lost + (part->rows.count - kept);
    if (kept == 0)
        return true;
    const uint32_t words = end_of(part, kept - 1);
    if (!reserve(payloads, kept, words))
        return false;
    for (uint32_t i = 0; i < kept; ++i)
        payloads->first[payloads->rows.count + i] = payloads->word_count + part->first[i];
    memcpy(payloads->words + payloads->word_count, part->words, words * sizeof(*payloads->words));
    payloads->word_count += words;
    const bool joined = ws_visit_rows_join(&payloads->rows, &part->rows, kept);
    ws_payload_rows_finish(part);
    return joined;
}

void ws_payload_rows_get(const struct ws_payload_rows *payloads, uint32_t row,
                         uint32_t words[WS_PAYLOAD_WORDS_MAX])
{
    const uint32_t count = end_of(payloads, row) - payloads->first[row];
    memset(words, 0, WS_PAYLOAD_WORDS_MAX * sizeof(*words));
    memcpy(words, payloads->words + payloads->first[row], count * sizeof(*words));
}
