// Shaders that count themselves: probe(n) adds one to the warp executions of place n, and to its lanes how many were
// there. It has no branch, so it changes nothing about who runs what. Helper lanes count nowhere: what they write is
// dropped.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(binding = 0) buffer Probes { uvec2 probes[]; };

// Whether this lane is there.
#if defined(DEMOTES)
#define HERE (!helperInvocationEXT())
#elif defined(FRAGMENT)
#define HERE (!gl_HelperInvocation)
#else
#define HERE true
#endif

void probe(const uint n)
{
    const uint first = subgroupBallotFindLSB(subgroupBallot(HERE));
    atomicAdd(probes[n].x, uint(gl_SubgroupInvocationID == first));
    atomicAdd(probes[n].y, uint(HERE));
}

uint mix_bits(uint value)
{
    value = (value ^ value >> 16) * 0x7feb352du;
    return value ^ value >> 15;
}
