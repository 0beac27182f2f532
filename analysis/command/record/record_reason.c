#include "analysis/command/record/record_reason.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#include "passes/settings/settings.h"

/* The file that execvp would execute. False where there is none. */
static bool find_program(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length > 0 ? folders : ".", program) <
                PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Whether a program header of this type is among those of the file; false also where that cannot be read. */
static bool has_segment(FILE *file, const Elf64_Ehdr *header, Elf64_Word type)
{
    Elf64_Phdr segment;
    if (header->e_phentsize != sizeof(segment) || header->e_phoff > LONG_MAX ||
        fseek(file, (long)header->e_phoff, SEEK_SET) != 0)
        return false;
    for (unsigned i = 0; i < header->e_phnum; ++i)
        if (fread(&segment, sizeof(segment), 1, file) == 1 && segment.p_type == type)
            return true;
    return false;
}

/* Of an executable of this machine. A static one has no program interpreter, which loads libraries (ELF
 * specification, "Program Interpreter"). */
static void look_into_elf(const char *path, FILE *file, const unsigned char *start, char *text, size_t size)
{
    Elf64_Ehdr header;
    if (start[EI_CLASS] == ELFCLASS32) {
        snprintf(text, size, "'%s' is a 32-bit program, and the layer is built for 64 bits only", path);
        return;
    }
    rewind(file);
    if (fread(&header, sizeof(header), 1, file) == 1 && !has_segment(file, &header, PT_INTERP))
        snprintf(text, size,
                 "'%s' is linked statically, so that it loads neither the Vulkan loader nor layers: link it "
                 "dynamically",
                 path);
}

void ws_record_reason_of_file(const char *program, char *text, size_t size)
{
    char path[PATH_MAX];
    struct stat status;
    unsigned char start[EI_NIDENT] = {0};
    text[0] = '\0';
    if (!find_program(program, path) || stat(path, &status) != 0)
        return;
    const bool raised = ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
                        ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid());
    if (raised || getxattr(path, "security.capability", NULL, 0) > 0) {
        snprintf(text, size,
                 "'%s' runs with more rights than yours (set-user-id, set-group-id or file capabilities), "
                 "and in such "
                 "a program the layer does nothing: record a copy of it without them",
                 path);
        return;
    }
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return;
    if (fread(start, 1, sizeof(start), file) == sizeof(start) && memcmp(start, ELFMAG, SELFMAG) == 0)
        look_into_elf(path, file, start, text, size);
    else if (start[0] == '#' && start[1] == '!')
        snprintf(text, size,
                 "'%s' is a script, and no program that it started used Vulkan; what it hands to a process "
                 "that runs "
                 "already, or to a container, is not recorded",
                 path);
    fclose(file);
}

/* What a child process finds out about Vulkan here, as its exit status. */
enum vulkan { VULKAN_WORKS, VULKAN_NO_LOADER, VULKAN_NO_DRIVER, VULKAN_NO_DEVICE, VULKAN_FAILS };

/* In the child: without passes the layer intercepts nothing, and leaves no capture. */
static enum vulkan try_vulkan(void)
{
    char variable[WS_SETTING_VARIABLE_SIZE];
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    alarm(10);
    setenv(ws_setting_variable(WS_SETTING_PASSES, 0, variable), "", 1);
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
    if (loader == NULL)
        return VULKAN_NO_LOADER;
    PFN_vkGetInstanceProcAddr get;
    *(void **)&get = dlsym(loader, "vkGetInstanceProcAddr");
    if (get == NULL)
        return VULKAN_NO_LOADER;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    VkInstance instance = VK_NULL_HANDLE;
    const VkResult result = create != NULL ? create(&info, NULL, &instance) : VK_ERROR_INITIALIZATION_FAILED;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return VULKAN_NO_DRIVER;
    if (result != VK_SUCCESS)
        return VULKAN_FAILS;
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)get(instance, "vkEnumeratePhysicalDevices");
    uint32_t count = 0;
    if (list == NULL || list(instance, &count, NULL) < 0)
        return VULKAN_FAILS;
    return count > 0 ? VULKAN_WORKS : VULKAN_NO_DEVICE;
}

/* Drivers are code of others: whatever they do, they do it in another process. */
static enum vulkan ask_vulkan(void)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(try_vulkan());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return VULKAN_FAILS;
    return (enum vulkan)WEXITSTATUS(status);
}

/* The layer was loaded by nobody. */
static void explain_unloaded(const struct ws_record_run *run, char *text, size_t size)
{
    switch (ask_vulkan()) {
    case VULKAN_NO_LOADER:
        snprintf(text, size,
                 "there is no Vulkan loader here (libvulkan.so.1; Debian has it in the package libvulkan1)");
        return;
    case VULKAN_NO_DRIVER:
    case VULKAN_NO_DEVICE:
        snprintf(text, size,
                 "there is no Vulkan driver here that offers a device: install the one of your GPU, or "
                 "Mesa's, which "
                 "has one in software (Debian: mesa-vulkan-drivers); vulkaninfo --summary lists them");
        return;
    case VULKAN_FAILS:
        snprintf(
            text, size,
            "Vulkan does not work here: try vulkaninfo --summary, and VK_LOADER_DEBUG=all with the program");
        return;
    case VULKAN_WORKS: break;
    }
    ws_record_reason_of_file(run->program, text, size);
    if (text[0] == '\0' && getenv("VK_LOADER_LAYERS_DISABLE") != NULL)
        snprintf(text, size,
                 "the program did not load the layer: VK_LOADER_LAYERS_DISABLE=%s may keep it out",
                 getenv("VK_LOADER_LAYERS_DISABLE"));
    if (text[0] == '\0')
        snprintf(
            text, size,
            "the program did not load the layer: it uses no Vulkan, brings its own Vulkan loader, or runs in "
            "a sandbox or container that does not see the layer (VK_LOADER_DEBUG=layer tells)");
}

void ws_record_reason(const struct ws_record_run *run, char *text, size_t size)
{
    const struct ws_progress_sum *seen = &run->seen;
    if (!seen->reached && run->status != 0)
        snprintf(text, size, "the program ended with status %d before it used Vulkan", run->status);
    else if (!seen->reached)
        explain_unloaded(run, text, size);
    else if (seen->devices > 0)
        snprintf(text, size, "the layer could not write it, as it said above");
    else if (seen->failed > 0 && seen->refusal == VK_ERROR_INCOMPATIBLE_DRIVER)
        snprintf(text, size,
                 "there is no Vulkan driver here that fits the program (vulkaninfo --summary lists what "
                 "there is)");
    else if (seen->failed > 0)
        snprintf(text, size,
                 "the program asked for a Vulkan instance or device, and was refused (VkResult %d)",
                 (int)seen->refusal);
    else
        snprintf(text, size,
                 "the program loaded Vulkan, but created no device: it may have found none that it can use");
}
