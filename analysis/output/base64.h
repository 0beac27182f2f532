/* Base64 of RFC 4648, section 4. */
#ifndef WS_ANALYSIS_OUTPUT_BASE64_H
#define WS_ANALYSIS_OUTPUT_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* The four characters of the next up to three bytes; `left`: how many bytes are left, at least one. */
static inline void ws_base64_put(const uint8_t *bytes, size_t left, char text[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t word =
        (uint32_t)bytes[0] << 16 | (left > 1 ? (uint32_t)bytes[1] << 8 : 0) | (left > 2 ? bytes[2] : 0);
    text[0] = digits[word >> 18];
    text[1] = digits[word >> 12 & 63];
    text[2] = left > 1 ? digits[word >> 6 & 63] : '=';
    text[3] = left > 2 ? digits[word & 63] : '=';
}

#endif
