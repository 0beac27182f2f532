/* Images of launches: what a dispatch writes is in the capture, texel by texel, by whatever way its descriptor came to be
 * known: written, copied, or by a template into a set; pushed; bound in a secondary command buffer. */
#include "tests/device/rig.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "paint_comp.h"

#define WIDTH    40
#define HEIGHT   24
#define SIZE     (WIDTH * HEIGHT * 4)
#define LAUNCHES 4
#define BINDING  1
#define ROUNDS   400
#define LIMIT    "10000" /* room for two of SIZE, not for three */

static const char *const push_extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, NULL};
static const struct rig_request push_request = {.extensions = push_extensions};
static const struct rig_request later_request = {
    .features12 = {.descriptorIndexing = VK_TRUE, .descriptorBindingStorageImageUpdateAfterBind = VK_TRUE}};

/* What a test paints with: two images, and a layout for a set with one of them at BINDING. */
struct painting {
    struct ws_gpu_image images[2];
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkPipeline pipelines[LAUNCHES]; /* with that number */
};

static void make_pipelines(struct rig *rig, struct painting *painting)
{
    const VkSpecializationMapEntry entry = {.size = sizeof(uint32_t)};
    const struct ws_gpu_bindings bindings = {.layout = painting->layout};
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        const VkSpecializationInfo number = {
            .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof(i), .pData = &i};
        const struct ws_gpu_shader shader = {
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .name = "paint.comp",
            .words = paint_comp,
            .size = sizeof(paint_comp),
            .specialization = &number,
        };
        painting->pipelines[i] = ws_gpu_compute_pipeline(&rig->gpu, &bindings, &shader, NULL);
        CHECK(painting->pipelines[i] != VK_NULL_HANDLE);
    }
}

static void painting_init(struct rig *rig, struct painting *painting, VkDescriptorSetLayoutCreateFlags flags,
                          VkDescriptorBindingFlags binding_flags)
{
    const bool pushed = (flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) != 0;
    const bool later = (flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0;
    VkCommandBuffer commands = ws_gpu_begin(&rig->gpu, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(ws_gpu_image_init(&rig->gpu, &painting->images[i], VK_FORMAT_R8G8B8A8_UNORM,
                                VK_IMAGE_USAGE_STORAGE_BIT, WIDTH, HEIGHT, NULL));
        ws_gpu_image_layout(commands, &painting->images[i], VK_IMAGE_LAYOUT_UNDEFINED,
                            VK_IMAGE_LAYOUT_GENERAL);
    }
    CHECK(ws_gpu_submit(&rig->gpu, commands, NULL));
    const VkDescriptorSetLayoutBinding binding = {
        .binding = BINDING,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        .descriptorCount = 1,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &binding_flags,
    };
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = binding_flags != 0 ? &more : NULL,
        .flags = flags,
        .bindingCount = 1,
        .pBindings = &binding,
    };
    CHECK(vkCreateDescriptorSetLayout(rig->gpu.device, &set_layout, NULL, &painting->set_layout) ==
          VK_SUCCESS);
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &painting->set_layout,
    };
    CHECK(vkCreatePipelineLayout(rig->gpu.device, &layout, NULL, &painting->layout) == VK_SUCCESS);
    make_pipelines(rig, painting);
    if (pushed)
        return;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 8};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT |
                 (later ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0),
        .maxSets = 8,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    CHECK(vkCreateDescriptorPool(rig->gpu.device, &pool, NULL, &painting->pool) == VK_SUCCESS);
}

static void painting_finish(struct rig *rig, struct painting *painting)
{
    CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        vkDestroyPipeline(rig->gpu.device, painting->pipelines[i], NULL);
    vkDestroyDescriptorPool(rig->gpu.device, painting->pool, NULL);
    vkDestroyPipelineLayout(rig->gpu.device, painting->layout, NULL);
    vkDestroyDescriptorSetLayout(rig->gpu.device, painting->set_layout, NULL);
    for (uint32_t i = 0; i < 2; i++)
        ws_gpu_image_finish(&rig->gpu, &painting->images[i]);
}

static VkDescriptorSet allocate_set(struct rig *rig, const struct painting *painting)
{
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = painting->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &painting->set_layout,
    };
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(rig->gpu.device, &info, &set) == VK_SUCCESS);
    return set;
}

static VkDescriptorImageInfo image_info(const struct painting *painting, uint32_t image)
{
    return (VkDescriptorImageInfo){.imageView = painting->images[image].view,
                                   .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
}

static VkWriteDescriptorSet write_of(VkDescriptorSet set, const VkDescriptorImageInfo *info)
{
    return (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = BINDING,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        .pImageInfo = info,
    };
}

static void update(struct rig *rig, const struct painting *painting, VkDescriptorSet set, uint32_t image)
{
    const VkDescriptorImageInfo info = image_info(painting, image);
    const VkWriteDescriptorSet write = write_of(set, &info);
    vkUpdateDescriptorSets(rig->gpu.device, 1, &write, 0, NULL);
}

/* With data that begin with a word that is none of it. */
struct data {
    uint64_t other;
    VkDescriptorImageInfo info;
};

static VkDescriptorUpdateTemplate make_template(struct rig *rig, const struct painting *painting,
                                                VkDescriptorUpdateTemplateType type)
{
    const VkDescriptorUpdateTemplateEntry entry = {
        .dstBinding = BINDING,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        .offset = offsetof(struct data, info),
        .stride = sizeof(VkDescriptorImageInfo),
    };
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entry,
        .templateType = type,
        .descriptorSetLayout = painting->set_layout,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
        .pipelineLayout = painting->layout,
    };
    VkDescriptorUpdateTemplate made;
    CHECK(vkCreateDescriptorUpdateTemplate(rig->gpu.device, &info, NULL, &made) == VK_SUCCESS);
    return made;
}

static void bind(VkCommandBuffer commands, const struct painting *painting, VkDescriptorSet set)
{
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, painting->layout, 0, 1, &set, 0, NULL);
}

/* Paints with that number, after all that was painted before. */
static void paint(VkCommandBuffer commands, const struct painting *painting, uint32_t number)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &barrier, 0, NULL, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, painting->pipelines[number]);
    vkCmdDispatch(commands, WIDTH / 8, HEIGHT / 8, 1);
}

static VkCommandBuffer begin(struct rig *rig)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    return commands;
}

static void run_commands(struct rig *rig, VkCommandBuffer commands)
{
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
}

/* A set that is written, one that is copied from it, and one by a template; and the first one again. */
static void run_sets(struct rig *rig)
{
    struct painting painting = {0};
    painting_init(rig, &painting, 0, 0);
    VkDescriptorSet sets[3];
    for (uint32_t i = 0; i < 3; i++)
        sets[i] = allocate_set(rig, &painting);
    update(rig, &painting, sets[0], 1);
    update(rig, &painting, sets[0], 0);
    const VkCopyDescriptorSet copy = {
        .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
        .srcSet = sets[0],
        .srcBinding = BINDING,
        .dstSet = sets[1],
        .dstBinding = BINDING,
        .descriptorCount = 1,
    };
    vkUpdateDescriptorSets(rig->gpu.device, 0, NULL, 1, &copy);
    const struct data data = {.info = image_info(&painting, 1)};
    const VkDescriptorUpdateTemplate template =
        make_template(rig, &painting, VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET);
    vkUpdateDescriptorSetWithTemplate(rig->gpu.device, sets[2], template, &data);
    VkCommandBuffer commands = begin(rig);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        bind(commands, &painting, sets[i % 3]);
        paint(commands, &painting, i);
    }
    run_commands(rig, commands);
    vkDestroyDescriptorUpdateTemplate(rig->gpu.device, template, NULL);
    painting_finish(rig, &painting);
}

static void run_pushed(struct rig *rig)
{
    struct painting painting = {0};
    painting_init(rig, &painting, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, 0);
    const VkDescriptorUpdateTemplate template =
        make_template(rig, &painting, VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR);
    VkCommandBuffer commands = begin(rig);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        const struct data data = {.info = image_info(&painting, i / 2)};
        const VkWriteDescriptorSet write = write_of(VK_NULL_HANDLE, &data.info);
        if (i % 2 == 0)
            vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, painting.layout, 0, 1,
                                      &write);
        else
            vkCmdPushDescriptorSetWithTemplateKHR(commands, template, painting.layout, 0, &data);
        paint(commands, &painting, i);
    }
    run_commands(rig, commands);
    vkDestroyDescriptorUpdateTemplate(rig->gpu.device, template, NULL);
    painting_finish(rig, &painting);
}

/* Two launches in a secondary command buffer, which two primary ones execute. */
static void run_secondary(struct rig *rig)
{
    struct painting painting = {0};
    painting_init(rig, &painting, 0, 0);
    const VkDescriptorSet set = allocate_set(rig, &painting);
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
        .pInheritanceInfo = &inheritance,
    };
    update(rig, &painting, set, 0);
    VkCommandBuffer secondary = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    CHECK(vkBeginCommandBuffer(secondary, &info) == VK_SUCCESS);
    bind(secondary, &painting, set);
    paint(secondary, &painting, 0);
    paint(secondary, &painting, 1);
    CHECK(vkEndCommandBuffer(secondary) == VK_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        VkCommandBuffer commands = begin(rig);
        vkCmdExecuteCommands(commands, 1, &secondary);
        run_commands(rig, commands);
    }
    painting_finish(rig, &painting);
}

/* The image, its view and the set are destroyed right after the launch has finished; and others made, which may have their
 * handles. */
static void run_remade(struct rig *rig)
{
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        struct painting painting = {0};
        painting_init(rig, &painting, 0, 0);
        const VkDescriptorSet set = allocate_set(rig, &painting);
        update(rig, &painting, set, i % 2);
        VkCommandBuffer commands = begin(rig);
        bind(commands, &painting, set);
        paint(commands, &painting, i);
        run_commands(rig, commands);
        CHECK(vkFreeDescriptorSets(rig->gpu.device, painting.pool, 1, &set) == VK_SUCCESS);
        painting_finish(rig, &painting);
    }
}

/* One thread writes the descriptor while another records launches with the set bound. */
struct changing {
    struct rig *rig;
    const struct painting *painting;
    VkDescriptorSet set;
};

static void *change(void *user)
{
    const struct changing *changing = user;
    for (uint32_t i = 0; i < ROUNDS; i++)
        update(changing->rig, changing->painting, changing->set, i % 2);
    return NULL;
}

/* Which image a launch writes is known only when it is executed: none is taken. */
static void run_later(struct rig *rig)
{
    struct painting painting = {0};
    pthread_t thread;
    painting_init(rig, &painting, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                  VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
    struct changing changing = {rig, &painting, allocate_set(rig, &painting)};
    update(rig, &painting, changing.set, 0);
    CHECK(pthread_create(&thread, NULL, change, &changing) == 0);
    VkCommandBuffer commands = begin(rig);
    bind(commands, &painting, changing.set);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        paint(commands, &painting, i);
    CHECK(pthread_join(thread, NULL) == 0);
    run_commands(rig, commands);
    painting_finish(rig, &painting);
}

static void check_painted(const struct recorded *recorded, uint32_t count, uint32_t numbers)
{
    CHECK(recorded->count == LAUNCHES && recorded->image_count == count);
    CHECK(recorded->images_skipped == LAUNCHES - count);
    for (uint32_t i = 0; i < count; i++) {
        const struct recorded_image *image = &recorded->images[i];
        const struct ws_chunk_image *chunk = &image->chunk;
        CHECK(chunk->source == WS_IMAGE_OF_LAUNCH && chunk->launch == i && chunk->others == 0);
        CHECK(chunk->width == WIDTH && chunk->height == HEIGHT && chunk->pitch == WIDTH * 4);
        CHECK(chunk->set == 0 && chunk->binding == BINDING);
        for (uint32_t j = 0; j < WIDTH * HEIGHT; j++) {
            const uint8_t expected[4] = {(uint8_t)(j % WIDTH), (uint8_t)(j / WIDTH), (uint8_t)(i % numbers),
                                         255};
            CHECK(memcmp(image->bytes + 4 * (size_t)j, expected, 4) == 0);
        }
    }
}

static void check_all(const struct recorded *recorded)
{
    check_painted(recorded, LAUNCHES, LAUNCHES);
}

static void check_secondary(const struct recorded *recorded)
{
    check_painted(recorded, LAUNCHES, 2);
}

static void check_limit(const struct recorded *recorded)
{
    check_painted(recorded, 2, LAUNCHES);
}

static void check_none(const struct recorded *recorded)
{
    check_painted(recorded, 0, LAUNCHES);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "sets", .run = run_sets, .check = check_all},
        {.name = "pushed", .run = run_pushed, .check = check_all, .request = &push_request},
        {.name = "secondary", .run = run_secondary, .check = check_secondary},
        {.name = "remade", .run = run_remade, .check = check_all},
        {.name = "later", .run = run_later, .check = check_none, .request = &later_request},
        {.name = "limit",
         .run = run_sets,
         .check = check_limit,
         .setting = "WARPSCOPE_IMAGE_LIMIT",
         .value = LIMIT},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
