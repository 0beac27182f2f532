#include "analysis/reorder/payload_rows.h"

#include "analysis/reorder/reorder_threads.h"
#include "warpscope/passes.h"

void ws_payload_rows_finish(struct ws_payload_rows *payloads)
{
    ws_visit_rows_finish(&payloads->rows);
}

void ws_payload_rows_enter(struct ws_payload_rows *payloads, struct ws_context *context)
{
    context->user[payloads->user] = payloads;
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
        if (thread != WS_NONE && !ws_visit_rows_add(&payloads->rows, thread, number, words, words_per_lane))
            return false;
    }
    return true;
}
