/* When the depth and stencil tests of a fragment shader run, once it writes counters or records.
 *
 * A fragment shader runs before these tests, unless it asks for EarlyFragmentTests (Vulkan specification, Fragment
 * Operations). A device may still test first where nobody can tell: the shader discards nothing, does not replace
 * depth, stencil or coverage, and writes no memory. Our writes take this from it, so hidden fragments would run
 * and be counted. A shader that nothing else keeps from early tests may be given EarlyFragmentTests: then the
 * device runs just what it may have run before.
 *
 * Whether it is given depends on the pipeline too (layer/shader/pipeline_graphics.c): with EarlyFragmentTests
 * multisample coverage (alpha to coverage) comes after the tests and the sample counting of occlusion queries, and
 * the sample mask test may. */
#ifndef WS_PASSES_INSTRUMENT_FRAGMENT_TESTS_H
#define WS_PASSES_INSTRUMENT_FRAGMENT_TESTS_H

#include "passes/instrument/plan.h"

/* When the tests of the plan's entry points run: one of `tests` for each, in their order. The plan refuses nothing.
 * Takes memory of the module's arena for its time; false if that is short. */
bool ws_fragment_tests_find(enum ws_fragment_tests *tests, const struct ws_instrument_plan *plan);

#endif
