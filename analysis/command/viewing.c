#include "analysis/command/viewing.h"

#include "analysis/viewer/missing.h"

const struct ws_option ws_viewing_options[] = {
    {.name = "time",
     .argument = "TIMED",
     .help = "device times of the first capture from this one of record -p time",
     .kind = WS_ARGUMENT_CAPTURE},
    {NULL},
};

bool ws_take_viewing(void *request, const struct ws_option *option, const char *value, struct ws_error *error)
{
    struct ws_viewing *viewing = request;
    (void)option, (void)error;
    viewing->times = value;
    return true;
}

static bool read_capture(void *user, struct ws_report *report, const char *path,
                         struct ws_report_request *request, struct ws_error *error)
{
    const struct ws_viewing *viewing = user;
    return ws_read_capture(report, path, request, &viewing->limits, error);
}

bool ws_viewing_begin(struct ws_viewing *viewing, char *const *paths, struct ws_viewer *viewer)
{
    struct ws_viewer_options options = {
        .times = viewing->times, .selection = &viewing->selection, .read = read_capture, .user = viewing};
    struct ws_error error = {{0}};
    if (ws_viewer_missing() != NULL) {
        ws_say("%s", ws_viewer_missing());
        return false;
    }
    for (uint32_t i = 0; i < WS_VIEWER_CAPTURES_MAX && paths[i] != NULL; ++i)
        options.paths[i] = paths[i];
    if (ws_viewer_init(viewer, &options, &error))
        return true;
    ws_say_unread(&error);
    return false;
}
