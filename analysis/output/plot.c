#include "warpscope/output/plot.h"

#include <cairo-svg.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/output/plot_draw.h"
#include "analysis/output/plot_page.h"
#include "analysis/output/plot_text.h"
#include "analysis/output/staging.h"
#include "warpscope/base/array.h"

#define PNG_SCALE 2 /* pixels per unit */

/* What the page says of a picture, and the places of its files in the paths. */
struct picture {
    uint32_t group;
    char *title;
    char *about;
    char *commands;
    bool drawn;
    uint32_t svg;
    uint32_t png;
};

struct group {
    char *name;
    char *summary;
    char *command;
    char *note;
};

struct ws_plots {
    char *folder;
    struct group *groups; /* pictures belong to the last */
    uint32_t group_count;
    uint32_t group_capacity;
    struct picture *pictures;
    uint32_t picture_count;
    uint32_t picture_capacity;
    char **paths;
    uint32_t count;
    uint32_t capacity;
};

/* The names of pictures are only ours, but the folder may be one with a page of somebody else. */
static bool check_page(const char *folder, struct ws_error *error)
{
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof(path), "%s/index.html", folder) >= (int)sizeof(path))
        return ws_error_set(error, "the path of the folder '%.200s...' is too long", folder);
    return stat(path, &status) != 0 || status.st_size == 0 || ws_file_is_of(path, &ws_page_kind) ||
           ws_error_set(error,
                        "the page of the pictures would overwrite '%s', which is there and is of another "
                        "kind: name another folder, or remove it",
                        path);
}

struct ws_plots *ws_plots_create(const char *folder, struct ws_error *error)
{
    struct stat status;
    struct ws_plots *plots = calloc(1, sizeof(*plots));
    if (plots == NULL || (plots->folder = strdup(folder)) == NULL) {
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
    if (!check_page(folder, error))
        goto error;
    return plots;
error:
    ws_plots_destroy(plots);
    return NULL;
}

static void finish_group(struct group *group)
{
    free(group->name);
    free(group->summary);
    free(group->command);
    free(group->note);
}

void ws_plots_destroy(struct ws_plots *plots)
{
    if (plots == NULL)
        return;
    for (uint32_t i = 0; i < plots->count; ++i)
        free(plots->paths[i]);
    for (uint32_t i = 0; i < plots->group_count; ++i)
        finish_group(&plots->groups[i]);
    for (uint32_t i = 0; i < plots->picture_count; ++i) {
        free(plots->pictures[i].title);
        free(plots->pictures[i].about);
        free(plots->pictures[i].commands);
    }
    free(plots->paths);
    free(plots->groups);
    free(plots->pictures);
    free(plots->folder);
    free(plots);
}

bool ws_plots_begin(struct ws_plots *plots, const struct ws_plots_group *group)
{
    struct group *groups =
        ws_array_grow(plots->groups, &plots->group_capacity, plots->group_count + 1, sizeof(*groups));
    if (groups == NULL)
        return false;
    plots->groups = groups;
    struct group copy = {.name = strdup(group->name),
                         .summary = strdup(group->summary),
                         .command = strdup(group->command),
                         .note = strdup(group->note)};
    if (copy.name == NULL || copy.summary == NULL || copy.command == NULL || copy.note == NULL) {
        finish_group(&copy);
        return false;
    }
    groups[plots->group_count++] = copy;
    return true;
}

static const struct group *group_of(const struct ws_plots *plots)
{
    return &plots->groups[plots->group_count - 1];
}

/* Makes the path of a new picture, which belongs to `plots`; false when there is no memory. Names come out of
 * captures: what could mean something to a file system, a shell or a browser becomes "_". */
static bool add_path(struct ws_plots *plots, const char *name, const char *extension)
{
    char **paths = ws_array_grow(plots->paths, &plots->capacity, plots->count + 1, sizeof(*paths));
    if (paths == NULL)
        return false;
    plots->paths = paths;
    char *path = NULL;
    int length = asprintf(&path, "%s/%s-%.100s.%s", plots->folder, group_of(plots)->name, name, extension);
    if (length < 0)
        return false;
    char *last = path + strlen(plots->folder) + 1;
    for (char *at = last; *at != '\0'; ++at)
        if (!isalnum((unsigned char)*at) && strchr("-_.", *at) == NULL)
            *at = '_';
    plots->paths[plots->count++] = path;
    return true;
}

/* The commands for a picture's numbers, and for each of its hottest places. NULL when there is no memory. */
static char *make_commands(const struct ws_plots *plots, const char *arguments, const struct ws_image *image)
{
    char *text = NULL;
    size_t size = 0;
    const char *command = group_of(plots)->command;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    fprintf(stream, "%s%s%s", command, arguments != NULL ? " " : "", arguments != NULL ? arguments : "");
    if (image != NULL && image->grid != NULL && image->kind == WS_IMAGE_HEAT) {
        struct ws_image_spot spots[WS_IMAGE_SPOTS];
        uint64_t as_hot = 0;
        const size_t count = ws_image_spots(image, spots, &as_hot);
        for (size_t i = 0; i < count; ++i) {
            char option[160];
            if (ws_image_option(image, &spots[i], option, sizeof(option)) > 0)
                fprintf(stream, "\n%s %s", command, option);
        }
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Adds what the page says of a picture. If it is to be drawn, its paths are the last two. */
static bool add_picture(struct ws_plots *plots, const char *name, bool drawn, const char *title,
                        const char *about, char *commands, struct ws_error *error)
{
    struct picture *pictures =
        ws_array_grow(plots->pictures, &plots->picture_capacity, plots->picture_count + 1, sizeof(*pictures));
    if (pictures == NULL)
        goto error;
    plots->pictures = pictures;
    struct picture *picture = &pictures[plots->picture_count++];
    *picture = (struct picture){.group = plots->group_count - 1,
                                .title = strdup(title != NULL ? title : name),
                                .about = strdup(about != NULL ? about : ""),
                                .commands = commands,
                                .drawn = drawn,
                                .svg = plots->count,
                                .png = plots->count + 1};
    if (picture->title != NULL && picture->about != NULL && commands != NULL &&
        (!drawn || (add_path(plots, name, "svg") && add_path(plots, name, "png"))))
        return true;
    return ws_error_set(error, "no memory for the pictures");
error:
    free(commands);
    return ws_error_set(error, "no memory for the pictures");
}

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned int size)
{
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Closes what was drawn. False and `error` where anything about it failed. */
static bool close_file(struct ws_staging *staging, FILE *file, cairo_status_t status, struct ws_error *error)
{
    const bool drawn = status == CAIRO_STATUS_SUCCESS;
    if (!drawn && status != CAIRO_STATUS_WRITE_ERROR) /* of that the file knows more */
        ws_error_set(error, "cannot draw '%s': %s", staging->target, cairo_status_to_string(status));
    return ws_staging_close(staging, file, drawn, true, error);
}

static FILE *open_file(struct ws_staging *staging, const char *path, struct ws_error *error)
{
    if (path != NULL)
        return ws_staging_open(staging, path, error);
    ws_error_set(error, "no memory for the pictures");
    return NULL;
}

/* Writes an SVG without the numbers that cairo gives to surfaces, which go on counting from one picture to
 * the next: the same data are to give the same bytes. */
static void put_svg(const char *text, const char *end, FILE *file)
{
    static const char mark[] = "id=\"surface";
    for (const char *next; (next = strstr(text, mark)) != NULL && next < end;) {
        next += sizeof(mark) - 1;
        fwrite(text, 1, (size_t)(next - text), file);
        text = next + strspn(next, "0123456789");
    }
    fwrite(text, 1, (size_t)(end - text), file);
}

/* What is drawn: a plot or an image. */
struct drawing {
    const struct ws_plot *plot;
    const struct ws_image *image;
    const struct ws_image *beside; /* a second image; NULL = none */
    struct ws_image_layout layout;
    struct ws_image_layout layout_beside;
    double width;
    double height;
};

static cairo_status_t draw(cairo_t *cairo, const struct drawing *drawing)
{
    bool drawn = true;
    if (drawing->plot != NULL)
        ws_plot_draw(cairo, drawing->plot);
    else {
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_paint(cairo);
        drawn = ws_image_draw(cairo, drawing->image, &drawing->layout);
    }
    if (drawing->beside != NULL) {
        cairo_translate(cairo, drawing->layout.whole_width, 0);
        drawn = ws_image_draw(cairo, drawing->beside, &drawing->layout_beside) && drawn;
    }
    return cairo_status(cairo) != CAIRO_STATUS_SUCCESS ? cairo_status(cairo)
           : drawn                                     ? CAIRO_STATUS_SUCCESS
                                                       : CAIRO_STATUS_NO_MEMORY;
}

/* Puts the picture together: cairo's shapes, behind its title, and the texts on top. */
static bool join_svg(const struct drawing *drawing, const char *shapes, const char *texts, FILE *file)
{
    const char *title = drawing->plot != NULL ? drawing->plot->title : drawing->image->title;
    const char *about = drawing->plot != NULL ? drawing->plot->about : drawing->image->about;
    const char *svg = strstr(shapes, "<svg");
    const char *begin = svg != NULL ? strchr(svg, '>') : NULL;
    const char *end = begin;
    for (const char *next = begin; next != NULL && (next = strstr(next, "</svg>")) != NULL; ++next)
        end = next;
    if (begin == NULL || end == begin)
        return false;
    fwrite(shapes, 1, (size_t)(begin + 1 - shapes), file);
    fputs("\n<title>", file);
    ws_plot_text_xml(file, title != NULL ? title : "");
    fputs("</title>\n<desc>", file);
    ws_plot_text_xml(file, about != NULL ? about : "");
    fputs("</desc>", file);
    put_svg(begin + 1, end, file);
    fprintf(file, "<g font-family=\"DejaVu Sans, Verdana, sans-serif\">\n%s</g>\n</svg>\n", texts);
    return true;
}

static bool write_svg(const char *path, const struct drawing *drawing, struct ws_error *error)
{
    char *shapes = NULL;
    char *texts = NULL;
    size_t sizes[2] = {0, 0};
    FILE *memory = open_memstream(&shapes, &sizes[0]);
    FILE *collected = open_memstream(&texts, &sizes[1]);
    struct ws_staging staging;
    FILE *file = open_file(&staging, path, error);
    cairo_status_t status = CAIRO_STATUS_NO_MEMORY;
    if (memory != NULL && collected != NULL && file != NULL) {
        cairo_surface_t *surface =
            cairo_svg_surface_create_for_stream(write_bytes, memory, drawing->width, drawing->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        cairo_t *cairo = cairo_create(surface);
        ws_plot_text_collect(cairo, collected);
        status = draw(cairo, drawing);
        cairo_destroy(cairo);
        cairo_surface_finish(surface);
        if (status == CAIRO_STATUS_SUCCESS)
            status = cairo_surface_status(surface);
        cairo_surface_destroy(surface);
    }
    bool closed = memory != NULL && fclose(memory) == 0;
    closed = collected != NULL && fclose(collected) == 0 && closed;
    if (status == CAIRO_STATUS_SUCCESS && !(closed && join_svg(drawing, shapes, texts, file)))
        status = CAIRO_STATUS_NO_MEMORY;
    free(shapes);
    free(texts);
    return file != NULL && close_file(&staging, file, status, error);
}

static bool write_png(const char *path, const struct drawing *drawing, double scale, struct ws_error *error)
{
    struct ws_staging staging;
    FILE *file = open_file(&staging, path, error);
    if (file == NULL)
        return false;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(scale * drawing->width),
                                                          (int)(scale * drawing->height));
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    cairo_status_t status = draw(cairo, drawing);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_destroy(surface);
    return close_file(&staging, file, status, error);
}

bool ws_plots_plot(struct ws_plots *plots, const char *name, const struct ws_plot *plot,
                   struct ws_error *error)
{
    struct ws_plot noted = *plot;
    if (noted.note == NULL)
        noted.note = group_of(plots)->note;
    const struct drawing drawing = {.plot = &noted, .width = WS_PLOT_WIDTH, .height = ws_plot_height(&noted)};
    const bool drawn = ws_plot_compares(plot);
    if (!add_picture(plots, name, drawn, plot->title, plot->about,
                     make_commands(plots, plot->arguments, NULL), error))
        return false;
    return !drawn || (write_svg(plots->paths[plots->count - 2], &drawing, error) &&
                      write_png(plots->paths[plots->count - 1], &drawing, PNG_SCALE, error));
}

bool ws_plots_image(struct ws_plots *plots, const char *name, const struct ws_image *image,
                    struct ws_error *error)
{
    struct ws_image noted = *image;
    if (noted.note == NULL)
        noted.note = group_of(plots)->note;
    struct drawing drawing = {.image = &noted};
    ws_image_lay_out(&noted, &drawing.layout);
    drawing.width = drawing.layout.whole_width;
    drawing.height = drawing.layout.whole_height;
    return add_picture(plots, name, true, image->title, image->about,
                       make_commands(plots, image->arguments, &noted), error) &&
           write_svg(plots->paths[plots->count - 2], &drawing, error) &&
           write_png(plots->paths[plots->count - 1], &drawing, 1, error);
}

bool ws_plots_pair(struct ws_plots *plots, const char *name, const struct ws_image images[2],
                   struct ws_error *error)
{
    struct ws_image noted[2] = {images[0], images[1]};
    if (noted[0].note == NULL)
        noted[0].note = group_of(plots)->note;
    struct drawing drawing = {.image = &noted[0], .beside = &noted[1]};
    ws_image_lay_out(&noted[0], &drawing.layout);
    ws_image_lay_out(&noted[1], &drawing.layout_beside);
    drawing.width = drawing.layout.whole_width + drawing.layout_beside.whole_width;
    drawing.height = drawing.layout.whole_height > drawing.layout_beside.whole_height
                         ? drawing.layout.whole_height
                         : drawing.layout_beside.whole_height;
    return add_picture(plots, name, true, images[0].title, images[0].about,
                       make_commands(plots, images[0].arguments, &noted[0]), error) &&
           write_svg(plots->paths[plots->count - 2], &drawing, error) &&
           write_png(plots->paths[plots->count - 1], &drawing, 1, error);
}

/* The name of a file without the folder. */
static const char *name_of(const struct ws_plots *plots, uint32_t path)
{
    return plots->paths[path] + strlen(plots->folder) + 1;
}

bool ws_plots_index(struct ws_plots *plots, const char *title, const char *head, const char *foot,
                    struct ws_error *error)
{
    struct ws_page_group *groups = calloc((size_t)plots->group_count + 1, sizeof(*groups));
    struct ws_page_picture *pictures = calloc((size_t)plots->picture_count + 1, sizeof(*pictures));
    char path[PATH_MAX];
    bool written = groups != NULL && pictures != NULL &&
                   snprintf(path, sizeof(path), "%s/index.html", plots->folder) < (int)sizeof(path);
    struct ws_staging staging;
    FILE *file = written ? open_file(&staging, path, error) : NULL;
    for (uint32_t i = 0; i < plots->group_count && file != NULL; ++i)
        groups[i] = (struct ws_page_group){plots->groups[i].name, plots->groups[i].summary};
    for (uint32_t i = 0; i < plots->picture_count && file != NULL; ++i) {
        const struct picture *picture = &plots->pictures[i];
        pictures[i] = (struct ws_page_picture){picture->group,
                                               picture->title,
                                               picture->about,
                                               picture->commands,
                                               picture->drawn ? name_of(plots, picture->svg) : NULL,
                                               picture->drawn ? name_of(plots, picture->png) : NULL};
    }
    const struct ws_page page = {
        title, head, foot, groups, plots->group_count, pictures, plots->picture_count};
    if (file != NULL)
        ws_page_write(&page, file);
    free(groups);
    free(pictures);
    if (!written)
        return ws_error_set(error, "no memory for the page of pictures in '%s'", plots->folder);
    return file != NULL && close_file(&staging, file, CAIRO_STATUS_SUCCESS, error);
}

size_t ws_plots_count(const struct ws_plots *plots)
{
    return plots->count;
}

const char *ws_plots_path(const struct ws_plots *plots, size_t index)
{
    return plots->paths[index];
}
