// What a ray found that only looked.
struct Found
{
    uint key; // KEY_*
    float t;  // distance; negative = nothing
};
