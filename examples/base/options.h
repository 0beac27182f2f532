/* The command line of an example: its own options, and those that all examples have.
 *
 *   -o, --output FILE   --size WxH   --device NAME   -h, --help
 *
 * and one word without an option, where a program takes one. */
#ifndef WS_EXAMPLES_BASE_OPTIONS_H
#define WS_EXAMPLES_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/base/gpu.h"

enum ws_option_kind {
    WS_OPTION_FLAG,   /* value: bool */
    WS_OPTION_NUMBER, /* value: uint32_t, from `min` to `max` */
    WS_OPTION_CHOICE, /* value: uint32_t, index in `choices` */
    WS_OPTION_TEXT,   /* value: const char *, a pointer into argv */
};

/* One option, `--name`, or `-letter` too where that is not 0. `value` holds the default before. */
struct ws_option {
    const char *name;
    char letter;
    enum ws_option_kind kind;
    void *value;
    const char *argument; /* what --help calls its argument; NULL for a flag and for a choice */
    const char *help;     /* one line; the default is added to it for numbers and choices */
    uint32_t min;
    uint32_t max;
    const char *const *choices; /* NULL-terminated */
};

/* What all examples share. Set the defaults before parsing. */
struct ws_options {
    const char *program; /* name of the program */
    const char *summary; /* one line: what it draws */
    const char *output;
    const char *device; /* NULL = the first that fits */
    uint32_t width;
    uint32_t height;
    uint32_t size_max;   /* largest width and height */
    const char *operand; /* what --help calls the word; NULL = the program takes none */
    const char *word;    /* the word that was given; NULL = none */
};

/* Exit statuses of the examples. */
enum ws_exit { WS_EXIT_DONE = 0, WS_EXIT_FAILED = 1, WS_EXIT_USAGE = 2, WS_EXIT_UNFIT = 3 };

static inline int ws_exit_of(enum ws_gpu_status status)
{
    switch (status) {
    case WS_GPU_READY: return WS_EXIT_DONE;
    case WS_GPU_UNFIT: return WS_EXIT_UNFIT;
    default: return WS_EXIT_FAILED;
    }
}

/* Reads the command line. True: go on. False: leave with `*status`: --help was printed on stdout
 * (WS_EXIT_DONE), or what is wrong was printed on stderr (WS_EXIT_USAGE). */
bool ws_options_parse(struct ws_options *options, const struct ws_option *own, size_t own_count, int argc,
                      char **argv, int *status);

#endif
