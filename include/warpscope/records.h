/* The record stream: the records that instrumented shaders append, where order matters. C and GLSL both
 * include this file, so it holds only #defines and what is inside `#ifndef WS_GLSL`.
 *
 * STREAM. The root block (root.h) points at one stream control block per device, in device-local memory.
 * Little-endian 32-bit words:
 *
 *   word  0     words reserved so far, those that did not fit included. More than the capacity means
 *               overflow; the excess is the room that was missing. The word stops growing at
 *               WS_STREAM_SATURATED; from there on the excess is a lower bound
 *   word  1     first 0. The first reservation that does not fit stores here where it began, so this is
 *               valid only once word 0 is more than the capacity. The words before it are whole records;
 *               the words from it on are no records
 *   word  2     capacity in words, at most WS_STREAM_CAPACITY_MAX; 0 = nothing is recorded or reserved
 *   word  3     WS_SAMPLE_* flags: which threads are recorded (SAMPLING); 0 = all
 *   word  4, 5  address of the words, low half first; 4-byte aligned
 *   word  6, 7  address of the thread bitmap (SAMPLING), 0 = none
 *   word  8..   parameters of the sampling
 *   word  18    scratch: every record that does not fit writes here instead
 *
 * While a submission runs, word 0 only grows. So after one reservation did not fit, no later one fits. The
 * records that were written are therefore a whole prefix of the stream, and exactly one reservation ends it
 * (start <= capacity < start + size). At the end of each launch, words 0 to 3 are copied. These copies part
 * the stream of a submission into launches.
 *
 * ONE CURSOR. Word 0 is the only thing that all warps share: one atomic per record. A GPU does about one atomic per clock
 * at one address, 10^9 a second. So what is lost by that is bounded by the room: 2 GiB hold 2.7 * 10^8 places of 8
 * bytes, which all multiprocessors together, 100 or 10, append in 0.27 s; then the stream is full. With a cursor for each
 * multiprocessor it would be full sooner, and of no two contexts one could say which was first. That order is needed: it
 * tells which call a called shader's records belong to (model/replay.h), and the device may part a warp's lanes
 * among multiprocessors at each call. Chunks for each context would keep the order; but most contexts are a few dozen words,
 * and half a chunk each would be unused. On a software device of two threads, which take the cache line from each other,
 * the one cursor makes a place in a tight loop 1.8 times as dear as on one thread; of a path tracer's run it is a tenth.
 *
 * CONTEXT. One execution of one shader by one warp, from the beginning of the entry point to the end of its
 * last lane. A split warp (independent thread scheduling) stays one context. A warp also stays one context
 * while its hit shaders run elsewhere. Lanes that come back from those in another warp, or in other lanes,
 * continue in a new context (CONTINUATION).
 *
 * The number of a context is the position of its entry record: how many words precede it in the stream. Each
 * lane keeps this number in a Private variable, and every record of the warp carries it. The entry record
 * says which shader it is and which thread is in which lane, so no other record repeats a work id, a slot or
 * a warp id. WS_CONTEXT_NONE: the warp is not recorded, and it appends nothing.
 *
 * NEEDS. The capabilities GroupNonUniformBallot and GroupNonUniformShuffle:
 * VkPhysicalDeviceSubgroupProperties with VK_SUBGROUP_FEATURE_BALLOT_BIT and _SHUFFLE_BIT for the stage.
 * (Counters need ballots only.)
 *
 * MASKS. A mask of lanes has WS_MASK_WORDS(bins) words. Its bit l stands for lane l
 * (gl_SubgroupInvocationID). Bins (WS_SPEC_BINS) is the device's largest subgroup size. Helper lanes are in
 * no mask.
 *
 * ENTRY RECORD, where an entry point begins:
 *
 *   word 0      WS_CONTEXT_NONE: marks an entry record, since no record belongs to that context
 *   word 1      slot << 16 | number of the site
 *   word 2      bits 0-7: gl_SubgroupSize; bits 8-15: words per warp; bits 16-23: words per lane
 *   mask        lanes that enter
 *   per warp    the words per warp
 *   per lane    the words per lane, of each lane in the mask, lowest lane first
 *
 * The stage says what these words are (WORK IDS).
 *
 * CONTINUATION. After a repack instruction (traceRay, executeCallable, reportIntersection, ...) a device may
 * resume an invocation in another subgroup, or in another lane of the same subgroup (Vulkan specification,
 * Ray Tracing, Shader Call Instructions). So every shader with records has a check after each of these
 * instructions. All lanes of the warp that have a context compare two things: their contexts, and whether
 * each is still in the lane that its context has for it.
 *
 * If all is equal, nothing is appended, and the lanes continue their context. So a device that keeps warps
 * together never makes a continuation.
 *
 * If anything differs, the warp appends an entry record of all these lanes, with their work ids, in any ray
 * tracing stage. Its site is of kind WS_SITE_CONTINUE. It begins a new context, and whatever these lanes
 * append from here on belongs to the new context. Each thread leaves the context that it was in without
 * ending it. The work id says which thread it is, and a further word of each lane which context it leaves. That is of the
 * same shader, but a shader may be on the way to itself: a closest hit shader whose ray runs it again, in which lanes leave
 * no record where they end. Streams of older captures lack the word: then it is the innermost one of the shader. The
 * thread keeps the caller that it had. The lanes may come from several contexts, and other lanes may still be in those. For
 * example, after traceRay lanes 0 to 15 of context A and lanes 0 to 15 of context B may come back as one
 * warp: it appends a continuation with 32 lanes, context C.
 *
 * PLACE RECORD, at every other site without words (the beginning of a block, before or after an instruction,
 * a sync point):
 *
 *   word 0      context
 *   word 1      number of the site << 16, and
 *                 where bins <= 16: the mask in bits 0-15, and that is all (8 bytes)
 *                 else bit 0 set: the mask is that of the context's entry record, and that is all (8 bytes)
 *                 else bit 0 clear: the mask follows
 *   mask        see above: (8 + 4 * WS_MASK_WORDS(bins)) bytes
 *
 * A full warp needs 8 bytes for a block execution at any subgroup size. Other warps need 8, 12, 16 and 24
 * bytes at 16, 32, 64 and 128 lanes. Fewer are not possible: warps append to one stream in any order, so each
 * record must name its context (32 bits, since the stream may hold 2^32 words), its site (16 bits) and its
 * lanes. A block that can only follow another one has no record at all (pass.h).
 *
 * DATA RECORD, at sites with words: a place record whose mask always follows where bins > 16 (bit 0 is
 * clear), and then N words for each lane of the mask, lowest lane first. N is what the site says (struct ws_site_info, row)
 * without the words that are fixed: those whose value is a constant of the module, such as the flags of most traces, which the
 * site says once (struct ws_fixed_word). Where all are fixed, N is 0, and the record is a place record (bit 0 may be set).
 *
 * PATH RECORD. Where nothing but places is appended from one place to another, the lanes keep what they come by, and append it
 * as one record: a data record of a site of kind WS_SITE_PATH. Behind that site stand those that say what it means:
 * WS_SITE_PATH_STEP, one for each place record that it stands for, in the order in which lanes come by; it names that record's
 * number, and the lanes: all of the mask, or those with a bit in a word. A path whose words are none is a place record.
 *
 * A loop within a path has groups of turns: as many as have room in 30 bits of a word, where each turn has as many bits as
 * the loop needs (WS_TURNS). A one marks where a group begins; behind it the first turn stands highest. So the word says how
 * many turns there are. What follows from other bits has none (WS_STEP_REST): all lanes run the header in each turn; of a
 * branch with two ways, lanes take the one or the other; and where one way alone leads out of the loop, a lane takes it in
 * its last turn. The loop has three words per lane: the last group, which need not be full, the groups before it, which are,
 * and how many in a row were the same. A lane whose group is full and another than the one before appends those that it has so
 * far: a data record of the site of kind WS_SITE_PATH_TURNS, with the group and how many there were; or, if no lane that
 * appends has more than one, of the site before that, with the group alone (WS_TURNS_ONCE). A lane that did not come there has
 * a mark and zeros. So the turns of a lane are those of its records of turns since the path's last record, in their order, then
 * the second and third word, then the first. Turn t of all lanes is one turn of the warp. For example, in
 *
 *   A: for (i = 0; i < 4; i++) { B: if (i == lane) { C; } D; } E;       with lanes 0 and 1
 *
 * the path at E has the steps A and E of all lanes; of the loop the header in each turn, B and D in each but a lane's last one,
 * and C with a bit. So a turn has one bit, and a group 30 turns. The header runs five times, the last time without B. Lane 0
 * has the turns 1, 0, 0, 0, 0, lane 1 has 0, 1, 0, 0, 0. Their words are the binary numbers 110000 and 101000, then 0 and 0: no
 * group is full, and nothing is appended within the loop.
 *
 * What each lane did is exact, and in its order, since each lane keeps its own bits, however a device parts warps. That
 * lanes whose bits say that they came by a place did so together is what the classes of counters rest on too
 * (passes/flow/equivalence.h): those that run a header together run its merge block together, and the continue target once per
 * turn. Where a device does otherwise, options.per_block has each place recorded by itself. Among lanes of a warp in different
 * arms of a branch is no order, and readers need none: of a thread all is in order. What an inactive lane is put down to
 * (replay.h) is told by where it was before the path and is behind it; nothing that could call, end or return lies within.
 *
 * What it saves, as CPU time by that of the plain run, on a software device: a tight loop 16 times with a place record for each
 * block, 1.7 with paths; the first use of a kernel of 250 blocks without the driver's cache 5.9 and 1.9 (1.8 to 2.0), of 160
 * blocks 2.1 (2.0 to 2.2), of 35 blocks 2.1 (2.1 to 2.3); of 160 blocks with barriers 1.6 (1.5 to 1.7). A small loop of many
 * branches costs most: 6.1 (6.0 to 6.8).
 *
 * WORK IDS. Words per warp and per lane of entry records:
 *
 *   ray tracing stages           0 and 1: LaunchIdKHR flattened, (z * height + y) * width + x, modulo 2^32; continuations
 *                                0 and 2: that, the context that the thread leaves
 *   compute, task, mesh          3 and 1: WorkgroupId x, y, z; LocalInvocationIndex
 *   vertex                       0 and 2: VertexIndex, InstanceIndex
 *   tessellation control         0 and 2: PrimitiveId, InvocationId
 *   tessellation evaluation      0 and 1: PrimitiveId
 *   geometry                     0 and 2: PrimitiveId, InvocationId
 *   fragment                     0 and 2: pixel x | y << 16 (FragCoord, rounded down);
 *                                sample | layer << 16: SampleId and Layer where the module itself uses
 *                                them, else WS_WORK_UNKNOWN for each. Reading SampleId would make the
 *                                shader run per sample, and reading Layer needs a capability
 *
 * SAMPLING. A lane is wanted if it passes every test whose flag is set. A warp of a launched stage is
 * recorded if any of its lanes is wanted. x, y, z are LaunchId, GlobalInvocationId or the pixel (z: 0); in
 * other stages the first two work words (z: 0). The flat id is the index of LaunchId or GlobalInvocationId in
 * the launch; in other stages it is x. A shader cannot know the base of vkCmdDispatchBase (struct ws_launch_base of
 * chunks.h), and GlobalInvocationId includes it: so the flat id of the launch's first thread is then not 0, but
 * (z * height + y) * width + x of its GlobalInvocationId. Readers, who know the base, subtract that.
 *
 *   WS_SAMPLE_THREADS  first <= flat id <= last, and (flat id - first) % step == 0
 *   WS_SAMPLE_BOX      x0 <= x <= x1 and y0 <= y <= y1
 *   WS_SAMPLE_TILES    (x / width + y / height) % step == 0: tiles of width x height, every step-th of
 *                      each row of tiles, shifted by one from row to row
 *
 * A ray generation shader that is recorded sets the bits of all its threads in the bitmap (bit = flat id
 * modulo WS_BITMAP_BITS). A warp of a called shader is recorded if the bit of any of its lanes is set. So
 * whole warps and whole rays are recorded, however the device regroups threads. */
#ifndef WARPSCOPE_RECORDS_H
#define WARPSCOPE_RECORDS_H

#define WS_STREAM_RESERVED 0 /* words of a stream control block */
#define WS_STREAM_WHOLE    1
#define WS_STREAM_CAPACITY 2
#define WS_STREAM_SAMPLE   3
#define WS_STREAM_ADDRESS  4
#define WS_STREAM_BITMAP   6
#define WS_STREAM_FIRST    8 /* WS_SAMPLE_THREADS: first, last, step */
#define WS_STREAM_LAST     9
#define WS_STREAM_STEP     10
#define WS_STREAM_BOX      11 /* WS_SAMPLE_BOX: x0, y0, x1, y1, the last included */
#define WS_STREAM_TILE     15 /* WS_SAMPLE_TILES: width, height, step */
#define WS_STREAM_SCRATCH  18
#define WS_STREAM_WORDS    19

#define WS_STREAM_SATURATED 0xf0000000u

/* Indices of arrays are signed in SPIR-V (OpAccessChain): 2^31 - 1 words. */
#define WS_STREAM_CAPACITY_MAX 0x7fffffffu

#define WS_SAMPLE_THREADS 1u
#define WS_SAMPLE_BOX     2u
#define WS_SAMPLE_TILES   4u

#define WS_BITMAP_BITS 0x8000000u /* 2^27: 16 MiB */

#define WS_CONTEXT_NONE 0xffffffffu

#define WS_MASK_WORDS(bins)  (((bins) + 31u) / 32u)
#define WS_MASK_PACKED(bins) ((bins) <= 16u) /* in bits 0-15 of a place record's word 1 */

#define WS_RECORD_CONTEXT 0
#define WS_RECORD_PLACE   1 /* slot << 16 | site of entry records, site << 16 | ... of others */
#define WS_RECORD_SHAPE   2 /* entry records */
#define WS_RECORD_FULL    1u

#define WS_WORK_UNKNOWN 0xffffu

#endif
