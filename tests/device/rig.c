#include "tests/device/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count_comp.h"

static char capture[64];

void rig_check(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    printf("%s:%d: not true: %s\n", file, line, text); /* what is said on stderr may be kept */
    exit(1);
}

const char *rig_capture(void)
{
    return capture;
}

/* What the validation layer below the layer under test says. lavapipe names fewer stages for subgroup
 * operations than it supports, and the layer relies on that. */
static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT type,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    (void)user;
    const char *id = data->pMessageIdName != NULL ? data->pMessageIdName : "";
    if (type != VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT ||
        strcmp(id, "VUID-RuntimeSpirv-None-06343") == 0)
        return VK_FALSE;
    fprintf(stderr, "%s: %s\n", id, data->pMessage);
    exit(1);
}

#define EXTENSIONS 16

/* Adds those of a list that is ended by NULL. */
static uint32_t add_extensions(const char **list, uint32_t count, const char *const *added)
{
    for (; added != NULL && *added != NULL; added++) {
        CHECK(count < EXTENSIONS);
        list[count++] = *added;
    }
    return count;
}

static bool create_instance(struct rig *rig, const struct rig_request *request)
{
    const char *extensions[EXTENSIONS] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "rig",
        .apiVersion = VK_API_VERSION_1_3,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = request->instance_chain,
        .pApplicationInfo = &application,
        .enabledExtensionCount = add_extensions(extensions, 1, request->instance_extensions),
        .ppEnabledExtensionNames = extensions,
    };
    if (volkInitialize() != VK_SUCCESS || vkCreateInstance(&info, NULL, &rig->gpu.instance) != VK_SUCCESS)
        return false;
    volkLoadInstanceOnly(rig->gpu.instance);
    rig->gpu.debug_utils = true;
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = hear,
    };
    return vkCreateDebugUtilsMessengerEXT(rig->gpu.instance, &messenger, NULL, &rig->messenger) == VK_SUCCESS;
}

static bool pick_physical(struct rig *rig)
{
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(rig->gpu.instance, &count, &rig->gpu.physical);
    if (count == 0)
        return false;
    vkGetPhysicalDeviceProperties(rig->gpu.physical, &rig->gpu.properties);
    vkGetPhysicalDeviceMemoryProperties(rig->gpu.physical, &rig->gpu.memory);
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &subgroup,
    };
    vkGetPhysicalDeviceProperties2(rig->gpu.physical, &properties);
    rig->gpu.subgroup_size = subgroup.subgroupSize;
    return rig->gpu.properties.apiVersion >= VK_API_VERSION_1_3;
}

/* The family with graphics and compute, and its queues. */
static bool pick_family(struct rig *rig)
{
    VkQueueFamilyProperties families[16];
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(rig->gpu.physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & wanted) != wanted)
            continue;
        rig->gpu.queue_family = i;
        rig->queue_count = families[i].queueCount < RIG_QUEUES ? families[i].queueCount : RIG_QUEUES;
        return true;
    }
    return false;
}

static bool create_device(struct rig *rig, const struct rig_request *request)
{
    const char *extensions[EXTENSIONS];
    const float priorities[RIG_QUEUES] = {1, 1};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = rig->gpu.queue_family,
        .queueCount = rig->queue_count,
        .pQueuePriorities = priorities,
    };
    VkPhysicalDeviceVulkan13Features features13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = request->chain,
        .synchronization2 = VK_TRUE,
        .dynamicRendering = VK_TRUE,
        .shaderDemoteToHelperInvocation = VK_TRUE,
    };
    VkPhysicalDeviceVulkan12Features features12 = request->features12;
    features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features12.pNext = &features13;
    features12.timelineSemaphore = VK_TRUE;
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = add_extensions(extensions, 0, request->extensions),
        .ppEnabledExtensionNames = extensions,
        .pEnabledFeatures = &request->features,
    };
    if (vkCreateDevice(rig->gpu.physical, &info, NULL, &rig->gpu.device) != VK_SUCCESS)
        return false;
    volkLoadDevice(rig->gpu.device);
    for (uint32_t i = 0; i < rig->queue_count; i++)
        vkGetDeviceQueue(rig->gpu.device, rig->gpu.queue_family, i, &rig->queues[i]);
    rig->gpu.queue = rig->queues[0];
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = rig->gpu.queue_family,
    };
    return vkCreateCommandPool(rig->gpu.device, &pool, NULL, &rig->gpu.pool) == VK_SUCCESS;
}

static const struct rig_request nothing;

void rig_init(struct rig *rig, const struct rig_request *request)
{
    request = request != NULL ? request : &nothing;
    memset(rig, 0, sizeof(*rig));
    CHECK(create_instance(rig, request));
    CHECK(pick_physical(rig) && pick_family(rig));
    CHECK(create_device(rig, request));
    CHECK(ws_gpu_bindings_init(&rig->gpu, &rig->empty, NULL, 0, VK_SHADER_STAGE_ALL, 0, NULL));
}

void rig_finish(struct rig *rig)
{
    vkDeviceWaitIdle(rig->gpu.device);
    ws_gpu_bindings_finish(&rig->gpu, &rig->empty);
    vkDestroyCommandPool(rig->gpu.device, rig->gpu.pool, NULL);
    vkDestroyDevice(rig->gpu.device, NULL);
    vkDestroyDebugUtilsMessengerEXT(rig->gpu.instance, rig->messenger, NULL);
    vkDestroyInstance(rig->gpu.instance, NULL);
}

const struct ws_gpu_shader rig_count = {
    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
    .name = "count.comp",
    .words = count_comp,
    .size = sizeof(count_comp),
};

VkPipeline rig_count_pipeline(struct rig *rig, uint32_t size)
{
    const VkSpecializationMapEntry entry = {.size = sizeof(size)};
    const VkSpecializationInfo specialization = {
        .mapEntryCount = 1,
        .pMapEntries = &entry,
        .dataSize = sizeof(size),
        .pData = &size,
    };
    struct ws_gpu_shader shader = rig_count;
    shader.specialization = &specialization;
    const VkPipeline pipeline = ws_gpu_compute_pipeline(&rig->gpu, &rig->empty, &shader, NULL);
    CHECK(pipeline != VK_NULL_HANDLE);
    return pipeline;
}

VkCommandBuffer rig_allocate(struct rig *rig, VkCommandBufferLevel level)
{
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = rig->gpu.pool,
        .level = level,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(rig->gpu.device, &info, &commands) == VK_SUCCESS);
    return commands;
}

void rig_begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags)
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = flags,
    };
    CHECK(vkBeginCommandBuffer(commands, &info) == VK_SUCCESS);
}

void rig_dispatch(VkCommandBuffer commands, VkPipeline pipeline, uint32_t groups)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(commands, groups, 1, 1);
}

VkFence rig_fence(struct rig *rig)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CHECK(vkCreateFence(rig->gpu.device, &info, NULL, &fence) == VK_SUCCESS);
    return fence;
}

void rig_submit(struct rig *rig, uint32_t count, const VkCommandBuffer *commands, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = count,
        .pCommandBuffers = commands,
    };
    CHECK(vkQueueSubmit(rig->gpu.queue, 1, &info, fence) == VK_SUCCESS);
}

int rig_keep_messages(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0 && close(ends[1]) == 0);
    return ends[0];
}

uint32_t rig_count_messages(int messages, const char *text)
{
    char said[4096];
    uint32_t count = 0;
    CHECK(dup2(STDOUT_FILENO, STDERR_FILENO) >= 0); /* closes the last writing end */
    const ssize_t size = read(messages, said, sizeof(said) - 1);
    CHECK(size >= 0);
    said[size] = '\0';
    for (const char *at = said; (at = strstr(at, text)) != NULL; at++)
        count++;
    close(messages);
    return count;
}

/* The command's exit status for a capture of a program that was ended (docs/usage.md). */
enum { CUT = 4 };

bool rig_report_says(const char *text)
{
    const char *command = getenv("WS_TEST_COMMAND");
    char line[4096];
    bool said = false;
    CHECK(command != NULL);
    snprintf(line, sizeof(line), "'%s' report '%s' all", command, capture);
    FILE *report = popen(line, "r");
    CHECK(report != NULL);
    while (fgets(line, sizeof(line), report) != NULL)
        said = said || strstr(line, text) != NULL;
    const int status = pclose(report);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CUT));
    return said;
}

bool rig_records(void)
{
    const char *passes = getenv("WARPSCOPE_PASSES");
    return passes != NULL && strstr(passes, "execution_trace") != NULL;
}

/* What a child ended with: its exit status, -1 where a signal ended it. */
static int wait_for_child(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether there is such a device. Needs a process too: what is loaded by looking would stay loaded in the
 * processes of the cases. */
static bool is_available(const struct rig_request *request)
{
    static const struct rig_request *last;
    static int answer = -1;
    if (answer >= 0 && request == last)
        return answer != 0;
    last = request;
    const pid_t child = fork();
    if (child == 0) {
        struct rig rig = {0};
        request = request != NULL ? request : &nothing;
        unsetenv("WARPSCOPE_PASSES"); /* no capture of this */
        _exit(create_instance(&rig, request) && pick_physical(&rig) && pick_family(&rig) &&
                      create_device(&rig, request)
                  ? 0
                  : 1);
    }
    answer = wait_for_child(child) == 0;
    return answer != 0;
}

static void run(const struct rig_case *test)
{
    struct rig rig;
    if (test->setting != NULL)
        setenv(test->setting, test->value, 1);
    if (test->own_rigs) {
        test->run(NULL);
        exit(0);
    }
    rig_init(&rig, test->request);
    test->run(&rig);
    rig_finish(&rig);
    exit(0);
}

/* A check that fails ends its process too. */
static void check(const struct rig_case *test)
{
    struct recorded recorded;
    if (test->end == RIG_UNRECORDED) {
        CHECK(access(capture, F_OK) != 0);
        exit(0);
    }
    CHECK(recorded_read(&recorded, capture));
    CHECK(recorded.done == (test->end == RIG_ENDS_WELL || test->end == RIG_KILLED_WHOLE));
    CHECK(recorded.errors == 0);
    struct recorded_streams streams;
    CHECK(recorded_check_streams(&streams, capture));
    if (test->check_streams != NULL)
        test->check_streams(&streams);
    if (test->check != NULL)
        test->check(&recorded);
    recorded_finish(&recorded);
    exit(0);
}

static bool run_case(const struct rig_case *test)
{
    snprintf(capture, sizeof(capture), "/tmp/warpscope-rig-%ld.wscope", (long)getpid());
    setenv("WARPSCOPE_OUTPUT", capture, 1);
    const pid_t child = fork();
    if (child == 0)
        run(test);
    const bool killed = test->end == RIG_KILLED || test->end == RIG_KILLED_WHOLE;
    bool passed = wait_for_child(child) == (killed ? -1 : 0);
    const pid_t checker = passed ? fork() : -1;
    if (checker == 0)
        check(test);
    passed = passed && wait_for_child(checker) == 0;
    unlink(capture);
    printf("%s %s\n", passed ? "ok  " : "FAIL", test->name);
    fflush(stdout);
    return passed;
}

int rig_main(const struct rig_case *cases, size_t count, int argc, char **argv)
{
    int failed = 0, ran = 0;
    for (size_t i = 0; i < count; i++) {
        bool wanted = argc < 2;
        for (int j = 1; j < argc; j++)
            wanted = wanted || strcmp(argv[j], cases[i].name) == 0;
        if (!wanted)
            continue;
        if (!is_available(cases[i].request)) {
            printf("skip %s: there is no Vulkan 1.3 device with all that it needs\n", cases[i].name);
            fflush(stdout);
            continue;
        }
        ran++;
        if (!run_case(&cases[i]))
            failed++;
    }
    if (ran == 0)
        return 77;
    return failed > 0 ? 1 : 0;
}
