//! output bad: count
//! output first: sample 1 { uint work; float value; }   // the first of each site
//! after OpFAdd OpFSub OpFMul OpFDiv OpDot OpExtInst
void check(float result)
{
    if (isnan(result) || isinf(result)) {
        count(bad);
        sample(first, work(), result);
    }
}
