// Levels of detail that shaders ask for explicitly, in quarters of a level. Samples with derivatives have none to see here.
// Found: RayTracingInVulkan, scene 2: all 6,678 samples of hit shaders ask for level 0; its other levels would never
// be read.
//! output levels: histogram linear -1 15 64
//! output least: min float
//! output most: max float
//! before OpImageSampleExplicitLod OpImageSampleDrefExplicitLod
void sampled(float lod)
{
    value(levels, lod);
    value(least, lod);
    value(most, lod);
}
