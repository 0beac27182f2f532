/* Blocks of a function that always run with exactly the same lanes: one counter serves them all.
 *
 * THE RULE. Two blocks are in the same class when
 *   (1) they are cycle equivalent in the function's graph, completed as below: every cycle through one
 *       passes through the other; and
 *   (2) they have the same mask context.
 * The graph is completed by one node EXIT with an edge to the first block, and edges to EXIT from every
 * block that ends the function or its lanes (OpReturn, OpKill, OpTerminateRayKHR, OpUnreachable, ...), from
 * every block that parts a warp on the way (calls.h: traceRay, a call that may kill, demote, ...), and from
 * every block that otherwise could not reach EXIT (an endless loop).
 * The mask context of a block says which lanes are meant to be together in it:
 *   - of a merge block, the context of the header that declares it; of a continue target, that of its
 *     loop's header: there lanes meet again;
 *   - of any other block where several forward edges join (a switch case that another falls into), the
 *     block itself: the lanes need not meet again there;
 *   - else, that of the one block before it; the first block starts one.
 *
 * WHY IT IS RIGHT. What one lane does in a call of the function is a walk from the first block to EXIT;
 * with the edge back it is a closed walk, which falls apart into simple cycles. Each of those holds both
 * blocks once or neither, so every lane runs both equally often, and alternately. This is stronger than
 * "A dominates B, B post-dominates A, both in the same innermost loop", which follows from it and which
 * alone would be wrong: in `loop { A; if (c) continue; B; if (d) break; }` it holds of A and B, but a lane
 * that continues runs A and not B.
 * That whole warps agree and not only the sums over lanes needs the device: lanes that ran a header
 * together run its merge block together (of a loop, also the continue target, once per iteration), and
 * those that called a function together return together. Where the lanes of A part on the way to B, they
 * part in a block between the two, whose construct ends before B, since B with its equal context is none
 * of the joins inside it; they meet again where that construct ends, or where an outer one does that some of
 * them leave it for, in any case at or before B, all of them by (1) and no others by A dominating B.
 * Vulkan promises that only to shaders with the execution mode MaximallyReconvergesKHR, and to others where
 * control flow is uniform; devices mostly do it. Where one does not, options.per_block counts every block.
 *
 * Linear time (Johnson, Pearson, Pingali: The Program Structure Tree, 1994); any graph is accepted,
 * irreducible ones and malformed merges included: they only make classes smaller. */
#ifndef WS_PASSES_EQUIVALENCE_H
#define WS_PASSES_EQUIVALENCE_H

#include "cfg.h"

/* Returns, for each block of module->functions[function], the first block of its class (first in the
 * reverse post-order, so it dominates the others); WS_NONE for blocks that control flow does not reach.
 * `cfg` is the function's graph, not opaque; `parts` is ws_calls.block_parts. In the arena; NULL and
 * `error` on no memory. */
uint32_t *ws_equivalence_find(struct ws_arena *arena, const struct ws_module *module, uint32_t function,
                              const struct ws_cfg *cfg, const bool *parts, struct ws_error *error);

#endif
