#include "analysis/output/plot.h"

#include <cairo-svg.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/output/plot_draw.h"
#include "passes/base/array.h"

#define PNG_SCALE 2 /* pixels per unit */

struct ws_plots {
    char *folder;
    char *prefix;
    char *note; /* NULL = none */
    char **paths;
    uint32_t count;
    uint32_t capacity;
};

struct ws_plots *ws_plots_create(const char *folder, const char *prefix, struct ws_error *error)
{
    struct stat status;
    struct ws_plots *plots = calloc(1, sizeof(*plots));
    if (plots == NULL || (plots->folder = strdup(folder)) == NULL ||
        (plots->prefix = strdup(prefix)) == NULL) {
        ws_error_set(error, "no memory for the pictures");
        goto error;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        ws_error_set(error, "cannot make the folder '%s' for the pictures: %s", folder, strerror(errno));
        goto error;
    }
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        ws_error_set(error, "cannot write pictures into '%s': it is no folder", folder);
        goto error;
    }
    return plots;
error:
    ws_plots_destroy(plots);
    return NULL;
}

void ws_plots_destroy(struct ws_plots *plots)
{
    if (plots == NULL)
        return;
    for (uint32_t i = 0; i < plots->count; ++i)
        free(plots->paths[i]);
    free(plots->paths);
    free(plots->folder);
    free(plots->prefix);
    free(plots->note);
    free(plots);
}

bool ws_plots_note(struct ws_plots *plots, const char *note)
{
    free(plots->note);
    plots->note = note[0] != '\0' ? strdup(note) : NULL;
    return note[0] == '\0' || plots->note != NULL;
}

/* The path of a new picture, which belongs to `plots`; NULL when there is no memory. Names come out of
 * captures: what could mean something to a file system or a shell becomes "_". */
static const char *add_path(struct ws_plots *plots, const char *name, const char *extension)
{
    char **paths = ws_array_grow(plots->paths, &plots->capacity, plots->count + 1, sizeof(*paths));
    if (paths == NULL)
        return NULL;
    plots->paths = paths;
    char *path = NULL;
    int length = asprintf(&path, "%s/%s-%.100s.%s", plots->folder, plots->prefix, name, extension);
    if (length < 0)
        return NULL;
    char *last = path + strlen(plots->folder) + 1;
    for (char *at = last; *at != '\0'; ++at)
        if (!isalnum((unsigned char)*at) && strchr("-_.", *at) == NULL)
            *at = '_';
    plots->paths[plots->count++] = path;
    return path;
}

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned int size)
{
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Closes what was written. False and `error` where anything about it failed. */
static bool close_file(FILE *file, const char *path, cairo_status_t status, struct ws_error *error)
{
    int reason = errno;
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0) {
        reason = errno;
        failed = true;
    }
    if (failed || status == CAIRO_STATUS_WRITE_ERROR)
        return ws_error_set(error, "cannot write '%s': %s", path, strerror(reason));
    return status == CAIRO_STATUS_SUCCESS ||
           ws_error_set(error, "cannot draw '%s': %s", path, cairo_status_to_string(status));
}

static FILE *open_file(const char *path, struct ws_error *error)
{
    FILE *file = path != NULL ? fopen(path, "wbe") : NULL;
    if (path == NULL)
        ws_error_set(error, "no memory for the pictures");
    else if (file == NULL)
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
    return file;
}

/* Writes an SVG without the numbers that cairo gives to surfaces, which go on counting from one picture to
 * the next: the same data are to give the same bytes. */
static void put_svg(const char *text, FILE *file)
{
    static const char mark[] = "id=\"surface";
    for (const char *next; (next = strstr(text, mark)) != NULL;) {
        next += sizeof(mark) - 1;
        fwrite(text, 1, (size_t)(next - text), file);
        text = next + strspn(next, "0123456789");
    }
    fputs(text, file);
}

static bool write_svg(const char *path, const struct ws_plot *plot, struct ws_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    FILE *file = open_file(path, error);
    if (memory == NULL || file == NULL) {
        ws_error_set(error, "no memory for the pictures");
        goto error;
    }
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(write_bytes, memory, WS_PLOT_WIDTH, WS_PLOT_HEIGHT);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *cairo = cairo_create(surface);
    ws_plot_draw(cairo, plot);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (fclose(memory) == 0)
        put_svg(text, file);
    else if (status == CAIRO_STATUS_SUCCESS)
        status = CAIRO_STATUS_NO_MEMORY;
    free(text);
    return close_file(file, path, status, error);
error:
    if (memory != NULL)
        fclose(memory);
    if (file != NULL)
        fclose(file);
    free(text);
    return false;
}

static bool write_png(const char *path, cairo_surface_t *surface, cairo_status_t status,
                      struct ws_error *error)
{
    FILE *file = open_file(path, error);
    if (file == NULL)
        return false;
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    return close_file(file, path, status, error);
}

bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error)
{
    struct ws_plot noted = *plot;
    if (noted.note == NULL)
        noted.note = plots->note;
    if (!write_svg(add_path(plots, name, "svg"), &noted, error))
        return false;
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, PNG_SCALE * WS_PLOT_WIDTH, PNG_SCALE * WS_PLOT_HEIGHT);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, PNG_SCALE, PNG_SCALE);
    ws_plot_draw(cairo, &noted);
    bool written = write_png(add_path(plots, name, "png"), surface, cairo_status(cairo), error);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return written;
}

bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error)
{
    struct ws_image noted = *image;
    if (noted.note == NULL)
        noted.note = plots->note;
    cairo_surface_t *surface = ws_plot_image(&noted);
    if (surface == NULL)
        return ws_error_set(error, "no memory for the picture '%s'", name);
    bool written = write_png(add_path(plots, name, "png"), surface, CAIRO_STATUS_SUCCESS, error);
    cairo_surface_destroy(surface);
    return written;
}

size_t ws_plots_count(const struct ws_plots *plots)
{
    return plots->count;
}

const char *ws_plots_path(const struct ws_plots *plots, size_t index)
{
    return plots->paths[index];
}
