// Clocks that threads take from beginning to end. Needs a device with the shader clock, in a program that enables it.
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
