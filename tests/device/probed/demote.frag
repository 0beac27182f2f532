// Threads with even x or with y >= 12 go on as helpers: two of four in a quad, and the lowest lane of each warp. Those with even x
// in a function, the others in the entry point.
#version 460
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) out vec4 colour;

void cull(const uint x)
{
    if ((x & 1) == 0) {
        demote;
    }
}

void main()
{
    const vec2 place = floor(gl_FragCoord.xy);
    const float before = place.x * 2; // OpFMul
    cull(uint(place.x));
    const float between = place.x / 3; // OpFDiv
    if (place.y >= 12) {
        demote;
    }
    const float after = -place.x; // OpFNegate
    colour = vec4(dFdx(before), between, after, 1);
}
