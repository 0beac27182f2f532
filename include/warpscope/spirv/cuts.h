/* Where blocks are cut: behind what lanes may not come back from.
 *
 * A basic block is code that every lane which begins it also finishes. A block of SPIR-V need not be one:
 *
 *   clip(h);  a = b * c;        where clip discards some fragments: they run the call, not the product
 *
 * So a block is CUT behind each instruction that may end lanes, and the code behind it is a block of its own
 * for everybody: it has its own node in the control flow graph (cfg.h), its own counter and records, its own
 * entry in the block list of a capture, and so its own line in every report. The module itself stays as it
 * is; no label is added. These instructions cut:
 *   - OpFunctionCall of a function that may end lanes. Such a function holds OpKill, OpTerminateInvocation,
 *     OpDemoteToHelperInvocation, OpIgnoreIntersectionKHR, OpTerminateRayKHR, their NV forms, OpAbortKHR or
 *     OpReportIntersectionKHR, where control flow can reach it; or it calls a function that does, however deep; or
 *     nothing is known of it;
 *   - OpDemoteToHelperInvocation. The lane runs on as a helper lane. It counts in no figure from there on
 *     (passes/primitives/lanes.glsl has the rule);
 *   - OpReportIntersectionKHR. An any-hit shader may run before it returns, and OpTerminateRayKHR there ends the
 *     intersection shader too (GLSL_EXT_ray_tracing, "terminateRayEXT");
 *   - OpIgnoreIntersectionNV and OpTerminateRayNV, which are no terminators of a block.
 * These do not:
 *   - OpTraceRayKHR, OpExecuteCallableKHR and their like: all lanes come back, though perhaps in other warps
 *     (calls.h, "parts");
 *   - OpUnreachable: no valid program executes it. */
#ifndef WARPSCOPE_SPIRV_CUTS_H
#define WARPSCOPE_SPIRV_CUTS_H

#include "warpscope/spirv/cfg.h"

/* Cuts the blocks of the module, and returns the control flow graphs of all its functions, one each. To be
 * called once, right after ws_module_parse. A function whose control flow is not understood (ws_cfg.opaque)
 * keeps its blocks. Everything is allocated from module->arena. NULL and `error` on a malformed branch or no
 * memory. Linear time but for a binary search per call and per branch target. */
struct ws_cfg *ws_cuts_make(struct ws_module *module, struct ws_error *error);

#endif
