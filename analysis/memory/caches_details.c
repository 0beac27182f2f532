/* What a request of the analysis `caches` counts for besides its place in the code: threads, parts of the launch, pages,
 * elements of buffers, vertices and faces; and pictures. */
#include "analysis/memory/caches_part.h"

/* Adds the request to sums by page. `what` is what else it is of. */
static bool add_pages(struct ws_part_sums *to, const struct ws_caches_request *request,
                      const struct ws_caches_touched *touched, struct ws_part_what what)
{
    bool added = true;
    for (uint32_t i = request->touched; added && i < request->touched + request->touched_count; ++i) {
        what.page = touched[i].page;
        added = ws_part_sums_add(to, request->access, request->bound, &what, &touched[i].sums);
    }
    return added;
}

/* Adds the request to each element of its buffer that its lanes touch, with the lanes that do. `what` is what else it is of. */
static bool add_elements(struct ws_caches_part *part, const struct ws_caches_request *request,
                         struct ws_part_what what)
{
    const struct ws_execution *execution = &request->execution;
    const struct ws_traced_access *access = request->access;
    uint32_t elements[WS_WIDE_LANES_MAX];
    uint64_t counts[WS_WIDE_LANES_MAX];
    uint32_t count = 0;
    bool added = true;
    if (access->access.varies) /* which buffer it is differs from lane to lane */
        return true;
    for (uint32_t i = 0; i < execution->lane_count; ++i) {
        /* Where addresses need no word there may be none: an offset on a null pointer is undefined. */
        const uint32_t *words = execution->words_per_lane > 0
                                    ? execution->words + (size_t)i * execution->words_per_lane
                                    : execution->words;
        const uint64_t address =
            ws_stretch_address(&access->access, words) - ws_buffer_element_base(&access->access, words);
        const uint32_t element = ws_buffer_elements_find(&part->elements, access->memory, address);
        uint32_t at = 0;
        while (at < count && elements[at] != element)
            at++;
        counts[at] = at < count ? counts[at] + 1 : 1;
        elements[at] = element;
        count += at == count && element != WS_NONE;
    }
    for (uint32_t i = 0; added && i < count; ++i) {
        struct ws_caches_sums sums = request->sums;
        sums.lanes = counts[i];
        /* All lanes are at one buffer, and so each asks for as many bytes. */
        sums.bytes = request->sums.bytes / request->sums.lanes * counts[i];
        what.element = elements[i];
        added = ws_part_sums_add(&part->details, access, request->bound, &what, &sums);
    }
    return added;
}

/* Finds which vertices, faces and arrays of them the lanes of a request touch. */
static bool touch_built(struct ws_caches_part *part, const struct ws_execution *execution,
                        const struct ws_traced_access *access)
{
    const struct ws_catalog *catalog = part->results->rows.catalog;
    const uint32_t module = catalog->shaders[execution->shader].module;
    struct ws_home home = {0};
    uint32_t size = 0;
    bool found = ws_built_touches_begin(&part->touches, catalog, part->launch->index);
    for (uint32_t i = 0; found && i < execution->lane_count; ++i) {
        /* As in add_elements. */
        const uint32_t *words = execution->words_per_lane > 0
                                    ? execution->words + (size_t)i * execution->words_per_lane
                                    : execution->words;
        found = ws_request_home(&part->memory, access, module, catalog->modules[module].placed, words, &home,
                                &size) &&
                ws_built_touches_add(&part->touches, catalog, &home, size);
    }
    if (found)
        ws_built_touches_end(&part->touches);
    return found;
}

/* Adds the request to each vertex, face and array of them that its lanes touch, with the lanes that do. */
static bool add_built(struct ws_caches_part *part, const struct ws_caches_request *request,
                      struct ws_part_what what)
{
    const struct ws_traced_access *access = request->access;
    struct ws_traced_access left = *access;
    if (part->results->compiled) {
        left.access.offset = access->left.offset;
        left.access.size = access->left.size;
    }
    bool added = touch_built(part, &request->execution, &left);
    for (uint32_t i = 0; added && i < part->touches.count; ++i) {
        const struct ws_built_touch *touch = &part->touches.list[i];
        struct ws_caches_sums sums = request->sums;
        sums.lanes = touch->lanes;
        sums.bytes = touch->bytes;
        what.built = touch->part;
        what.element = touch->number;
        added = ws_part_sums_add(&part->details, access, request->bound, &what, &sums);
    }
    return added;
}

/* Adds it to levels that are by thread, time, page, element, vertex or face. */
static bool add_details(struct ws_caches_part *part, const struct ws_caches_request *request,
                        const struct ws_caches_touched *touched)
{
    const struct ws_execution *execution = &request->execution;
    const struct ws_caches_results *results = part->results;
    const bool has_code = results->details_of_code;
    struct ws_part_what what = {.shader = has_code ? execution->shader : WS_NONE,
                                .place = has_code ? request->place : WS_NONE,
                                .page = WS_NONE,
                                .thread = WS_NONE,
                                .built = WS_NONE,
                                .element = WS_NONE,
                                .root = execution->root};
    bool added = true;
    if ((results->details & 1u << WS_CACHES_BY_PAGE) != 0)
        return add_pages(&part->details, request, touched, what);
    if ((results->details & 1u << WS_CACHES_BY_ELEMENT) != 0)
        return add_elements(part, request, what);
    if ((results->details & WS_CACHES_BUILT) != 0)
        return add_built(part, request, what);
    if ((results->details & 1u << WS_CACHES_BY_THREAD) == 0)
        return ws_part_sums_add(&part->details, request->access, request->bound, &what, &request->sums);
    for (uint32_t i = 0; added && i < execution->lane_count; ++i) {
        what.thread = execution->threads[i];
        added = what.thread == WS_NONE ||
                ws_part_sums_add(&part->details, request->access, request->bound, &what, &request->sums);
    }
    return added;
}

/* Adds it to pictures. */
static bool add_pictures(struct ws_caches_part *part, const struct ws_caches_request *request,
                         const struct ws_caches_touched *touched)
{
    static const struct ws_part_what nothing = {.shader = WS_NONE,
                                                .place = WS_NONE,
                                                .page = WS_NONE,
                                                .thread = WS_NONE,
                                                .built = WS_NONE,
                                                .element = WS_NONE,
                                                .root = WS_NONE};
    const struct ws_execution *execution = &request->execution;
    return ws_part_sums_add(&part->times, request->access, request->bound, &nothing, &request->sums) &&
           add_pages(&part->page_times, request, touched, nothing) &&
           ws_thread_sums_add(&part->threads, execution->root, execution->threads, execution->lane_count,
                              request->access, request->bound, &request->sums);
}

bool ws_caches_request_take(struct ws_caches_part *part, const struct ws_caches_request *request,
                            const struct ws_caches_touched *touched)
{
    const struct ws_caches_results *results = part->results;
    ws_part_sums_next(&part->details);
    ws_part_sums_next(&part->times);
    ws_part_sums_next(&part->page_times);
    if (!request->is_chosen)
        return true;
    part->memory.shader = request->execution.shader;
    return (part->hear == NULL ||
            part->hear(part->hearer, &request->execution, request->place, &request->sums)) &&
           (results->details == 0 || add_details(part, request, touched)) &&
           (!results->draws || add_pictures(part, request, touched));
}
