/* What the compiler says of a probe, in plain words and at the place in the probe's own text. */
#ifndef WS_ANALYSIS_PROBE_MESSAGES_H
#define WS_ANALYSIS_PROBE_MESSAGES_H

#include "analysis/probe/generate.h"

/* Reads a log line by line. Errors in the user's own text are complained of; those in functions of one line that are tried
 * (candidates) are only counted. */
struct ws_message_counts {
    uint32_t user;                  /* errors in the user's text and in what surrounds it */
    uint32_t candidate_errors[512]; /* by candidate */
    bool is_cut; /* the compiler gave up behind an error of syntax, so that what follows was not read */
    uint32_t cut_candidate; /* then: in which candidate; WS_NONE = in none */
};

void ws_messages_count(const char *log, uint32_t candidate_count, struct ws_message_counts *counts);

/* Complains of the errors in the user's text, and in candidate `candidate` of `candidates` (WS_NONE: of no candidate). */
void ws_messages_complain(const char *log, const struct ws_probe_program *program,
                          const struct ws_probe_candidate *candidates, uint32_t candidate,
                          struct ws_complaints *complaints);

#endif
