/* What advice tells the summary (warpscope/report/findings.h): each piece is a change, except those that have their cause
 * in common with one before them. Its size is what is at stake (advice.h). */
#ifndef WS_ANALYSIS_ADVICE_ADVICE_FINDINGS_H
#define WS_ANALYSIS_ADVICE_ADVICE_FINDINGS_H

#include "analysis/advice/advice.h"
#include "warpscope/report/findings.h"

/* Adds the pieces of a list that is ranked, and says which part of the work its slots are. `rays_touched` is what launches
 * that traced rays take of the device time, for pieces that are of no shader; 0 = not known. False when there is no
 * memory. */
bool ws_advice_findings(const struct ws_advice_list *list, const struct ws_advice_costs *costs,
                        double rays_touched, struct ws_findings *findings);

/* "certain", "likely" or "possible". */
const char *ws_certainty_name(uint32_t certainty);

#endif
