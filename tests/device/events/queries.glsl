// What a query says of itself after a step. The word in place of its key is which variable it is, for the test to
// look up.
#define UNKNOWN 0xffffffff
#define SINGLE  1
#define SEVERAL 2
#define THIRD   3
#define OUTER   4

#define HIT_WORDS(query, committed)                                                                          \
    log_words[at + 3] = rayQueryGetIntersectionInstanceIdEXT(query, committed);                              \
    log_words[at + 4] = rayQueryGetIntersectionInstanceCustomIndexEXT(query, committed);                     \
    log_words[at + 5] = rayQueryGetIntersectionGeometryIndexEXT(query, committed);                           \
    log_words[at + 6] = rayQueryGetIntersectionPrimitiveIndexEXT(query, committed);
#define DISTANCE(query, committed)                                                                           \
    log_words[at + 2] = floatBitsToUint(rayQueryGetIntersectionTEXT(query, committed));
#define TRIANGLE(query, committed)                                                                           \
    const vec2 weights = rayQueryGetIntersectionBarycentricsEXT(query, committed);                           \
    log_words[at + 1] |= rayQueryGetIntersectionFrontFaceEXT(query, committed) ? 0x200 : 0;                  \
    log_words[at + 7] = floatBitsToUint(weights.x);                                                          \
    log_words[at + 8] = floatBitsToUint(weights.y);

// The log is all 0 to begin with.
#define LOG_PROCEED(key, query, proceeded)                                                                   \
    {                                                                                                        \
        const uint at = log_event(PROCEED, 9);                                                               \
        log_words[at] = key;                                                                                 \
        if (proceeded) {                                                                                     \
            const uint type = rayQueryGetIntersectionTypeEXT(query, false);                                  \
            log_words[at + 1] = 0x100 | type;                                                                \
            HIT_WORDS(query, false)                                                                          \
            if (type == 0) {                                                                                 \
                DISTANCE(query, false)                                                                       \
                TRIANGLE(query, false)                                                                       \
            } else {                                                                                         \
                log_words[at + 1] |= rayQueryGetIntersectionCandidateAABBOpaqueEXT(query) ? 0x400 : 0;       \
            }                                                                                                \
        } else {                                                                                             \
            const uint type = rayQueryGetIntersectionTypeEXT(query, true);                                   \
            log_words[at + 1] = type;                                                                        \
            if (type != 0) {                                                                                 \
                DISTANCE(query, true)                                                                        \
                HIT_WORDS(query, true)                                                                       \
                if (type == 1) {                                                                             \
                    TRIANGLE(query, true)                                                                    \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

void log_key(const uint event, const uint key)
{
    log_words[log_event(event, 1)] = key;
}

vec3 origin()
{
    return vec3(thread() % 8, thread() / 8, 10) + vec3(0.5, 0.5, 0);
}

void log_initialize(const uint key, const float t_max, const uint flags, const uint mask)
{
    log_words[log_ray(INITIALIZE, 11, origin(), vec3(0, 0, -1), 0.25, t_max, flags, mask) + 10] = key;
}
