/* Payloads: what a shader hands to the shaders that it runs. It is the payload of a ray, or the data of a callable shader.
 *
 * Its NUMBERS are those of the variable that the instruction names, one word each: members, elements, columns and components
 * in their order. Members that are no numbers, such as pointers, are left out, and so are arrays whose length is no plain
 * constant.
 * For example
 *
 *   struct { vec3 weight; bool inside; float values[2]; } payload;
 *
 * has the words payload.weight.x, .y and .z, payload.inside, payload.values[0] and payload.values[1].
 *
 * What is found is a pure function of the module, so that the reader of a capture finds it again. Thread-safe. */
#ifndef WARPSCOPE_SPIRV_PAYLOADS_H
#define WARPSCOPE_SPIRV_PAYLOADS_H

#include "warpscope/spirv/module.h"

#define WS_PAYLOAD_WORDS_MAX                                                                                 \
    16 /* as many as a data record has (WS_DATA_WORDS_MAX of pass.h): the first ones */
#define WS_PAYLOAD_DEPTH_MAX 8 /* of composites in each other; what lies deeper is left out */

struct ws_payload_word {
    uint32_t type;                          /* id of an integer, float or boolean */
    uint32_t indices[WS_PAYLOAD_DEPTH_MAX]; /* of an access chain from the variable */
    uint32_t depth;                         /* how many these are */
};

struct ws_payload {
    uint32_t variable; /* id */
    uint32_t storage;  /* SpvStorageClass */
    struct ws_payload_word words[WS_PAYLOAD_WORDS_MAX];
    uint32_t count;
    bool more; /* there are numbers that are not in `words` */
};

/* The operand that names what the instruction hands over; WS_NONE = it hands over nothing. */
uint32_t ws_payload_operand(const struct ws_instruction *instruction);

/* Finds what an instruction hands over. Of the NV forms that name a location it is the variable with that. False where it hands
 * over nothing, or no variable. */
bool ws_payload_find(struct ws_payload *payload, const struct ws_module *module,
                     const struct ws_instruction *instruction);

/* Writes the name of a word, such as "payload.weight.x", from the names that the module has; "payload" and numbers where it has
 * none. Printable ASCII only: a module is untrusted. */
void ws_payload_name(const struct ws_module *module, const struct ws_payload *payload, uint32_t word,
                     char *text, size_t size);

#endif
