// A loop of 300 turns that pixels end early in some of them: columns in turn, and odd rows in every other two turns too. Odd rows return
// from turns 280 and 281; or with GO these go before the loop, and even columns return from turn 280. What stands behind the early end
// stands before it too: both have the same counts, whichever pixels share a subgroup.
layout(location = 0) out vec4 colour;

void main()
{
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    colour = vec4(0.25, 0.0, 0.0, 1.0);
#ifdef GO
    if ((pixel.y & 1u) == 1u) {
        GO;
    }
    const uint last = 280u + (pixel.x & 1u) * 300u;
#else
    const uint last = 580u - (pixel.y & 1u) * 300u;
#endif
    for (uint i = 0u; i < 300u; i++) {
        const uint early = (pixel.x + i | pixel.y & i >> 1) & 1u;
        if (early == 0u) {
            colour.b += 0.001;
        }
        if (early == 1u) {
            continue;
        }
        colour.g += 0.001;
        if (i >= last) {
            return;
        }
    }
    colour.r = 0.5;
}
