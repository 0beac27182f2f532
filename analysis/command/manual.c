#include "analysis/command/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/command/command.h"
#include "analysis/command/help.h"
#include "warpscope/report/analysis.h"

#define LITERAL_WIDTH 72 /* of what stands in lines of its own: 80 columns, less the indentation of man */

/* Prints `length` bytes as roff shows them: a hyphen is a minus, which can be copied, and no line is a request. */
static void print_part(const char *text, size_t length, FILE *stream)
{
    bool first = true;
    for (const char *at = text; at < text + length; ++at) {
        if (first && (*at == '.' || *at == '\''))
            fputs("\\&", stream);
        if (*at == '\\')
            fputs("\\e", stream);
        else if (*at == '-')
            fputs("\\-", stream);
        else if (*at == '\'')
            fputs("\\(aq", stream);
        else
            fputc(*at, stream);
        first = *at == '\n';
    }
}

static void print_text(const char *text, FILE *stream)
{
    print_part(text, strlen(text), stream);
}

/* Prints a paragraph, and a full stop where it has none. */
static void print_sentence(const char *text, FILE *stream)
{
    const size_t length = strlen(text);
    print_text(text, stream);
    fputs(length > 0 && text[length - 1] != '.' ? ".\n" : "\n", stream);
}

/* Prints lines as they are. Empty ones become vertical space. */
static void print_literal(const char *text, FILE *stream)
{
    fputs(".nf\n", stream);
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length == 0) {
            fputs(".sp\n", stream);
            continue;
        }
        print_part(text, length, stream);
        fputc('\n', stream);
    }
    fputs(".fi\n", stream);
}

static void begin_page(const char *name, const char *summary, FILE *stream)
{
    fputs(".TH ", stream);
    for (const char *at = name; *at != '\0'; ++at)
        fputc(toupper((unsigned char)*at), stream);
    fputs(" 1 \"\" \"Warpscope " WS_VERSION "\" \"Warpscope\"\n.SH NAME\n", stream);
    print_text(name, stream);
    fputs(" \\- ", stream);
    print_text(summary, stream);
    fputs("\n.SH SYNOPSIS\n", stream);
}

/* Prints the choices of an option, where there are some. */
static void print_choices(const struct ws_option *option, FILE *stream)
{
    const char *choice = NULL;
    if (option->kind != WS_ARGUMENT_CHOICE && option->kind != WS_ARGUMENT_CHOICES)
        return;
    fputs(option->kind == WS_ARGUMENT_CHOICE ? "One of: " : "Of: ", stream);
    for (size_t i = 0; (choice = option->choice(option, i)) != NULL; ++i) {
        fputs(i > 0 ? ", " : "", stream);
        print_text(choice, stream);
    }
    fputs(".\n", stream);
}

static void print_option(const struct ws_option *option, FILE *stream)
{
    fputs(".TP\n", stream);
    if (option->letter != 0)
        fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stream);
    print_text(option->name, stream);
    fputs("\\fR", stream);
    if (option->argument != NULL) {
        fputs(" \\fI", stream);
        print_text(option->argument, stream);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    print_sentence(option->help, stream);
    if (option->more != NULL)
        print_sentence(option->more, stream);
    print_choices(option, stream);
}

static void print_options(const struct ws_command *command, FILE *stream)
{
    const char *group = NULL;
    const struct ws_option *option = NULL;
    fputs(".SH OPTIONS\n", stream);
    for (size_t i = 0; (option = ws_command_option_by_group(command, i)) != NULL; ++i) {
        if (option->group != NULL && (group == NULL || strcmp(group, option->group) != 0)) {
            fputs(".SS ", stream);
            print_text(option->group, stream);
            fputc('\n', stream);
        }
        group = option->group;
        if (option->help != NULL)
            print_option(option, stream);
    }
}

/* Prints what `print` prints, as it is. */
static void print_chapter(const struct ws_chapter *chapter, FILE *stream)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return;
    fputs(".SH ", stream);
    for (const char *at = chapter->name; *at != '\0'; ++at)
        fputc(toupper((unsigned char)*at), stream);
    fputc('\n', stream);
    chapter->print(LITERAL_WIDTH, memory);
    if (fclose(memory) == 0)
        print_literal(text, stream);
    free(text);
}

/* The pages that belong together. */
static void print_others(const char *own, FILE *stream)
{
    const char *before = "";
    fputs(".SH SEE ALSO\n", stream);
    if (own != NULL) {
        fputs("\\fBwarpscope\\fR(1)", stream);
        before = ",\n";
    }
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        if (own == NULL || strcmp(own, ws_commands[i]->name) != 0) {
            fprintf(stream, "%s\\fBwarpscope\\-%s\\fR(1)", before, ws_commands[i]->name);
            before = ",\n";
        }
    fputc('\n', stream);
}

/* What a plug-in may hold, by the header that it includes. */
struct ws_plugin_form {
    const char *header;
    const char *help;
};

static const struct ws_plugin_form plugin_forms[] = {
    {"warpscope/pass.h",
     "A pass: what is counted or recorded, and where. warpscope/plugin.h makes it a plug-in"},
    {"warpscope/counter_analysis.h", "An analysis whose figures are sums over the sites that a pass counts"},
    {"warpscope/analysis.h",
     "A full analysis, as the built-in ones are: options, tables, findings, plots, records and rays. It is "
     "bound to one version of Warpscope, so it is built anew for a new one"},
    {NULL, NULL},
};

/* What an exit status means, without the words that the section is named by. */
static void print_status(const struct ws_command *command, FILE *stream)
{
    static const char heading[] = "Exit status: ";
    const char *status = ws_help_status(command);
    const size_t length = sizeof(heading) - 1;
    fputs(".SH EXIT STATUS\n", stream);
    print_text(status + (strncmp(status, heading, length) == 0 ? length : 0), stream);
    fputc('\n', stream);
}

void ws_manual_write_command(const struct ws_command *command, FILE *stream)
{
    char name[64];
    snprintf(name, sizeof(name), "warpscope-%s", command->name);
    begin_page(name, command->summary, stream);
    fprintf(stream, "\\fBwarpscope %s\\fR ", command->name);
    print_text(command->usage, stream);
    fputs("\n.SH DESCRIPTION\n", stream);
    print_text(command->about, stream);
    fputc('\n', stream);
    print_options(command, stream);
    for (const struct ws_chapter *chapter = command->topics; chapter != NULL && chapter->name != NULL;
         ++chapter)
        print_chapter(chapter, stream);
    fputs(".SH EXAMPLES\n", stream);
    print_literal(command->examples, stream);
    print_status(command, stream);
    print_others(command->name, stream);
}

/* How plug-ins are written and loaded: the headers say the rest. */
static void print_plugins(FILE *stream)
{
    fputs(".SH PLUG\\-INS\n", stream);
    print_text(
        "A shared object adds passes, analyses, or both. --plugin FILE before any command loads it; a folder "
        "stands for all its files NAME.so. The option may be given more than once.\n",
        stream);
    for (const struct ws_plugin_form *form = plugin_forms; form->header != NULL; ++form) {
        fputs(".TP\n\\fB", stream);
        print_text(form->header, stream);
        fputs("\\fR\n", stream);
        print_sentence(form->help, stream);
    }
    fputs(".PP\n", stream);
    print_text(
        "Passes and analyses of sums may stand in one file. Full analyses are a file of their own. No file "
        "needs a library:\n",
        stream);
    print_literal("cc -std=c17 -shared -fPIC pass.c -o pass.so $(pkg-config --cflags warpscope)\n"
                  "warpscope --plugin ./pass.so record -p NAME -o run.wscope -- PROGRAM\n"
                  "\n"
                  "cc -std=c17 -shared -fPIC -fvisibility=hidden analysis.c -o analysis.so \\\n"
                  "    $(pkg-config --cflags warpscope-analysis)\n"
                  "warpscope --plugin ./analysis.so report run.wscope NAME\n",
                  stream);
    fputs(".PP\n", stream);
    print_text("A report on what a plug-in recorded needs the plug-in too, for its analysis. Who uses one "
               "daily names it, or "
               "a folder of them, in WARPSCOPE_PLUGINS. A file that others than its user and the superuser "
               "can write is "
               "refused. So is one that was built for another version of the headers.\n",
               stream);
    fputs(".PP\n", stream);
    print_text("A pass with its analysis in one file, to begin with, is installed beside the headers: "
               "share/doc/warpscope/examples/plugin, in Debian's package libwarpscope-dev "
               "/usr/share/doc/libwarpscope-dev/examples/plugin. The guide explains it.\n",
               stream);
}

/* Where to begin: the page names everything, but says of nothing that it comes first. */
static void print_beginning(FILE *stream)
{
    fputs(".SH DESCRIPTION\n", stream);
    print_text("A Vulkan layer adds counters and records to the shaders of a program on their way to the "
               "driver. The program "
               "needs neither its source nor a new build, and draws the same picture. What the shaders did "
               "is written "
               "into a capture, which the other commands read:\n",
               stream);
    print_literal("warpscope record -o run.wscope -- PROGRAM ITS ARGUMENTS\n"
                  "warpscope summary run.wscope\n"
                  "warpscope view run.wscope\n",
                  stream);
    fputs(".PP\n", stream);
    print_text("A question of your own is a line of GLSL:\n", stream);
    print_literal(
        "warpscope record -e 'after OpFDiv { if (isinf(result)) count(); }' -o run.wscope -- PROGRAM\n"
        "warpscope report run.wscope probe\n",
        stream);
}

/* What is installed beside the command. Folders are below the prefix, which is /usr in packages of distributions. */
static const struct ws_help_variable installed_files[] = {
    {"share/warpscope/probes/README.md",
     "The guide to questions of your own: from one line to a pass with its analysis in C."},
    {"share/warpscope/probes",
     "Probes to begin with: where not-a-number is born, how often loops run, and others."},
    {"share/warpscope/queries/README.md",
     "Questions in SQL on what export writes as Parquet, and a query for each."},
    {"share/warpscope/report.schema.json",
     "The shape of what report --json prints; diff.schema.json that of diff."},
    {"share/doc/warpscope/examples",
     "A plug-in, and programs in C and Python that read captures. In Debian's packages they are in "
     "/usr/share/doc/libwarpscope-dev/examples."},
    {"include/warpscope",
     "The headers for plug-ins and for programs that read captures; each explains itself."},
    {"share/vulkan/implicit_layer.d",
     "The layer's manifest. With WARPSCOPE_ENABLE=1 the loader loads the layer without record."},
    {NULL, NULL},
};

static void print_items(const char *heading, const struct ws_help_variable *items, FILE *stream)
{
    fprintf(stream, ".SH %s\n", heading);
    for (; items->name != NULL; ++items) {
        fputs(".TP\n\\fB", stream);
        print_text(items->name, stream);
        fputs("\\fR\n", stream);
        print_sentence(items->help, stream);
    }
}

void ws_manual_write(FILE *stream)
{
    begin_page("warpscope", "shows what really happens inside the shaders of a Vulkan application", stream);
    fputs("\\fBwarpscope\\fR [\\fB\\-\\-plugin\\fR \\fIFILE\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n",
          stream);
    print_beginning(stream);
    fputs(".SH COMMANDS\n", stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        fprintf(stream, ".TP\n\\fBwarpscope\\-%s\\fR(1)\n", ws_commands[i]->name);
        print_sentence(ws_commands[i]->summary, stream);
    }
    print_plugins(stream);
    print_items("ENVIRONMENT", ws_help_variables, stream);
    print_items("FILES", installed_files, stream);
    print_status(NULL, stream);
    fputs(".SH ANALYSES\n", stream);
    for (const struct ws_analysis *const *analysis = ws_analysis_list(); *analysis != NULL; ++analysis) {
        fprintf(stream, ".TP\n\\fB%s\\fR\n", (*analysis)->name);
        print_sentence((*analysis)->summary, stream);
    }
    print_others(NULL, stream);
}
