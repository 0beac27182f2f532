/* schema.json   what `warpscope list --schema` prints: each field of report.json with its kind and meaning, from which the
 *               page makes tables of any analysis. It is the same for all captures */
#include "analysis/report/schema.h"
#include "analysis/summary/summary.h"
#include "analysis/viewer/viewer.h"

static bool answer_schema(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                          const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    (void)viewer, (void)capture, (void)query, (void)error;
    return ws_schema_print(ws_summary_members, stream);
}

/* Once, however many captures there are: the page asks for that of the first. */
static bool embed_schema(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                         ws_viewer_embed *embed, void *user)
{
    (void)viewer, (void)budget;
    return capture->number > 0 || embed(user, "schema.json", 0);
}

const struct ws_viewer_resource ws_viewer_resource_schema = {
    .name = "schema.json",
    .help = "what each field of report.json means, as `list --schema` prints it",
    .answer = answer_schema,
    .embed = embed_schema};
