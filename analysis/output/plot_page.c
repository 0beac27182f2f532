#include "analysis/output/plot_page.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/output/plot_text.h"

/* How the page says what wrote it, with the version behind it. */
#define GENERATOR "<meta name=\"generator\" content=\"Warpscope "

const struct ws_file_kind ws_page_kind = {"<!DOCTYPE html>*", GENERATOR};

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 88rem; }\n"
    "pre, code { font: 13px/1.45 ui-monospace, monospace; }\n"
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    "h2 { margin: 2.5rem 0 0; border-bottom: 1px solid #8888; }\n"
    "nav a { margin-right: 1rem; white-space: nowrap; }\n"
    ".pictures { display: grid; gap: 1.5rem; align-items: start;\n"
    "  grid-template-columns: repeat(auto-fill, minmax(min(36rem, 100%), 1fr)); }\n"
    "figure { margin: 0; min-width: 0; }\n"
    "img { width: 100%; height: auto; background: #fff; border: 1px solid #8888; box-sizing: border-box; }\n"
    "figcaption p { margin: 0.25rem 0; overflow-wrap: anywhere; }\n"
    "figcaption pre { margin: 0.25rem 0; padding: 0.4rem 0.6rem; background: #8882; }\n"
    "</style>\n";

/* `before`, the text, `after`. */
static void put(FILE *stream, const char *before, const char *text, const char *after)
{
    fputs(before, stream);
    ws_plot_text_xml(stream, text);
    fputs(after, stream);
}

static void put_lines(FILE *stream, const char *text)
{
    if (text[0] != '\0')
        put(stream, "<pre>", text, "</pre>\n");
}

static void write_picture(const struct ws_page_picture *picture, FILE *stream)
{
    put(stream, "<figure>\n<a href=\"", picture->svg, "\">");
    put(stream, "<img loading=\"lazy\" src=\"", picture->svg, "\" ");
    put(stream, "alt=\"", picture->title, "\"></a>\n<figcaption>\n");
    put(stream, "<p><strong>", picture->title, "</strong>");
    if (picture->about[0] != '\0')
        put(stream, "<br>", picture->about, "");
    put(stream, "</p>\n<p><a href=\"", picture->svg, "\">SVG</a> ");
    put(stream, "<a href=\"", picture->png, "\">PNG</a></p>\n");
    put_lines(stream, picture->commands);
    fputs("</figcaption>\n</figure>\n", stream);
}

/* The titles of pictures that would have shown a single bar. */
static void write_missing(const struct ws_page *page, uint32_t group, FILE *stream)
{
    bool any = false;
    for (uint32_t i = 0; i < page->picture_count; ++i) {
        const struct ws_page_picture *picture = &page->pictures[i];
        if (picture->group != group || picture->svg != NULL)
            continue;
        put(stream, any ? "; " : "<p>Not drawn, for there is nothing to compare: ", picture->title, "");
        any = true;
    }
    fputs(any ? "</p>\n" : "", stream);
}

static void write_group(const struct ws_page *page, uint32_t group, FILE *stream)
{
    put(stream, "<section id=\"", page->groups[group].name, "\">\n");
    put(stream, "<h2>", page->groups[group].name, "</h2>\n");
    put(stream, "<p>", page->groups[group].summary, "</p>\n");
    fputs("<div class=\"pictures\">\n", stream);
    for (uint32_t i = 0; i < page->picture_count; ++i)
        if (page->pictures[i].group == group && page->pictures[i].svg != NULL)
            write_picture(&page->pictures[i], stream);
    fputs("</div>\n", stream);
    write_missing(page, group, stream);
    fputs("</section>\n", stream);
}

static bool has_pictures(const struct ws_page *page, uint32_t group)
{
    bool found = false;
    for (uint32_t i = 0; i < page->picture_count; ++i)
        found = found || page->pictures[i].group == group;
    return found;
}

void ws_page_write(const struct ws_page *page, FILE *stream)
{
    put(stream,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" GENERATOR WS_VERSION
        "\">\n<title>",
        page->title, "</title>\n");
    fputs(head, stream);
    put(stream, "</head>\n<body>\n<h1>", page->title, "</h1>\n");
    put_lines(stream, page->head);
    fputs("<p>A click on a picture opens it alone: then its texts can be copied, and the pointer shows what "
          "a bar or "
          "a ring stands for.</p>\n<nav>\n",
          stream);
    for (uint32_t i = 0; i < page->group_count; ++i)
        if (has_pictures(page, i)) {
            put(stream, "<a href=\"#", page->groups[i].name, "\">");
            put(stream, "", page->groups[i].name, "</a>\n");
        }
    fputs(page->foot[0] != '\0' ? "<a href=\"#left-out\">left out</a>\n</nav>\n<main>\n" : "</nav>\n<main>\n",
          stream);
    for (uint32_t i = 0; i < page->group_count; ++i)
        if (has_pictures(page, i))
            write_group(page, i, stream);
    if (page->foot[0] != '\0') {
        fputs("<section id=\"left-out\">\n<h2>What the figures leave out</h2>\n", stream);
        put_lines(stream, page->foot);
        fputs("</section>\n", stream);
    }
    fputs("</main>\n</body>\n</html>\n", stream);
}
