// How often loops run: a histogram of the iterations of each loop, and the most that a thread had.
// Found: RayTracingInVulkan: RandomInUnitSphere tries up to 13 times; the loop of bounces is left 15,360 times, at
// most after 7.
//! output trips: histogram log2
//! output most: max uint
uint n;
//! loop begin
void enter()
{
    n = 0;
}
//! loop iterate
void iterate()
{
    n++;
}
//! loop end
void leave()
{
    value(trips, n);
    value(most, n);
}
