// Signed integers whose sum, difference or product does not fit into 32 bits.
//! output overflow: count
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
//! after OpISub
void difference(int operand_1, int operand_2, int result)
{
    if (((operand_1 ^ operand_2) & (operand_1 ^ result)) < 0)
        found(operand_1, operand_2);
}
//! after OpIMul
void product(int operand_1, int operand_2, int result)
{
    int high, low;
    imulExtended(operand_1, operand_2, high, low);
    if (high != low >> 31)
        found(operand_1, operand_2);
}
