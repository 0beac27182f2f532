// Signed integers whose sum, difference or product does not fit into 32 bits: `overflow`. Unsigned ones wrap, as hashes
// and random numbers want it: `wrapped` counts those, so that a length or an index that wraps is seen, too.
// Found: The path tracer: no signed overflow; 2,828,218 wraps, all in the hash of its random numbers.
//! output overflow: count
//! output wrapped: count
//! output first: sample 1 { uint work; int left; int right; }
void found(int left, int right)
{
    count(overflow);
    sample(first, work(), left, right);
}
//! after OpIAdd
void sum(int operand_1, int operand_2, int result)
{
    if (((operand_1 ^ result) & (operand_2 ^ result)) < 0)
        found(operand_1, operand_2);
}
void sum(uint operand_1, uint operand_2, uint result)
{
    if (result < operand_1)
        count(wrapped);
}
//! after OpISub
void difference(int operand_1, int operand_2, int result)
{
    if (((operand_1 ^ operand_2) & (operand_1 ^ result)) < 0)
        found(operand_1, operand_2);
}
void difference(uint operand_1, uint operand_2, uint result)
{
    if (operand_1 < operand_2)
        count(wrapped);
}
//! after OpIMul
void product(int operand_1, int operand_2, int result)
{
    int high, low;
    imulExtended(operand_1, operand_2, high, low);
    if (high != low >> 31)
        found(operand_1, operand_2);
}
void product(uint operand_1, uint operand_2, uint result)
{
    uint high, low;
    umulExtended(operand_1, operand_2, high, low);
    if (high != 0)
        count(wrapped);
}
