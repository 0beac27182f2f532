/* A range of numbers, as --frames and --launches have it. */
#ifndef WARPSCOPE_BASE_RANGE_H
#define WARPSCOPE_BASE_RANGE_H

#include <stdint.h>

/* `first` to `last`, both included and counted from 0. Everything, 0 to UINT64_MAX, where none is given. */
struct ws_range {
    uint64_t first;
    uint64_t last;
};

#endif
