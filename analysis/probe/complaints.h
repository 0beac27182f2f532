/* What is wrong with a probe, or worth knowing of it: each complaint stands at a place of the probe's own text, and is
 * shown with that line and a caret below it:
 *
 *     nan.glsl:3:10: 'OpFDivide' is no opcode and no family; did you mean 'OpFDiv'?
 *       3 | //! after OpFDivide
 *         |           ^~~~~~~~~
 *
 * Zero-initialise; free with ws_complaints_finish. Not thread-safe. */
#ifndef WS_ANALYSIS_PROBE_COMPLAINTS_H
#define WS_ANALYSIS_PROBE_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A probe's text, as the user wrote it. Nothing of it is owned. */
struct ws_probe_source {
    const char *label; /* what messages call it: the path of its file, or "-e" */
    const char *name;  /* what reports call the probe */
    const char *text;
    bool is_one_line; /* of -e: places stand before their functions without //! */
    uint32_t seconds; /* of processor time for each compilation; 0 = those of glslang.h */
};

struct ws_complaint {
    size_t offset;  /* in the text; SIZE_MAX = it is about the whole */
    size_t length;  /* of what is marked; 0 = one character */
    bool is_remark; /* worth knowing, and no error */
    char *message;
};

/* More complaints than this are counted only: the first ones are what there is to mend. */
#define WS_COMPLAINTS_SHOWN 12

struct ws_complaints {
    struct ws_complaint *items;
    uint32_t count;
    uint32_t capacity;
    uint32_t errors;   /* those that are no remarks, in all */
    uint32_t left_out; /* not in `items` */
    bool out_of_memory;
};

/* Adds an error. Always returns false, so that a function can fail with it. */
__attribute__((format(printf, 4, 5))) bool ws_complain(struct ws_complaints *complaints, size_t offset,
                                                       size_t length, const char *format, ...);

/* Adds a remark. */
__attribute__((format(printf, 4, 5))) void
ws_complaints_remark(struct ws_complaints *complaints, size_t offset, size_t length, const char *format, ...);

/* Line and column of a place, both from 1. */
void ws_probe_text_place(const struct ws_probe_source *source, size_t offset, uint32_t *line,
                         uint32_t *column);

/* Where a line begins, counted from 1; the end of the text where it has fewer. */
size_t ws_probe_text_line(const struct ws_probe_source *source, uint32_t line);

/* Prints them all, in the order of the text. Control characters of the text are made harmless. */
void ws_complaints_print(const struct ws_complaints *complaints, const struct ws_probe_source *source,
                         FILE *stream);

void ws_complaints_finish(struct ws_complaints *complaints);

#endif
