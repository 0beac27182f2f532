// What all that append to the record stream share: records.h says what stands in it.
//
// Private variables named ws_* are one each in an instrumented module, whatever of the library is linked: so what the
// entry record's primitive learns of the warp is known to all that come after it, in other functions too. Each lane
// keeps its own. What GLSL initialises them with they begin with.
#include "warpscope/records.h"

#define PACKED     WS_MASK_PACKED(ws_bins)
#define MASK_WORDS (PACKED ? 0 : WS_MASK_WORDS(ws_bins)) /* behind a place */

// Number of this lane's context.
uint ws_context = WS_CONTEXT_NONE;

// The mask of its entry record, where it does not fit into a place's second word.
uvec4 ws_entered;

uvec2 control_block()
{
    return WsRoot(uvec2(ws_root_lo, ws_root_hi)).records;
}

// Whether `size` words at `start` fit; exactly fitting is fitting. No sum wraps: nothing is reserved far past
// WS_STREAM_SATURATED.
bool fits(const uvec2 control, const uint start, const uint size)
{
    return start + size <= WsWords(control).word[WS_STREAM_CAPACITY];
}

// Takes `size` words of the stream; where they begin. What does not fit stays counted. The reservation that the stream's
// end cuts tells where it begins; far past every capacity the counter stops, so that it never comes round to zero and has
// records written over others.
uint reserve(const uvec2 control, const uint size)
{
    const uint start = atomicAdd(WsWords(control).word[WS_STREAM_RESERVED], size);
    if (!fits(control, start, size)) {
        if (start <= WsWords(control).word[WS_STREAM_CAPACITY]) {
            WsWords(control).word[WS_STREAM_WHOLE] = start;
        } else if (start >= WS_STREAM_SATURATED) {
            atomicAdd(WsWords(control).word[WS_STREAM_RESERVED], -size);
        }
    }
    return start;
}

uvec2 stream_words(const uvec2 control)
{
    return uvec2(WsWords(control).word[WS_STREAM_ADDRESS], WsWords(control).word[WS_STREAM_ADDRESS + 1]);
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
