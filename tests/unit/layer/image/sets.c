/* Descriptor sets and image views that threads change while another looks them up, as it does to record a launch. What is
 * found is always one of those that were written, whole. Above the thread sanitizer no access may race. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/image/image.h"
#include "layer/image/swapchain.h"
#include "layer/process/lock.h"
#include "layer/resources/descriptor_set.h"
#include "tests/unit/layer/mock/makes.h"

#define BINDINGS 24
#define ROUNDS   3000
#define SIZES    4

extern const struct ws_interception ws_image_interception, ws_descriptor_set_interception;

static struct ws_instance instance;
static struct ws_device device;
static atomic_uint_fast64_t next_handle;

struct ws_device *ws_device_of(const void *dispatchable)
{
    (void)dispatchable;
    return &device;
}

const struct ws_swapchain *ws_swapchain_find(struct ws_device *of, VkSwapchainKHR handle)
{
    (void)of, (void)handle;
    return NULL;
}

MAKES(make_image, VkImageCreateInfo, VkImage)
MAKES(make_view, VkImageViewCreateInfo, VkImageView)
MAKES(make_layout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
MAKES(make_pool, VkDescriptorPoolCreateInfo, VkDescriptorPool)
DESTROYS(drop_view, VkImageView)

/* The first set has the same handle each time, as with a driver that uses memory again. */
static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                               VkDescriptorSet *sets)
{
    (void)handle, (void)info;
    sets[0] = (VkDescriptorSet)(uintptr_t)1000000;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL drop_sets(VkDevice handle, VkDescriptorPool pool, uint32_t count,
                                                const VkDescriptorSet *sets)
{
    (void)handle, (void)pool, (void)count, (void)sets;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL update(VkDevice handle, uint32_t write_count,
                                         const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                         const VkCopyDescriptorSet *copies)
{
    (void)handle, (void)write_count, (void)writes, (void)copy_count, (void)copies;
}

static VKAPI_ATTR VkResult VKAPI_CALL image_able(VkPhysicalDevice physical, VkFormat format, VkImageType type,
                                                 VkImageTiling tiling, VkImageUsageFlags usage,
                                                 VkImageCreateFlags flags, VkImageFormatProperties *able)
{
    (void)physical, (void)format, (void)type, (void)tiling, (void)usage, (void)flags;
    *able = (VkImageFormatProperties){{64, 64, 1}, 1, 1, VK_SAMPLE_COUNT_1_BIT, 1 << 20};
    return VK_SUCCESS;
}

static PFN_vkVoidFunction hook(const char *name)
{
    const struct ws_interception *const lists[] = {&ws_image_interception, &ws_descriptor_set_interception};
    for (size_t i = 0; i < 2; i++)
        for (const struct ws_hook *at = lists[i]->hooks; at->name != NULL; at++)
            if (strcmp(at->name, name) == 0)
                return at->function;
    fail_msg("%s is not hooked", name);
    return NULL;
}

#define HOOK(name) ((PFN_vk##name)hook("vk" #name))

/* An image of SIZE x 1 texels, and a view of it. */
static VkImage images[SIZES];

static VkImageView view_of(uint32_t size)
{
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = images[size],
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    VkImageView view;
    assert_int_equal(HOOK(CreateImageView)(NULL, &info, NULL, &view), VK_SUCCESS);
    return view;
}

static int set_up(void **state)
{
    (void)state;
    instance = (struct ws_instance){.next.GetPhysicalDeviceImageFormatProperties = image_able,
                                    .api_version = VK_API_VERSION_1_1};
    static struct ws_settings settings = {.image = true};
    device = (struct ws_device){.instance = &instance, .objects = ws_objects_create(), .settings = &settings};
    device.properties.core.apiVersion = VK_API_VERSION_1_1;
    device.next.CreateImage = make_image;
    device.next.CreateImageView = make_view;
    device.next.DestroyImageView = drop_view;
    device.next.CreateDescriptorSetLayout = make_layout;
    device.next.CreateDescriptorPool = make_pool;
    device.next.AllocateDescriptorSets = allocate;
    device.next.FreeDescriptorSets = drop_sets;
    device.next.UpdateDescriptorSets = update;
    ws_lock_init(&device.lock);
    assert_non_null(device.objects);
    assert_true(ws_image_interception.device_init(&device, NULL));
    for (uint32_t i = 0; i < SIZES; i++) {
        const VkImageCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .imageType = VK_IMAGE_TYPE_2D,
            .format = VK_FORMAT_R8G8B8A8_UNORM,
            .extent = {i + 1, 1, 1},
            .mipLevels = 1,
            .arrayLayers = 1,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .usage = VK_IMAGE_USAGE_STORAGE_BIT,
        };
        assert_int_equal(HOOK(CreateImage)(NULL, &info, NULL, &images[i]), VK_SUCCESS);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ws_descriptor_set_interception.device_finish(&device);
    ws_image_interception.device_finish(&device);
    ws_objects_destroy(device.objects);
    pthread_mutex_destroy(&device.lock);
    return 0;
}

/* Resources are not followed here. */
void ws_capture_check(struct ws_instance *of, bool written, const struct ws_error *error)
{
    (void)of, (void)written, (void)error;
}

bool ws_capture_write_resources(struct ws_capture_writer *writer, const struct ws_chunk_resources *chunk,
                                struct ws_error *error)
{
    (void)writer, (void)chunk, (void)error;
    return true;
}

static bool find_image(VkDescriptorSet handle, uint32_t binding, struct ws_image_descriptor *descriptor)
{
    const char *reason;
    struct ws_set *set = ws_descriptor_set_hold(&device, handle);
    const bool found = set != NULL && ws_set_find_image(&device, set, binding, descriptor, &reason);
    ws_set_release(set);
    return found;
}

struct sets {
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    atomic_bool over;
};

static VkDescriptorSet allocate_set(const struct sets *sets)
{
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = sets->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &sets->layout,
    };
    VkDescriptorSet set;
    if (HOOK(AllocateDescriptorSets)(NULL, &info, &set) != VK_SUCCESS)
        fail();
    return set;
}

static void sets_init(struct sets *sets)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BINDINGS,
        .pBindings = bindings,
    };
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    memset(sets, 0, sizeof(*sets));
    assert_int_equal(HOOK(CreateDescriptorSetLayout)(NULL, &layout, NULL, &sets->layout), VK_SUCCESS);
    assert_int_equal(HOOK(CreateDescriptorPool)(NULL, &pool, NULL, &sets->pool), VK_SUCCESS);
    sets->set = allocate_set(sets);
}

static void write_binding(const struct sets *sets, uint32_t binding, VkImageView view)
{
    const VkDescriptorImageInfo info = {.imageView = view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = sets->set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        .pImageInfo = &info,
    };
    HOOK(UpdateDescriptorSets)(NULL, 1, &write, 0, NULL);
}

/* Writes all bindings, so that the list grows; frees the set and makes it again; and makes and destroys views. */
static void *change(void *user)
{
    struct sets *sets = user;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const VkImageView view = view_of(i % SIZES);
        write_binding(sets, i % BINDINGS, view);
        HOOK(DestroyImageView)(NULL, view, NULL);
        if (i % BINDINGS == BINDINGS - 1) {
            HOOK(FreeDescriptorSets)(NULL, sets->pool, 1, &sets->set);
            allocate_set(sets); /* with the same handle */
        }
    }
    sets->over = true;
    return NULL;
}

static void test_what_is_found_is_whole(void **state)
{
    struct sets sets;
    pthread_t thread;
    (void)state;
    sets_init(&sets);
    assert_int_equal(pthread_create(&thread, NULL, change, &sets), 0);
    for (uint32_t i = 0; !sets.over; i++) {
        struct ws_image_descriptor descriptor;
        struct ws_image_view view;
        if (!find_image(sets.set, i % BINDINGS, &descriptor))
            continue;
        assert_int_equal(descriptor.layout, VK_IMAGE_LAYOUT_GENERAL);
        if (!ws_image_view_find(&device, descriptor.view, &view))
            continue;
        assert_in_range(view.width, 1, SIZES);
        assert_ptr_equal(view.image, images[view.width - 1]);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* What is found is the latest write; a set that is freed, and a view that is destroyed, are not known. */
static void test_what_is_gone_is_not_found(void **state)
{
    struct sets sets;
    struct ws_image_descriptor descriptor;
    struct ws_image_view found;
    (void)state;
    sets_init(&sets);
    const VkImageView first = view_of(0), second = view_of(2);
    write_binding(&sets, 3, first);
    write_binding(&sets, 3, second);
    assert_true(find_image(sets.set, 3, &descriptor));
    assert_ptr_equal(descriptor.view, second);
    assert_false(find_image(sets.set, 2, &descriptor));
    assert_true(ws_image_view_find(&device, second, &found));
    assert_int_equal(found.width, 3);
    assert_null(found.reason);
    HOOK(DestroyImageView)(NULL, second, NULL);
    assert_false(ws_image_view_find(&device, second, &found));
    HOOK(FreeDescriptorSets)(NULL, sets.pool, 1, &sets.set);
    assert_false(find_image(sets.set, 3, &descriptor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_found_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_gone_is_not_found, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
