// What one thread computes, in order: each float that the pixel 64, 64 stores. Change the pixel to the one in question.
//! output path: record { uint work; uint at; float value; }
//! after OpStore
void store(float object)
{
    if (work() == (64u | 64u << 16))
        record(path, work(), line(), object);
}
