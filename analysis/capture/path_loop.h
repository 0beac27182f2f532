/* A loop of a path (paths.h) that is taken apart: which turns each lane has, and a walk through the turns of the warp. */
#ifndef WS_ANALYSIS_CAPTURE_PATH_LOOP_H
#define WS_ANALYSIS_CAPTURE_PATH_LOOP_H

#include "analysis/capture/paths.h"

#define WS_PATH_LANES 128

/* Groups in a row of one lane, which are the same. */
struct ws_path_run {
    uint32_t group;
    uint32_t turns; /* of the group */
    uint32_t count;
    uint32_t next; /* of the same lane; WS_NONE */
};

/* Where a lane is in its runs. */
struct ws_path_place {
    uint32_t run; /* the one that it is in; before the walk its first one */
    uint32_t last;
    uint32_t passed; /* turns of the group, with those that it is in */
    uint64_t bits;   /* of the turns that it is in, with WS_STEP_TURN and WS_STEP_LAST */
    uint64_t left;   /* how many of them there are yet */
};

struct ws_path_loop {
    uint32_t turn_bits;   /* 32 where a group is one turn */
    uint32_t group_turns; /* of a group that is full */
    bool marked;          /* WS_TURNS_MARKED */
    struct ws_path_run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    struct ws_path_place places[WS_PATH_LANES];
    struct ws_lanes active;                 /* lanes that are in a run */
    struct ws_lanes with[WS_STEP_LAST + 1]; /* per bit: those of the active lanes whose turn has it */
    uint32_t first;                         /* its first step among those of the path */
    struct ws_lanes *lanes;                 /* per step: those that come by in the turn at work */
};

/* Adds `count` groups behind those that the lane has. False if there is no memory. */
bool ws_path_loop_add(struct ws_path_loop *loop, uint32_t lane, uint32_t group, uint32_t count);

/* The walk, while lanes are active: begin, then for all turns that are alike their number, their lanes, and on. */
void ws_path_loop_begin(struct ws_path_loop *loop);

/* How many turns no lane's bits change for. */
uint64_t ws_path_loop_alike(const struct ws_path_loop *loop);

/* Finds the lanes of each step in the turn at work. */
void ws_path_loop_lanes(const struct ws_path_loop *loop, const struct ws_path_step *steps, uint32_t count);
void ws_path_loop_pass(struct ws_path_loop *loop, uint64_t turns);

#endif
