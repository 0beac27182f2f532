/* Ray queries: each proceed that returns true gives one candidate, which the shader may confirm. The proceed
 * that returns false gives the committed hit. */
#include "analysis/rays/rays_part.h"

/* Types in the state that PROCEED records. */
enum candidate_type { CANDIDATE_TRIANGLE, CANDIDATE_AABB };
enum committed_type { COMMITTED_NONE, COMMITTED_TRIANGLE, COMMITTED_GENERATED };

static struct ws_rays_query *find_query(const struct ws_ray_frame *frame, uint32_t key)
{
    struct ws_rays_query *query = frame->queries;
    while (query != NULL && query->key != key)
        query = query->next;
    return query;
}

/* Whether the event can be one of the query. */
static bool fits(const struct ws_rays_query *query, enum ws_ray_event event)
{
    if (event == WS_RAY_CONFIRM || event == WS_RAY_GENERATE)
        return query->run != NULL && query->run->triangle == (event == WS_RAY_CONFIRM);
    return !query->over;
}

/* The query of an event. In a function that several queries are passed to, which of them it is cannot be told from the
 * code: then it is the only one of which the event can be, as a query that was over cannot confirm. NULL if there is
 * none, or several. */
static struct ws_rays_query *query_of(const struct ws_ray_frame *frame, uint32_t key, enum ws_ray_event event)
{
    struct ws_rays_query *found = find_query(frame, key);
    if (found != NULL || key != WS_QUERY_UNKNOWN)
        return found;
    for (struct ws_rays_query *query = frame->queries; query != NULL; query = query->next) {
        if (!fits(query, event))
            continue;
        if (found != NULL)
            return NULL;
        found = query;
    }
    return found;
}

/* Ends the current candidate of a query. It was ignored, if it was not confirmed before. */
static void end_candidate(struct ws_rays_query *query)
{
    if (query->run != NULL && query->run->candidate.result == WS_CANDIDATE_OPEN)
        query->run->candidate.result = WS_CANDIDATE_IGNORED;
    query->run = NULL;
}

void ws_ray_queries_end(const struct ws_ray_frame *frame)
{
    for (struct ws_rays_query *query = frame->queries; query != NULL; query = query->next)
        end_candidate(query);
}

static bool initialize(const struct ws_ray_occasion *at)
{
    const uint32_t key = at->words[10];
    struct ws_rays_query *query = find_query(at->frame, key);
    if (query == NULL && at->frame->query_count == WS_RAY_QUERIES) {
        at->part->malformed++;
        return true;
    }
    struct ws_ray_node *ray = ws_ray_trace(at, WS_RAY_INITIALIZE_WORDS);
    if (ray == NULL)
        return false;
    ray->ray.query = true;
    if (query == NULL) {
        query = ws_rays_query_make(at->part);
        if (query == NULL)
            return false;
        query->key = key;
        query->next = at->frame->queries;
        at->frame->queries = query;
        at->frame->query_count++;
    }
    end_candidate(query);
    query->over = false;
    query->ray = ray;
    return true;
}

static void read_query_hit(struct ws_ray_hit *hit, const uint32_t *words, bool triangle)
{
    hit->t = ws_ray_float(words[2]);
    hit->instance = words[3];
    hit->custom_index = words[4] & 0xffffff;
    hit->geometry = words[5];
    hit->primitive = words[6];
    hit->attributes[0] = words[7];
    hit->attributes[1] = words[8];
    hit->kind = !triangle ? 0 : (words[1] & WS_QUERY_FRONT) != 0 ? WS_HIT_FRONT : WS_HIT_BACK;
}

/* Proceed returned true: it met a candidate. */
static bool meet(const struct ws_ray_occasion *at, struct ws_rays_query *query, uint32_t type)
{
    if (query->over || type > CANDIDATE_AABB) {
        at->part->malformed++;
        return true;
    }
    end_candidate(query);
    query->run = ws_ray_candidate_add(at->part, at->state, query->ray, WS_CANDIDATE_QUERY, at->frame->shader);
    if (query->run == NULL)
        return false;
    query->run->triangle = type == CANDIDATE_TRIANGLE;
    read_query_hit(&query->run->candidate.hit, at->words, query->run->triangle);
    return true;
}

/* Proceed returned false: its record says what is committed. */
static void finish(const struct ws_ray_occasion *at, struct ws_rays_query *query, uint32_t type)
{
    struct ws_ray *ray = &query->ray->ray;
    if (type > COMMITTED_GENERATED) {
        at->part->malformed++;
        return;
    }
    end_candidate(query);
    query->over = true;
    ray->has_hit = type != COMMITTED_NONE;
    ray->end = ray->has_hit ? WS_RAY_HIT : WS_RAY_MISSED;
    if (ray->has_hit)
        read_query_hit(&ray->hit, at->words, type == COMMITTED_TRIANGLE);
}

/* The shader confirmed the candidate, or generated an intersection in it. */
static void commit(struct ws_rays_query *query)
{
    struct ws_ray *ray = &query->ray->ray;
    query->run->candidate.result = WS_CANDIDATE_ACCEPTED;
    if (ray->has_hit && query->run->candidate.hit.t > ray->hit.t)
        return;
    ray->end = WS_RAY_HIT;
    ray->has_hit = true;
    ray->hit = query->run->candidate.hit;
}

static void terminate(struct ws_rays_query *query)
{
    if (query->run != NULL && query->run->candidate.result == WS_CANDIDATE_ACCEPTED)
        query->run->candidate.result = WS_CANDIDATE_TERMINATED;
    end_candidate(query);
    query->over = true;
}

bool ws_ray_query_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    if (event == WS_RAY_INITIALIZE)
        return initialize(at);
    struct ws_rays_query *query = query_of(at->frame, at->words[0], event);
    const bool commits = event == WS_RAY_CONFIRM || event == WS_RAY_GENERATE;
    if (query == NULL || (commits && !fits(query, event))) {
        at->part->malformed++;
        return true;
    }
    if (event == WS_RAY_PROCEED && (at->words[1] & WS_QUERY_PROCEEDED) != 0)
        return meet(at, query, at->words[1] & 0xff);
    if (event == WS_RAY_PROCEED) {
        finish(at, query, at->words[1] & 0xff);
    } else if (commits) {
        if (event == WS_RAY_GENERATE)
            query->run->candidate.hit.t = ws_ray_float(at->words[1]);
        commit(query);
    } else {
        terminate(query);
    }
    return true;
}
