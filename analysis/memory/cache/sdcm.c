#include "analysis/memory/cache/sdcm.h"

#include <math.h>
#include <stdbool.h>

/* Terms are kept as mantissa x 2^exponent: (1 - A / B)^D is less than a double can hold long before the sum is. */
enum { STEP = 512 };

double ws_sdcm_hit(uint64_t distance, uint32_t ways, uint32_t lines)
{
    if (distance < ways)
        return 1;
    if (distance == WS_DISTANCE_NONE || ways >= lines)
        return 0;
    const double share = (double)ways / lines;
    const double trials = (double)distance;
    const double odds = share / (1 - share);
    const double logarithm = trials * log1p(-share) / log(2);
    double exponent = floor(logarithm);
    double term = exp2(logarithm - exponent);
    double sum = term;
    for (uint32_t a = 1; a < ways; ++a) {
        term *= (trials - (a - 1)) / a * odds;
        sum += term;
        if (sum > 0x1p512) {
            sum *= 0x1p-512;
            term *= 0x1p-512;
            exponent += STEP;
        }
    }
    return exponent < -2 * STEP - 100 ? 0 : fmin(1, ldexp(sum, (int)exponent));
}

/* The probability of a hit for one distance after the other. `last` is the term of a = A - 1, by which the next probability
 * is less: a further line turns a hit into a miss where A - 1 lines are in the set and it comes to them. */
struct walk {
    double ways;
    double share;
    double distance;
    double hit;
    double last;     /* x 2^exponent */
    double exponent; /* 0 or below, a multiple of STEP */
};

static struct walk begin(uint32_t ways, uint32_t lines)
{
    const double share = (double)ways / lines;
    const double logarithm = (ways - 1) * log2(share);
    const double exponent = ceil(logarithm / STEP) * STEP;
    return (struct walk){ways, share, ways - 1, 1, exp2(logarithm - exponent), exponent};
}

static void step(struct walk *walk)
{
    if (walk->exponent == 0)
        walk->hit = fmax(0, walk->hit - walk->share * walk->last);
    walk->last *= (walk->distance + 1) / (walk->distance + 2 - walk->ways) * (1 - walk->share);
    if (walk->exponent < 0 && walk->last > 1) {
        walk->last *= 0x1p-512;
        walk->exponent += STEP;
    }
    walk->distance++;
}

double ws_sdcm_hit_rate(const struct ws_distance_histogram *histogram, uint32_t ways, uint32_t lines)
{
    struct walk walk = begin(ways, lines);
    double hits = histogram->missing;
    if (histogram->total <= 0)
        return 0;
    for (uint64_t i = 0; i < histogram->size; ++i) {
        const double distance = (double)i * histogram->one_of;
        while (walk.distance < distance && walk.hit > 0x1p-60)
            step(&walk);
        hits += (double)histogram->counts[i] * (walk.hit > 0x1p-60 ? walk.hit : 0);
    }
    return fmin(1, fmax(0, hits / histogram->total));
}
