/* Rays made by hand, and what rules say of them. All functions fail the test on failure.
 *
 *   struct hand *hand = hand_create("opaque", NULL);
 *   struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
 *   hand_candidate(hand, WS_CANDIDATE_ANY_HIT, WS_CANDIDATE_ACCEPTED, HAND_CLEAN_ANY_HIT, 3, 0, 5);
 *   hand_thread(hand);
 *   const struct ws_advice *advice = hand_only(hand);
 *   hand_destroy(hand); */
#ifndef WS_TESTS_UNIT_ANALYSIS_ADVICE_ADVICE_HAND_H
#define WS_TESTS_UNIT_ANALYSIS_ADVICE_ADVICE_HAND_H

#include "analysis/advice/rule.h"
#include "analysis/scene/scene_sbt.h"
#include "tests/unit/analysis/capture/capture_test.h"

/* Shaders, by index in the catalog and by id; each is a module of its own, called "0", "1", ... */
enum hand_shader {
    HAND_RAYGEN,         /* its call site 0 keeps what it gets, call site 1 only asks, 2 is another */
    HAND_CLEAN_ANY_HIT,  /* only returns */
    HAND_CUTOUT_ANY_HIT, /* may ignore */
    HAND_TALLY_ANY_HIT,  /* stores to a buffer */
    HAND_EMPTY_HIT,
    HAND_CONSTANT_HIT, /* stores a constant to the payload */
    HAND_SHADED_HIT,   /* stores what it loads */
    HAND_EMPTY_MISS,
    HAND_MISS,
    HAND_INTERSECTION,
    HAND_HIDING_ANY_HIT, /* ignores always */
    HAND_UNREADABLE,     /* an any-hit shader of a module that cannot be parsed */
    HAND_SHADERS
};

enum { HAND_KEEPS, HAND_ASKS, HAND_OTHER, HAND_SITES };

struct hand;

/* One rule, by name; `scene` NULL: no geometry; else it belongs to the hand. */
struct hand *hand_create(const char *rule, struct ws_scene *scene);
void hand_destroy(struct hand *hand);

/* Tables that the application had; they belong to the hand. */
void hand_tables(struct hand *hand, struct ws_scene_sbt *tables);

/* Only rays of chosen shaders are looked at, by that rule; all are. Before the first ray. */
void hand_chosen(struct hand *hand, const char *rule);

/* A ray of the thread under way, for the caller to change until the next call: traced by that shader at its
 * site 0 from (0, 0, 0) along z from 0 to 100, with cull mask 0xff; it misses. */
struct ws_ray *hand_ray(struct hand *hand, enum hand_shader shader);

/* A candidate of the last ray, custom index 100 + instance, primitive 0; its ray counts it. */
struct ws_ray_candidate *hand_candidate(struct hand *hand, enum ws_candidate_kind kind,
                                        enum ws_candidate_result result, enum hand_shader shader,
                                        uint32_t instance, uint32_t geometry, float t);

/* The last ray hits that, and runs that closest hit shader; WS_NONE: none, which its flags may want. */
void hand_hit(struct hand *hand, uint32_t shader, uint32_t instance, uint32_t geometry, float t);

/* Ends the thread under way: thread n is (n, 0, 0), of warp n / 8 with 8 lanes. */
void hand_thread(struct hand *hand);

/* Ends the launch under way; rays after that are of the next. */
void hand_launch(struct hand *hand);

/* What is advised; begins with the end of the launch. */
const struct ws_advice *hand_advice(struct hand *hand, size_t *count);

/* The same where it must be one piece of advice, or none. */
const struct ws_advice *hand_only(struct hand *hand);
void hand_nothing(struct hand *hand);

/* What hand_advice gives, as of a capture that is only a part. */
void hand_partial(struct hand *hand, const char *why);

#endif
