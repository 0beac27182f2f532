// In place of the user interface of RayTracingInVulkan: it shows nothing and wants nothing.
#include "UserInterface.hpp"
#include "UserSettings.hpp"
#include "Vulkan/DescriptorPool.hpp"
#include "Vulkan/RenderPass.hpp"

UserInterface::UserInterface(Vulkan::CommandPool &, const Vulkan::SwapChain &, const Vulkan::DepthBuffer &, UserSettings &settings)
    : userSettings_(settings)
{
}

UserInterface::~UserInterface() {}

void UserInterface::Render(VkCommandBuffer, const Vulkan::FrameBuffer &, const Statistics &) {}

bool UserInterface::WantsToCaptureKeyboard() const
{
    return false;
}

bool UserInterface::WantsToCaptureMouse() const
{
    return false;
}
