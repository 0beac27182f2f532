// What all that append to the record stream share: records.h says what stands in it.
//
// Private variables named ws_* are one each in an instrumented module, whatever of the library is linked: so what the
// entry record's primitive learns of the warp is known to all that come after it, in other functions too. Each lane
// keeps its own. They begin with what GLSL initialises them with.
//
// mix() where ?: would do: glslang makes control flow of that, which takes drivers half as long again to compile.
//
// Few values here live beyond a branch or are carried by a loop: a software device keeps each in memory of its own, and LLVM 15
// finds the dominators of the whole compute shader anew for each.
#include "warpscope/records.h"

#define PACKED     WS_MASK_PACKED(ws_bins)
#define MASK_WORDS (PACKED ? 0 : WS_MASK_WORDS(ws_bins)) /* behind a place */

// Number of this lane's context.
uint ws_context = WS_CONTEXT_NONE;

// Where the stream is, and how many words it has, as the entry record found them: only valid where there is a context. They
// are the same for all of a launch. Kept, because a software device loads lane by lane: with execution_trace, the path tracer's
// first use takes 2.6 times the plain run where each record reads them anew, and 1.9 where they are kept; each run after it 2.1
// and 1.9. That they must survive traceRay costs less.
uvec2 ws_stream;
uint ws_capacity;

// Ray tracing: the lane that this thread had at its entry record (ws_resume).
uint ws_lane;

// The mask of its entry record, where it does not fit into a place's second word.
uvec4 ws_entered;

// Behind the root block it costs nothing to find. The sum carries no bit: the root block crosses no multiple of 2^32.
uvec2 control_block()
{
    if (ws_control != 0) {
        return uvec2(ws_root_lo + ws_control, ws_root_hi);
    }
    return WsRoot(uvec2(ws_root_lo, ws_root_hi)).records;
}

// Whether `size` words at `start` fit; exactly fitting is fitting. No sum wraps: nothing is reserved far past
// WS_STREAM_SATURATED.
bool fits(const uint start, const uint size)
{
    return start + size <= ws_capacity;
}

// What the elected lane does: takes `size` words of the stream and writes the record's first two. Returns where it
// begins, and where the stream is if there was room for it. What does not fit stays counted, and writes nothing but one
// word, where the stream's end cut it or to scratch: fewer branches than to write nothing. Past saturation it sets the
// counter back, which so never comes round to zero and has records written over others; what a store among atomics may
// lose does not count any more there.
//
// The words are written in a loop, since a software device compiles a store as a branch for each lane, and all of a
// shader's branches together: with a store for each word, the first use of a kernel of 160 blocks with execution_trace
// takes 41 times the plain one, and 4.2 times with one store. The loop's end is not a constant, so that no compiler
// unrolls it.
uint append(const uvec2 control, const uint size, const uint first, const uint second, out uvec2 words, out bool is_room)
{
    const uint start = atomicAdd(WsWords(control).word[WS_STREAM_RESERVED], size);
    is_room = fits(start, size);
    const bool is_cut = start <= ws_capacity;
    words = mix(control, ws_stream, bvec2(is_room));
    const uint past = mix(WS_STREAM_SCRATCH, WS_STREAM_RESERVED, start >= WS_STREAM_SATURATED);
    const uint elsewhere = mix(past, WS_STREAM_WHOLE, is_cut);
    const uint at = mix(elsewhere, start, is_room);
    const uint count = mix(1, 2, is_room);
    const uint begin = mix(min(start, WS_STREAM_SATURATED), first, is_room);
    uint written = 0;
    do {
        WsWords(words).word[at + written] = mix(second, begin, written == 0);
        written++;
    } while (written != count);
    return start;
}

void write_mask(const uvec2 words, const uint at, const uvec4 mask)
{
    WsWords(words).word[at] = mask.x;
    if (ws_bins > 32) {
        WsWords(words).word[at + 1] = mask.y;
    }
    if (ws_bins > 64) {
        WsWords(words).word[at + 2] = mask.z;
    }
    if (ws_bins > 96) {
        WsWords(words).word[at + 3] = mask.w;
    }
}
