/* Pictures in a build without cairo: none can be drawn. */
#include "warpscope/output/plot.h"

struct ws_plots *ws_plots_create(const char *folder, struct ws_error *error)
{
    ws_error_set(error, "no pictures in '%s': this build of Warpscope lacks cairo, which draws them", folder);
    return NULL;
}

void ws_plots_destroy(struct ws_plots *plots)
{
    (void)plots;
}

bool ws_plots_begin(struct ws_plots *plots, const struct ws_plots_group *group)
{
    (void)plots, (void)group;
    return false;
}

bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error)
{
    (void)plots, (void)name, (void)plot, (void)error;
    return false;
}

bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error)
{
    (void)plots, (void)name, (void)image, (void)error;
    return false;
}

bool ws_plots_index(struct ws_plots *plots, const char *title, const char *head, const char *foot,
                    struct ws_error *error)
{
    (void)plots, (void)title, (void)head, (void)foot, (void)error;
    return false;
}

size_t ws_plots_count(const struct ws_plots *plots)
{
    (void)plots;
    return 0;
}

const char *ws_plots_path(const struct ws_plots *plots, size_t index)
{
    (void)plots, (void)index;
    return "";
}
