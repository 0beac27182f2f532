#include "examples/base/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN_MAX 24

/* What getopt_long returns for options without a letter; letters are below all of these. */
enum { SIZE = 256, DEVICE, OWN };

static void print_option(char letter, const char *name, const char *argument, const char *help,
                         const char *default_value)
{
    char left[128];
    const int column =
        snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                 letter ? ',' : ' ', name, argument ? " " : "", argument ? argument : "");

    printf("%-29s%s%s%s%s%s\n", left, column > 28 ? "\n                             " : "", help,
           default_value ? " (default " : "", default_value ? default_value : "", default_value ? ")" : "");
}

static void print_own(const struct ws_option *option)
{
    char choices[96] = "";
    char number[16];
    const uint32_t *value = option->value;

    switch (option->kind) {
    case WS_OPTION_NUMBER:
        snprintf(number, sizeof(number), "%u", *value);
        print_option(option->letter, option->name, option->argument, option->help, number);
        return;
    case WS_OPTION_CHOICE:
        for (size_t i = 0; option->choices[i] != NULL; i++) {
            size_t used = strlen(choices);
            snprintf(choices + used, sizeof(choices) - used, "%s%s", i > 0 ? "|" : "", option->choices[i]);
        }
        print_option(option->letter, option->name, choices, option->help, option->choices[*value]);
        return;
    case WS_OPTION_FLAG:
    case WS_OPTION_TEXT:
        print_option(option->letter, option->name, option->argument, option->help, NULL);
        return;
    }
}

static void print_help(const struct ws_options *options, const struct ws_option *own, size_t own_count)
{
    char size[32];

    snprintf(size, sizeof(size), "%ux%u", options->width, options->height);
    printf("usage: %s%s%s [options]\n%s\n\n", options->program, options->operand ? " " : "",
           options->operand ? options->operand : "", options->summary);
    print_option('o', "output", "FILE", "PNG file to write", options->output);
    print_option(0, "size", "WxH", "width and height in pixels", size);
    for (size_t i = 0; i < own_count; i++)
        print_own(&own[i]);
    print_option(0, "device", "NAME", "use the Vulkan device whose name contains NAME",
                 "the first that fits");
    print_option('h', "help", NULL, "print this and leave", NULL);
    printf("\nExit status: 0 done, 1 failed, 2 wrong arguments, 3 no Vulkan device that can do it.\n");
}

static bool complain(const struct ws_options *options, const char *name, const char *given,
                     const char *wanted)
{
    fprintf(stderr, "%s: --%s %s: %s; see --help\n", options->program, name, given, wanted);
    return false;
}

/* Reads a decimal number without sign; `*end` is set behind it. */
static bool read_number(const char *text, const char **end, uint32_t *number)
{
    char *stop;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    *end = stop;
    *number = (uint32_t)value;
    return errno == 0 && value <= UINT32_MAX;
}

static bool read_size(struct ws_options *options, const char *text)
{
    const char *end;
    uint32_t width, height;

    if (!read_number(text, &end, &width) || *end != 'x' || !read_number(end + 1, &end, &height) ||
        *end != '\0')
        return complain(options, "size", text, "must be WIDTHxHEIGHT, such as 256x256");
    if (width < 1 || height < 1 || width > options->size_max || height > options->size_max) {
        char wanted[64];
        snprintf(wanted, sizeof(wanted), "each side must be from 1 to %u", options->size_max);
        return complain(options, "size", text, wanted);
    }
    options->width = width;
    options->height = height;
    return true;
}

static bool read_choice(const struct ws_options *options, const struct ws_option *option, const char *text)
{
    char wanted[160] = "must be one of";
    uint32_t *value = option->value;

    for (uint32_t i = 0; option->choices[i] != NULL; i++) {
        size_t used = strlen(wanted);
        if (strcmp(option->choices[i], text) == 0) {
            *value = i;
            return true;
        }
        snprintf(wanted + used, sizeof(wanted) - used, " %s", option->choices[i]);
    }
    return complain(options, option->name, text, wanted);
}

static bool read_own(const struct ws_options *options, const struct ws_option *option, const char *text)
{
    const char *end;
    uint32_t number;
    char wanted[64];

    switch (option->kind) {
    case WS_OPTION_FLAG: *(bool *)option->value = true; return true;
    case WS_OPTION_TEXT: *(const char **)option->value = text; return true;
    case WS_OPTION_CHOICE: return read_choice(options, option, text);
    case WS_OPTION_NUMBER: break;
    }
    if (!read_number(text, &end, &number) || *end != '\0' || number < option->min || number > option->max) {
        snprintf(wanted, sizeof(wanted), "must be a number from %u to %u", option->min, option->max);
        return complain(options, option->name, text, wanted);
    }
    *(uint32_t *)option->value = number;
    return true;
}

/* Fills getopt's tables: the shared options first, then the program's own from OWN on. */
static void fill_tables(const struct ws_option *own, size_t own_count, struct option *table, char *letters)
{
    size_t count = 0;
    size_t letter = 0;

    table[count++] = (struct option){"output", required_argument, NULL, 'o'};
    table[count++] = (struct option){"size", required_argument, NULL, SIZE};
    table[count++] = (struct option){"device", required_argument, NULL, DEVICE};
    table[count++] = (struct option){"help", no_argument, NULL, 'h'};
    memcpy(letters, "o:h", 3);
    letter = 3;
    for (size_t i = 0; i < own_count; i++) {
        const int argument = own[i].kind == WS_OPTION_FLAG ? no_argument : required_argument;
        table[count++] = (struct option){own[i].name, argument, NULL, OWN + (int)i};
        if (own[i].letter != 0) {
            letters[letter++] = own[i].letter;
            if (argument == required_argument)
                letters[letter++] = ':';
        }
    }
    table[count] = (struct option){0};
    letters[letter] = '\0';
}

static const struct ws_option *own_of(const struct ws_option *own, size_t own_count, int found)
{
    for (size_t i = 0; i < own_count; i++)
        if (found == OWN + (int)i || (own[i].letter != 0 && found == own[i].letter))
            return &own[i];
    return NULL;
}

bool ws_options_parse(struct ws_options *options, const struct ws_option *own, size_t own_count, int argc,
                      char **argv, int *status)
{
    struct option table[OWN_MAX + 5];
    char letters[2 * OWN_MAX + 4];
    int found;
    bool good = true;

    *status = WS_EXIT_USAGE;
    if (own_count > OWN_MAX)
        return complain(options, "help", "", "the program has too many options");
    fill_tables(own, own_count, table, letters);
    while (good && (found = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        const struct ws_option *option = own_of(own, own_count, found);
        if (option != NULL) {
            good = read_own(options, option, optarg);
        } else if (found == 'o') {
            options->output = optarg;
        } else if (found == SIZE) {
            good = read_size(options, optarg);
        } else if (found == DEVICE) {
            options->device = optarg;
        } else if (found == 'h') {
            print_help(options, own, own_count);
            *status = WS_EXIT_DONE;
            return false;
        } else {
            fprintf(stderr, "see %s --help\n", options->program);
            good = false;
        }
    }
    if (good && optind < argc && options->operand != NULL)
        options->word = argv[optind++];
    if (good && optind < argc) {
        fprintf(stderr, "%s: \"%s\" is no option; see --help\n", options->program, argv[optind]);
        good = false;
    }
    return good;
}
