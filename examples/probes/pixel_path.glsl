// What one thread computes, in order: each float that the pixel 64, 64 stores. Change the pixel to the one in question.
//! output path: record { uint at; float value; }
//! after OpStore
void store(float object)
{
    if (pixel() == uvec2(64, 64))
        record(path, line(), object);
}
