/* Blocks of a function that always run with exactly the same lanes: one counter serves them all.
 *
 * THE RULE. Two blocks are in the same class when
 *   (1) they are cycle equivalent in the function's graph, completed as below: every cycle through one
 *       passes through the other; and
 *   (2) they have the same mask context.
 * The graph is completed by a node EXIT with an edge to the first block, and edges to EXIT from every block
 * that ends the function or its lanes (OpReturn, OpKill, OpTerminateRayKHR, OpUnreachable, ...), from every
 * block that parts a warp on the way (calls.h: traceRay, a call that may kill, demote, ...), and from every
 * block that could not reach EXIT otherwise (an endless loop).
 * The mask context of a block says between which lanes it runs as one. It is named after the block that
 * starts it:
 *   - a block where several forward edges join, unless a header declares it (a switch case that another
 *     falls into): it starts its own, for the lanes need not meet there;
 *   - a loop header: its own, which lasts for one iteration. The loop's continue target has it too;
 *   - the merge block of a selection: that of the header; the merge block of a loop: the one that the loop
 *     header would have if it were no header;
 *   - else: that of the one block before it; its own where that block parts a warp, whose pieces run from
 * there on to where lanes meet. So is that of the merge block of a header that parts: each piece is a
 * header's run of its own. The first block starts the first.
 *
 * WHY IT IS RIGHT. What is asked of the device: lanes that run a header together run its merge block
 * together, and the continue target once per iteration; lanes that call a function together return together.
 * Then whenever a set S of lanes runs the start of a context, each block of the context runs at most once
 * for it, with all lanes of S that come there: by induction, the block has one block of the context before
 * it, that ran once, and its lanes took one edge; or it is where the lanes of a header, that ran once, meet.
 * (All that runs more often or in pieces is behind a loop header or a join, in a context of their own.)
 * The same lanes of S come to both blocks of a class: what a lane does in a call of the function is, with the
 * edge from EXIT, a closed walk; so is the part from one run of the start to the next; it falls apart into
 * simple cycles, and by (1) each of them holds both blocks or neither. The start dominates its context, so
 * neither block is met before it.
 *
 * The simpler rule "A dominates B, B post-dominates A, both in the same innermost loop" follows from it but
 * is not enough: in `loop { A; if (c) continue; B; if (d) break; }` it holds of A and B, but a lane that
 * continues runs only A; and in `loop { if (c) { B; break; } } C` of B and C, but lanes run B in different
 * iterations, and C together.
 *
 * Vulkan promises what is asked of the device to shaders with the execution mode MaximallyReconvergesKHR, and
 * to others where control flow is uniform; devices mostly do it anyway. Where one does not, the blocks of a
 * class still run equally often lane by lane, but in other groups: options.per_block counts each by itself.
 *
 * SUMS. A loop header that is reached by two edges, one from a block in the context around the loop and one back from a
 * block in its own context, and where both blocks lead nowhere else and part no warp, runs once for each run of the one and
 * once for each run of the other, with the same lanes. (The context around matters: where the header is the merge block of
 * another loop, the lanes of a break come to it from several iterations, and run it together.) So the runs of
 * the header, counted by their lanes, are the sum of those of both, and it needs no counter. For example, a `for` loop
 * that 8 lanes enter, of which 5 take a second turn and none a third, runs its body with 8 and with 5 lanes, the block
 * before with 8, and the header, which tests, with 8, 8 and 5. If all three have counters, the header's is left out.
 *
 * Linear time (Johnson, Pearson, Pingali: The Program Structure Tree, 1994). Any graph is accepted,
 * irreducible ones and malformed merges included: they only make classes smaller. */
#ifndef WS_PASSES_FLOW_EQUIVALENCE_H
#define WS_PASSES_FLOW_EQUIVALENCE_H

#include "warpscope/spirv/cfg.h"

/* Returns, for each block of module->functions[function], the first block of its class (first in the
 * reverse post-order, so it dominates the others); WS_NONE for blocks that control flow does not reach.
 * `cfg` is the function's graph, not opaque; `parts` is ws_calls.block_parts. In the arena; NULL and
 * `error` on no memory. */
uint32_t *ws_equivalence_find(struct ws_arena *arena, const struct ws_module *module, uint32_t function,
                              const struct ws_cfg *cfg, const bool *parts, struct ws_error *error);

/* Of a loop header: indices within the function of the block before the loop and the one that leads back. */
struct ws_block_sum {
    uint32_t before; /* WS_NONE = the block is no such header */
    uint32_t again;
};

/* Returns the sum of each block of the function (SUMS). `leaders` is what ws_equivalence_find returned; the class of a header
 * with a sum is neither that of the block before nor that of the one that leads back. In the arena; NULL and `error` on no
 * memory. */
struct ws_block_sum *ws_equivalence_sums(struct ws_arena *arena, const struct ws_module *module,
                                         uint32_t function, const struct ws_cfg *cfg, const bool *parts,
                                         const uint32_t *leaders, struct ws_error *error);

/* Returns, for each block of the function, the block that its mask context is named after; WS_NONE for blocks
 * that control flow does not reach. `parts` as above. In the arena; NULL and `error` on no memory. */
uint32_t *ws_equivalence_contexts(struct ws_arena *arena, const struct ws_module *module, uint32_t function,
                                  const struct ws_cfg *cfg, const bool *parts, struct ws_error *error);

#endif
