/* privileged LAYER PLUGIN: in a program that has more rights than who starts it, the layer reads no settings, loads no plug-in
 * and intercepts nothing, whatever lies in the working directory and stands in the environment.
 *
 * The program copies itself, gives the copy rights, and starts it: set-user-id, set-group-id, and with file
 * capabilities. The copy calls the layer as the Vulkan loader would, with a driver of its own below it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>

#define OTHER 65534 /* a user and a group without rights */

/* What the copy ends with. */
enum { OFF = 10, ON, ORDINARY, FAILED };

static VKAPI_ATTR void VKAPI_CALL do_nothing(void)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance)
{
    static void *dispatch_table[1];
    static struct {
        void **table;
    } handle = {dispatch_table};
    (void)info;
    (void)allocator;
    *instance = (VkInstance)&handle;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_proc_addr(VkInstance instance, const char *name)
{
    (void)instance;
    return strcmp(name, "vkCreateInstance") == 0 ? (PFN_vkVoidFunction)create_instance : do_nothing;
}

/* Whether the layer intercepts what it intercepts only while passes are on. */
static int ask_layer(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return FAILED;
    }
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate;
    *(void **)&negotiate = dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion");
    VkNegotiateLayerInterface interface = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                           .loaderLayerInterfaceVersion = 2};
    if (negotiate == NULL || negotiate(&interface) != VK_SUCCESS)
        return FAILED;
    VkLayerInstanceLink link = {.pfnNextGetInstanceProcAddr = get_proc_addr};
    const VkLayerInstanceCreateInfo loader = {
        .sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
        .function = VK_LAYER_LINK_INFO,
        .u.pLayerInfo = &link,
    };
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = &loader,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    VkInstance instance;
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)interface.pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance");
    if (create(&info, NULL, &instance) != VK_SUCCESS)
        return FAILED;
    const PFN_vkVoidFunction function =
        interface.pfnGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
    return function == do_nothing ? OFF : ON;
}

/* Whether the copy has got more rights: file systems can refuse that. */
static bool has_rights(void)
{
    return getauxval(AT_SECURE) != 0;
}

static bool copy(const char *original, const char *path)
{
    char buffer[65536];
    ssize_t size = 0;
    const int from = open(original, O_RDONLY | O_CLOEXEC);
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    bool good = from >= 0 && to >= 0;
    while (good && (size = read(from, buffer, sizeof(buffer))) > 0)
        good = write(to, buffer, (size_t)size) == size;
    close(from);
    close(to);
    return good && size == 0 && chmod(path, 0755) == 0;
}

/* What the copy ends with, started by `user`. */
static int start(const char *path, const char *what, const char *layer, uid_t user)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (user != 0 && (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0))
            _exit(FAILED);
        execl(path, path, layer, what, "copy", (char *)NULL);
        _exit(FAILED);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return FAILED;
    return WEXITSTATUS(status);
}

static bool make_set_user(const char *path)
{
    return chown(path, OTHER, 0) == 0 && chmod(path, 04755) == 0;
}

static bool make_set_group(const char *path)
{
    return chown(path, 0, OTHER) == 0 && chmod(path, 02755) == 0;
}

static bool make_capable(const char *path)
{
    const struct vfs_cap_data data = {
        .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
        .data[0].permitted = 1u << CAP_NET_RAW,
    };
    return chown(path, 0, 0) == 0 && chmod(path, 0755) == 0 &&
           setxattr(path, "security.capability", &data, sizeof(data), 0) == 0;
}

/* One way to have rights. -1 where this machine does not offer it. */
static int try_rights(const char *what, bool (*give)(const char *), uid_t user, const char *layer)
{
    const int expected = give != NULL ? OFF : ON;
    const char *path = "./copy";
    if (!copy("/proc/self/exe", path) || (give != NULL && !give(path))) {
        printf("skip %s: %s\n", what, strerror(errno));
        return -1;
    }
    const int ended = start(path, give != NULL ? "with rights" : "without", layer, user);
    const bool loaded = unlink("loaded") == 0; /* by the plug-in */
    unlink(path);
    if (ended == ORDINARY) {
        printf("skip %s: the file system gives no rights\n", what);
        return -1;
    }
    const bool good = ended == expected && loaded == (give == NULL);
    printf("%s %s%s\n", good ? "ok  " : "FAIL", what, loaded ? ", with the plug-in" : "");
    return good ? 0 : 1;
}

static void put_settings(const char *folder)
{
    /* Anybody may note something in it; nobody may replace files of others. */
    FILE *file = chdir(folder) == 0 && chmod(".", 01777) == 0 ? fopen("vk_layer_settings.txt", "we") : NULL;
    if (file == NULL) {
        printf("%s: %s\n", folder, strerror(errno));
        exit(1);
    }
    fputs("warpscope_capture.passes = noted\n", file);
    fclose(file);
    setenv("WARPSCOPE_PASSES", "noted", 1);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/warpscope-privileged-XXXXXX";
    if (argc == 4) {
        const int answer = strcmp(argv[2], "without") == 0 || has_rights() ? ask_layer(argv[1]) : ORDINARY;
        fflush(stdout);
        _exit(answer); /* a sanitizer of leaks may not look into a program that has rights */
    }
    char *original = argc == 3 ? realpath(argv[1], NULL) : NULL;
    char *original_plugin = argc == 3 ? realpath(argv[2], NULL) : NULL;
    if (original == NULL || original_plugin == NULL || mkdtemp(folder) == NULL)
        return 1;
    put_settings(folder);
    /* The build may lie where only its owner can read, /root for one. */
    char layer[sizeof(folder) + sizeof("/layer.so")];
    char plugin[sizeof(folder) + sizeof("/plugin.so")];
    snprintf(layer, sizeof(layer), "%s/layer.so", folder);
    snprintf(plugin, sizeof(plugin), "%s/plugin.so", folder);
    setenv("WARPSCOPE_PLUGINS", plugin, 1);
    if (!copy(original, layer) || !copy(original_plugin, plugin)) {
        printf("%s: %s\n", layer, strerror(errno));
        return 1;
    }
    int failed = try_rights("an ordinary program", NULL, 0, layer) != 0;
    int skipped = 0;
    static const struct {
        const char *what;
        bool (*give)(const char *path);
        uid_t user; /* who starts it */
    } ways[] = {
        {"set-user-id", make_set_user, 0},
        {"set-group-id", make_set_group, 0},
        {"file capabilities", make_capable, OTHER},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        const int result = try_rights(ways[i].what, ways[i].give, ways[i].user, layer);
        failed += result > 0;
        skipped += result < 0;
    }
    unlink("vk_layer_settings.txt");
    unlink(layer);
    unlink(plugin);
    rmdir(folder);
    free(original);
    free(original_plugin);
    if (failed == 0 && skipped == (int)(sizeof(ways) / sizeof(ways[0]))) {
        printf("only the superuser can make programs that have rights\n");
        return 77;
    }
    return failed > 0 ? 1 : 0;
}
