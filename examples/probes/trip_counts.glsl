// How often loops run: a histogram of the iterations of each loop, and the most that a thread had.
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
