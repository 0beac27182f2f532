/* The one translation unit that holds volk. */
#pragma GCC diagnostic ignored "-Wpedantic"
#define VOLK_IMPLEMENTATION
#include <volk.h>
