// Results that are denormal: below 2^-126 and not zero.
// Some devices are slow with them, some make them zero.
// Found: computeraytracing: 56, the first 1.14e-38 at line 239. The path tracer and RayTracingInVulkan have none.
//! output denormal: count
//! output first: sample 1 { uint work; float value; }
//! after float
void check(float result)
{
    uint bits = floatBitsToUint(result);
    if ((bits & 0x7f800000u) == 0u && (bits & 0x007fffffu) != 0u) {
        count(denormal);
        sample(first, work(), result);
    }
}
