// Where not-a-number and infinity are born: a result that is one although no operand is.
//
//   warpscope record --probe examples/probes/nan.glsl -- ./program
//   warpscope report program.wscope probe
//! output born: count
//! output first: sample 1 { uint work; float left; float right; float result; }
//! after OpFAdd OpFSub OpFMul OpFDiv OpFRem OpFMod
void check(float operand_1, float operand_2, float result)
{
    bool is_born = isnan(result) || isinf(result);
    if (is_born && !isnan(operand_1) && !isinf(operand_1) && !isnan(operand_2) && !isinf(operand_2)) {
        count(born);
        sample(first, work(), operand_1, operand_2, result);
    }
}
//! output in_function: count
//! output argument: sample 1 { uint work; float x; }
//! after Sqrt InverseSqrt Log Log2 Exp Exp2 Asin Acos
void check_function(float x, float result)
{
    if ((isnan(result) || isinf(result)) && !isnan(x) && !isinf(x)) {
        count(in_function);
        sample(argument, work(), x);
    }
}
