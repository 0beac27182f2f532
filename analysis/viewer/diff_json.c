/* diff.json   what `warpscope diff A B --json` prints, of the view's two captures */
#include "analysis/diff/diff.h"
#include "analysis/viewer/viewer.h"

static bool answer_diff(struct ws_viewer *viewer, struct ws_viewer_capture *capture,
                        const struct ws_viewer_query *query, FILE *stream, struct ws_error *error)
{
    struct ws_diff diff;
    (void)capture, (void)query;
    if (viewer->capture_count < WS_DIFF_SIDES)
        return ws_error_set(error, "there is one capture: warpscope view A B compares two");
    if (!ws_diff_init(&diff, &viewer->captures[0].report, &viewer->captures[1].report, NULL))
        return false;
    const bool written = ws_diff_json(&diff, NULL, 0, stream);
    ws_diff_finish(&diff);
    return written;
}

/* Once, and not for each capture. */
static bool embed_diff(struct ws_viewer *viewer, struct ws_viewer_capture *capture, uint64_t budget,
                       ws_viewer_embed *embed, void *user)
{
    (void)budget;
    return viewer->capture_count < WS_DIFF_SIDES || capture->number > 0 || embed(user, "diff.json", 0);
}

const struct ws_viewer_resource ws_viewer_resource_diff = {
    .name = "diff.json",
    .help = "the two captures compared, as `diff --json` prints it",
    .answer = answer_diff,
    .embed = embed_diff};
