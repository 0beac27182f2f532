/* A pass for tests that records at every kind of place, with every kind of primitive that appends. */
#ifndef WS_TESTS_GOLDEN_EVERYWHERE_H
#define WS_TESTS_GOLDEN_EVERYWHERE_H

#include "warpscope/pass.h"

/* Its tags. */
enum everywhere_tag { EVERYWHERE_COUNT = 100, EVERYWHERE_PLACE = 200, EVERYWHERE_DATA = 300 };

extern const struct ws_pass everywhere;

#endif
