/* Puts back the words that data records leave out, since they are constants of the module (struct ws_fixed_word). */
#ifndef WS_ANALYSIS_CAPTURE_FIXED_WORDS_H
#define WS_ANALYSIS_CAPTURE_FIXED_WORDS_H

#include <stdint.h>

#include "warpscope/instrument.h"

/* Which words of `fixed`, rising by site, are of the site: how many, and `*first`. */
uint32_t ws_fixed_words_find(const struct ws_fixed_word *fixed, uint32_t count, uint32_t site,
                             uint32_t *first);

/* Writes `word_count` words of each of `lane_count` lanes to `whole`: those of `fixed`, of which there are `count`, and between
 * them those of the record, which begin at `words`. For example, of two lanes, three words and a fixed word 1, which is 7,
 * 10, 11, 20, 21 become 10, 7, 11, 20, 7, 21. */
void ws_fixed_words_restore(uint32_t *whole, const uint32_t *words, uint32_t lane_count, uint32_t word_count,
                            const struct ws_fixed_word *fixed, uint32_t count);

#endif
