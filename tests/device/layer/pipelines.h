/* What the tests of pipelines share (pipelines.c). */
#ifndef WS_TESTS_DEVICE_LAYER_PIPELINES_H
#define WS_TESTS_DEVICE_LAYER_PIPELINES_H

#include "examples/base/bindings.h"

extern struct ws_gpu pipelines_gpu;
extern struct ws_gpu_bindings pipelines_bindings;

/* Counts a failure and says it unless `good`. */
void pipelines_check(bool good, const char *name, const char *what);

/* The pipeline exists, and the capture must tell of so many shaders in it, so many of them instrumented. */
void pipelines_expect(VkPipeline pipeline, const char *name, uint32_t shaders, uint32_t instrumented);

VkShaderModule pipelines_module(const uint32_t *words, size_t size);

/* Ray-tracing libraries in each other, with and without deferred operations. */
void pipelines_ray_tracing(bool deferred);

/* The four parts of a graphics pipeline as libraries, and linked. */
void pipelines_graphics(void);

#endif
