/* Threads that record, submit and wait at the same time, on the queues of one device, over the mock driver. Whatever their
 * order, each launch has its own counts and records. Built with the thread sanitizer (b_sanitize=thread) this shows races,
 * too. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "tests/unit/layer/mock/objects.h"

#define THREADS 8
#define ROUNDS  120
#define KIB     UINT64_C(1024)

/* vkQueueSubmit wants its queue for itself, vkDeviceWaitIdle all of them. */
static pthread_mutex_t queues[MOCK_QUEUES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

struct worker {
    uint32_t number;
    pthread_t thread;
    struct mock_tally made; /* of what it submitted */
    bool failed;
};

static void wait_for_all(struct worker *worker)
{
    for (uint32_t i = 0; i < MOCK_QUEUES; i++)
        pthread_mutex_lock(&queues[i]);
    worker->failed |= ((PFN_vkDeviceWaitIdle)mock_hook("vkDeviceWaitIdle"))(mock_device()) != VK_SUCCESS;
    for (uint32_t i = 0; i < MOCK_QUEUES; i++)
        pthread_mutex_unlock(&queues[i]);
}

static VkCommandBuffer allocate(VkCommandPool pool, VkCommandBufferLevel level)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    ((PFN_vkAllocateCommandBuffers)mock_hook("vkAllocateCommandBuffers"))(mock_device(), &info, &commands);
    return commands;
}

static void record(struct worker *worker, VkCommandBuffer commands, uint32_t round)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const uint32_t pipeline = (round + worker->number) % 3 == 0;
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    ((PFN_vkCmdBindPipeline)mock_hook("vkCmdBindPipeline"))(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                            mock_pipeline(pipeline));
    for (uint32_t i = 0; i <= round % 3; i++) {
        const uint32_t groups = 1 + worker->number + i;
        ((PFN_vkCmdDispatch)mock_hook("vkCmdDispatch"))(commands, groups, 1, 1);
        worker->made.launches++;
        worker->made.counted += groups;
        if (pipeline == 0 && mock_shader.records) {
            worker->made.records++;
            worker->made.words += MOCK_RECORD * groups;
        }
    }
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

/* The same, within a secondary command buffer. */
static void record_within(struct worker *worker, VkCommandBuffer commands, VkCommandBuffer secondary,
                          uint32_t round)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    record(worker, secondary, round);
    ((PFN_vkBeginCommandBuffer)mock_hook("vkBeginCommandBuffer"))(commands, &begin);
    ((PFN_vkCmdExecuteCommands)mock_hook("vkCmdExecuteCommands"))(commands, 1, &secondary);
    ((PFN_vkEndCommandBuffer)mock_hook("vkEndCommandBuffer"))(commands);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    ((PFN_vkCreateCommandPool)mock_hook("vkCreateCommandPool"))(mock_device(), &info, NULL, &pool);
    const VkCommandBuffer commands = allocate(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBuffer secondary = allocate(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    struct fence signalled = {0};
    const VkFence fence = (VkFence)&signalled;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t queue = (round + worker->number) % MOCK_QUEUES;
        if (round % 5 == 4)
            record_within(worker, commands, secondary, round);
        else
            record(worker, commands, round);
        pthread_mutex_lock(&queues[queue]);
        worker->failed |= mock_submit(queue, commands, 0, 0, fence) != VK_SUCCESS;
        pthread_mutex_unlock(&queues[queue]);
        if (round % 16 == 15)
            wait_for_all(worker);
        worker->failed |= ((PFN_vkWaitForFences)mock_hook("vkWaitForFences"))(
                              mock_device(), 1, &fence, VK_TRUE, UINT64_MAX) != VK_SUCCESS;
        worker->failed |=
            ((PFN_vkResetFences)mock_hook("vkResetFences"))(mock_device(), 1, &fence) != VK_SUCCESS;
    }
    return NULL;
}

/* Counts alone; with records in buffers that are copied, that the host reads in place, and that it also opens; and with the
 * application's fences trusted, or not. */
static void run(bool records, bool unified, bool in_place, bool trusted)
{
    struct worker workers[THREADS] = {{0}};
    struct mock_tally made = {0};
    if (records)
        mock_init_records(unified, 4 * KIB, 16 * KIB);
    else
        mock_init(1);
    if (in_place)
        mock_show_control();
    if (trusted) {
        mock_layer_device.timeline_semaphores = false;
        mock_layer_device.next.ImportFenceFdKHR = NULL;
    }
    mock.tallies = true;
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_false(workers[i].failed);
        made.launches += workers[i].made.launches;
        made.counted += workers[i].made.counted;
        made.records += workers[i].made.records;
        made.words += workers[i].made.words;
    }
    wait_for_all(&workers[0]);
    assert_int_equal(mock.tally.wrong, 0);
    assert_int_equal(mock.tally.launches, made.launches);
    assert_int_equal(mock.tally.counted, made.counted);
    assert_int_equal(mock.skipped, 0);
    assert_int_equal(mock.tally.records + mock.records_skipped, made.records);
    if (mock.records_skipped == 0)
        assert_int_equal(mock.tally.words, made.words);
    mock_finish();
}

static void test_counts(void **state)
{
    (void)state;
    run(false, false, false, false);
}

static void test_records_that_are_copied(void **state)
{
    (void)state;
    run(true, false, false, false);
}

static void test_records_read_in_place(void **state)
{
    (void)state;
    run(true, true, false, false);
}

static void test_streams_opened_in_place(void **state)
{
    (void)state;
    run(true, true, true, false);
}

static void test_trusted_fences(void **state)
{
    (void)state;
    run(false, true, false, true);
    run(true, true, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_records_that_are_copied),
        cmocka_unit_test(test_records_read_in_place),
        cmocka_unit_test(test_streams_opened_in_place),
        cmocka_unit_test(test_trusted_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
