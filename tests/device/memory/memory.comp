// Accesses whose addresses follow from the number of the thread. memory.py has the same, in the order of the code.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

layout(binding = 0, std430) buffer Words { uint words[]; };

struct Item
{
    float weight;
    vec3 normal;
    mat3 turn;
};

layout(binding = 1, std430) readonly buffer Items
{
    uint count;
    Item items[];
};

layout(binding = 2, std430, row_major) readonly buffer Matrices { mat4x3 matrices[]; };

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Far { uint words[]; };

shared uint tile[64 * 33];
shared vec4 wide[64];

layout(push_constant) uniform Where { uvec2 far; };

uint every_ninth()
{
    return words[9 * gl_LocalInvocationIndex]; // in the module behind main, and before every_fifth
}

uint every_fifth()
{
    return words[5 * gl_LocalInvocationIndex];
}

void main()
{
    const uint t = gl_LocalInvocationIndex;
    uint sum = words[64 + t];                            // side by side
    sum += words[65 + t];                                // the same, from the second word of a sector on
    sum += words[2 * t];                                 // every second
    sum += words[64 * t];                                // a column of a matrix of 64 x 64
    sum += words[7];                                     // all the same
    sum += uint(items[t].weight);                        // a struct of 80 bytes
    sum += uint(dot(items[t].normal, vec3(1)));          // 12 bytes of it
    sum += uint(items[t].turn[1][2]);                    // a component of a matrix in it
    sum += uint(determinant(items[4].turn));             // a whole matrix, all the same
    sum += uint(matrices[t][2][1]);                      // of a row-major one
    sum += uint(matrices[2][t & 3][1]);                  // of a row-major one, by a column that varies
    atomicAdd(words[4000 + (t & 3)], 1);                 // four words
    if ((t & 1) != 0) {
        sum += words[64 + t];                            // half of the lanes
    }
    sum += Far(far).words[t * 3];                        // by address
    tile[33 * t] = sum;                                  // Workgroup: each in a bank of its own
    wide[t] = vec4(sum);                                 // Workgroup: four words
    barrier();
    sum += tile[32 * (t & 31)];                          // Workgroup: all in bank 0
    sum += tile[t & 1];                                  // Workgroup: two words
    sum += tile[5];                                      // Workgroup: all the same
    sum += uint(dot(wide[3], vec4(1)));                  // Workgroup: all the same four words
    sum += every_fifth();                                // called in another order than the module has them
    sum += every_ninth();
    words[4096 + t] = sum;                               // side by side
}
