/* The record stream: what instrumented shaders append where order matters. Read by C and by GLSL, so it holds
 * only #defines and what is inside `#ifndef WS_GLSL`.
 *
 * STREAM. The root block (root.h) points at one stream control block per device, in device-local memory.
 * Little-endian 32-bit words:
 *
 *   word  0     words reserved so far, with those that did not fit: more than the capacity = overflow,
 *               and the excess is exactly the room that was missing. Stops growing at
 *               WS_STREAM_SATURATED: from there on the excess is a lower bound
 *   word  1     0 to begin with. Where the first reservation began that did not fit, which stores that:
 *               valid only once word 0 is more than the capacity. The words before it are whole
 *               records, those from there on nothing
 *   word  2     capacity in words, WS_STREAM_CAPACITY_MAX at most; 0 = no records are taken, and
 *               nothing is reserved
 *   word  3     WS_SAMPLE_* flags: which threads are wanted; 0 = all
 *   word  4, 5  address of the words, low half first; 4-byte aligned
 *   word  6, 7  address of the thread bitmap (SAMPLING), 0 = none
 *   word  8..   parameters of the sampling
 *   word  18    scratch: what does not fit is written here, over each other
 *
 * The words reserved only grow while a submission runs, so once something did not fit nothing fits any more:
 * what was written is a whole prefix, which one reservation alone (start <= capacity < start + size) ends.
 * The stream of a submission is cut into launches by copies of words 0 to 3 that are taken at each
 * launch's end.
 *
 * CONTEXT. One execution of one shader by one warp: from where the entry point begins to the end of its last
 * lane. A split warp (independent thread scheduling) stays one context, and so does one whose hit shaders run
 * elsewhere; lanes that come back from those in another warp, or in other lanes, go on in a new one
 * (CONTINUATION). Its number is the position in the stream of its entry record, the words before which are
 * counted from the start of the stream. Each lane keeps it in a Private variable: so what a warp appends says
 * exactly which execution of which shader, and by the entry record which thread is in which lane, it belongs
 * to, and no work id, slot or warp id is repeated in each record. WS_CONTEXT_NONE: the warp is not wanted,
 * nothing is appended.
 *
 * NEEDS. The capabilities GroupNonUniformBallot and GroupNonUniformShuffle:
 * VkPhysicalDeviceSubgroupProperties with VK_SUBGROUP_FEATURE_BALLOT_BIT and _SHUFFLE_BIT for the stage.
 * (Counters need ballots only.)
 *
 * MASKS. A mask of lanes is WS_MASK_WORDS(bins) words, bit l of the whole is lane l
 * (gl_SubgroupInvocationID); bins (WS_SPEC_BINS) is the device's largest subgroup size. Helper lanes are in
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
 * What these words are depends on the stage (WORK IDS).
 *
 * CONTINUATION. An invocation that comes back from a repack instruction (traceRay, executeCallable,
 * reportIntersection, ...) may be resumed in another subgroup, or in another lane of its own (Vulkan
 * specification, Ray Tracing, Shader Call Instructions). So behind each of these, where records are taken,
 * all lanes that have a context compare it, and the lane where it has them. Where they differ, an entry
 * record is appended whose site is of kind WS_SITE_CONTINUE and not at an entry: of all these lanes together,
 * with their words, in any ray tracing stage. It begins a new context, to which all that these lanes append
 * belongs from there on. Each thread, which its work id tells, has left the context that it was in, of the
 * same shader, without ending it; it goes on in the new one with the caller that it had, as if it had been
 * there all the time. The lanes may come from several contexts, which others may go on in. Lanes that came
 * back together, to where they were, continue their context, and nothing is appended; so none of these is
 * ever found where a device keeps warps together.
 *
 * PLACE RECORD, at every other site that has no payload (where a block begins, before or after an
 * instruction, at a sync point):
 *
 *   word 0      context
 *   word 1      number of the site << 16, and
 *                 where bins <= 16: the mask in bits 0-15, and that is all (8 bytes)
 *                 else bit 0 set: the mask is that of the context's entry record, and that is all (8 bytes)
 *                 else bit 0 clear: the mask follows
 *   mask        see above: (8 + 4 * WS_MASK_WORDS(bins)) bytes
 *
 * That is 8 bytes per block execution of a full warp at any subgroup size; 8, 12, 16 and 24 bytes of others
 * at 16, 32, 64 and 128 lanes. Not fewer: warps append to one stream in any order, so each record must name
 * its context (32 bits, since the stream may hold 2^32 words), its site (16 bits) and its lanes. Blocks that
 * can only follow on another are not recorded at all (pass.h).
 *
 * DATA RECORD, at sites with a payload: a place record that is followed by its mask always (where bins > 16;
 * bit 0 is clear), and then by N words per lane of the mask, lowest lane first. N is known by the site
 * (struct ws_site_info).
 *
 * WORK IDS. Words per warp and per lane of entry records:
 *
 *   ray tracing stages           0 and 1: LaunchIdKHR flattened, (z * height + y) * width + x, modulo 2^32
 *   compute, task, mesh          3 and 1: WorkgroupId x, y, z; LocalInvocationIndex
 *   vertex                       0 and 2: VertexIndex, InstanceIndex
 *   tessellation control         0 and 2: PrimitiveId, InvocationId
 *   tessellation evaluation      0 and 1: PrimitiveId
 *   geometry                     0 and 2: PrimitiveId, InvocationId
 *   fragment                     0 and 2: pixel x | y << 16 (FragCoord, rounded down);
 *                                sample | layer << 16: SampleId and Layer where the module itself uses them,
 *                                else WS_WORK_UNKNOWN each, since to ask for SampleId would make the
 *                                shader run per sample and to ask for Layer needs a capability
 *
 * SAMPLING. A warp that enters a launched stage is wanted when any of its lanes is; wanted lanes are those
 * that pass every test whose flag is set. x, y, z are LaunchId, GlobalInvocationId, the pixel (z: 0), or the
 * first two work words (z: 0) of other stages; the flat id is that of LaunchId or GlobalInvocationId in the
 * launch, else x.
 *
 *   WS_SAMPLE_THREADS  first <= flat id <= last, and (flat id - first) % step == 0
 *   WS_SAMPLE_BOX      x0 <= x <= x1 and y0 <= y <= y1
 *   WS_SAMPLE_TILES    (x / width + y / height) % step == 0: tiles of width x height, every step-th of
 *                      each row of tiles, shifted by one from row to row
 *
 * Ray generation shaders that are wanted set the bits of all their threads in the bitmap (bit = flat id
 * modulo WS_BITMAP_BITS); the shaders that their rays call enter as wanted where any lane's bit is set. So
 * whole warps and whole rays are kept, however the device regroups threads. */
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
