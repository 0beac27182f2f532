// What rays hand over, and what hit and miss shaders make of it.
struct Handed
{
    float seed;
    uint kind;
    float sum;
};

float work(float seed, uint rounds)
{
    float sum = 0.0;
    for (uint i = 0u; i < rounds; i++) {
        seed = fract(seed * 1.7 + 0.31);
        sum += seed;
    }
    return sum;
}
