/* What the heading of a probe declares: outputs, places, and the functions that are called there. Of program.c. Functions
 * return false after they have complained. */
#ifndef WS_ANALYSIS_PROBE_DECLARATIONS_H
#define WS_ANALYSIS_PROBE_DECLARATIONS_H

#include "analysis/probe/program.h"
#include "analysis/probe/tokens.h"

struct ws_reading {
    struct ws_probe_program *program;
    struct ws_complaints *complaints;
    const char *text;
    struct ws_scanner scanner;
};

/* Always false. */
bool ws_reading_no_memory(struct ws_reading *reading);

/* A copy of a part of the text; NULL, complained of, without memory. */
const char *ws_reading_copy(struct ws_reading *reading, size_t offset, size_t length);

/* A line //!; joins those that follow while a brace is open. */
bool ws_read_heading(struct ws_reading *reading, const struct ws_token *token);

/* Behind `output`: NAME: KIND … . With `ends`, it ends with a ';'. */
bool ws_read_output(struct ws_reading *reading, bool ends);
bool ws_add_output(struct ws_reading *reading, const struct ws_probe_output *output, struct ws_part part);

/* Behind `name`. */
bool ws_read_name(struct ws_reading *reading);

/* A place with its filters, from `begin` to `end`: adds a rule. */
bool ws_read_place(struct ws_reading *reading, size_t begin, size_t end);

/* Whether a place begins with the word. */
bool ws_is_place_word(const char *text, const struct ws_token *token);

/* A word that stands where a place should: says what may have been meant. Always false. */
bool ws_complain_of_place(struct ws_reading *reading, const struct ws_token *token);

/* Adds a function: its head, its name, what stands between its parentheses, and its place lines. `body` is that of one
 * line; of a file it is empty. */
bool ws_read_overload(struct ws_reading *reading, struct ws_part head, const struct ws_token *name,
                      struct ws_scanner parameters, struct ws_part body, uint32_t rule_first,
                      uint32_t rule_count);

/* What can be checked only when all is read. */
bool ws_check_program(struct ws_reading *reading);

#endif
