// The same, but those invocations go on as helpers. Knows its sample.
#version 460
#extension GL_EXT_demote_to_helper_invocation : require

layout(location = 0) out vec4 colour;

void main()
{
    if ((int(gl_FragCoord.x) & 1) == 1) {
        demote;
    }
    colour = vec4(gl_SampleID);
}
