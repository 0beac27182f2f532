// Clocks that threads take from beginning to end. Needs a device with the shader clock, in a program that enables it.
// Found: RayTracingInVulkan: 36,394 of 113,532 runs of shaders take 32 to 64 clocks; the slowest, ray generation,
// 2^22.
//! output clocks: histogram log2 uint
uint began;
//! entry begin
void enter()
{
    began = clock();
}
//! entry end
void leave()
{
    value(clocks, clock() - began);
}
