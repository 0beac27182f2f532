/* Whether a launch has hit rates to colour geometry by (rates.c). */
#ifndef WS_ANALYSIS_VIEWER_SCENE_RATES_H
#define WS_ANALYSIS_VIEWER_SCENE_RATES_H

#include "analysis/viewer/scene/launch_view.h"

/* Of the program's accesses: some are recorded, and where structures were built from is known. */
bool ws_rates_have_accesses(const struct ws_viewer_capture *capture);

/* Of the model BVH: rays flew through known geometry. */
bool ws_rates_have_model(const struct ws_launch_view *view);

#endif
