// Where not-a-number and infinity are born: a result that is one although no operand is.
//
//   warpscope record --probe nan.glsl -- ./program
//   warpscope report program.wscope probe
// Found: RayTracingInVulkan, scene 1: 2,457 in `pow(1 - cosine, 5)` of `Schlick`, whose base is negative
// (-0.144).
bool is_bad(float x) { return isnan(x) || isinf(x); }
bool is_bad(vec2 x) { return is_bad(x.x) || is_bad(x.y); }
bool is_bad(vec3 x) { return is_bad(x.xy) || is_bad(x.z); }
bool is_bad(vec4 x) { return is_bad(x.xy) || is_bad(x.zw); }

//! output born: count
//! output first: sample 1 { uint pixel_x; uint pixel_y; float left; float right; float result; }
void found(float left, float right, float result)
{
    count(born);
    sample(first, pixel().x, pixel().y, left, right, result);
}
//! after OpFAdd OpFSub OpFMul OpFDiv OpFRem OpFMod
void check(float operand_1, float operand_2, float result)
{
    if (is_bad(result) && !is_bad(operand_1) && !is_bad(operand_2))
        found(operand_1, operand_2, result);
}
//! after OpVectorTimesScalar
void check_scaled(float vector, float scalar, float result)
{
    if (is_bad(result) && !is_bad(vector) && !is_bad(scalar))
        found(vector, scalar, result);
}

// Functions of GLSL.std.450 that are not defined for each number, or grow beyond all numbers.
//! output in_function: count
//! output argument: sample 1 { uint pixel_x; uint pixel_y; float x; }
//! after Sqrt InverseSqrt Log Log2 Exp Exp2 Tan Asin Acos Sinh Cosh Acosh Atanh
void check_function(float x, float result)
{
    if (is_bad(result) && !is_bad(x)) {
        count(in_function);
        sample(argument, pixel().x, pixel().y, x);
    }
}

// Pow: x < 0, or x = 0 and y <= 0. Atan2, which is atan(y, x): both 0.
//! output in_pair: count
//! output pair: sample 1 { uint pixel_x; uint pixel_y; float x; float y; }
//! after Pow Atan2
void check_pair(float x, float y, float result)
{
    if (is_bad(result) && !is_bad(x) && !is_bad(y)) {
        count(in_pair);
        sample(pair, pixel().x, pixel().y, x, y);
    }
}

// SmoothStep: edge0 >= edge1.
//! output in_step: count
//! output edges: sample 1 { uint pixel_x; uint pixel_y; float edge0; float edge1; float x; }
//! after SmoothStep
void check_step(float edge0, float edge1, float x, float result)
{
    if (is_bad(result) && !is_bad(edge0) && !is_bad(edge1) && !is_bad(x)) {
        count(in_step);
        sample(edges, pixel().x, pixel().y, edge0, edge1, x);
    }
}

// A vector of 0 has no direction. Its function is called with whole vectors: a component alone does not tell.
//! output in_normalize: count
//! output vector: sample 1 { uint pixel_x; uint pixel_y; float x; float y; float z; }
void found(vec3 x)
{
    count(in_normalize);
    sample(vector, pixel().x, pixel().y, x.x, x.y, x.z);
}
//! after Normalize
void check_normalize(vec2 x, vec2 result)
{
    if (is_bad(result) && !is_bad(x))
        found(vec3(x, 0.0));
}
void check_normalize(vec3 x, vec3 result)
{
    if (is_bad(result) && !is_bad(x))
        found(x);
}
void check_normalize(vec4 x, vec4 result)
{
    if (is_bad(result) && !is_bad(x))
        found(x.xyz);
}

// Sums of squares and of products that are too large.
//! output in_length: count
//! after Length
void check_length(vec2 x, float result) { if (is_bad(result) && !is_bad(x)) count(in_length); }
void check_length(vec3 x, float result) { if (is_bad(result) && !is_bad(x)) count(in_length); }
void check_length(vec4 x, float result) { if (is_bad(result) && !is_bad(x)) count(in_length); }
//! after Distance
void check_distance(vec2 p0, vec2 p1, float result) { if (is_bad(result) && !is_bad(p0) && !is_bad(p1)) count(in_length); }
void check_distance(vec3 p0, vec3 p1, float result) { if (is_bad(result) && !is_bad(p0) && !is_bad(p1)) count(in_length); }
void check_distance(vec4 p0, vec4 p1, float result) { if (is_bad(result) && !is_bad(p0) && !is_bad(p1)) count(in_length); }
//! output in_dot: count
//! after OpDot
void check_dot(vec2 vector_1, vec2 vector_2, float result) { if (is_bad(result) && !is_bad(vector_1) && !is_bad(vector_2)) count(in_dot); }
void check_dot(vec3 vector_1, vec3 vector_2, float result) { if (is_bad(result) && !is_bad(vector_1) && !is_bad(vector_2)) count(in_dot); }
void check_dot(vec4 vector_1, vec4 vector_2, float result) { if (is_bad(result) && !is_bad(vector_1) && !is_bad(vector_2)) count(in_dot); }
