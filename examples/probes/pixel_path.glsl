// What one thread computes, in order: each float that the pixel 64, 64 stores. Change the pixel to the one in question.
// Found: The path tracer: 1,291 floats of pixel 64,64; its weight begins 1, 0.93.
//! output path: record { uint at; float value; }
//! after OpStore
void store(float object)
{
    if (pixel() == uvec2(64, 64))
        record(path, line(), object);
}
