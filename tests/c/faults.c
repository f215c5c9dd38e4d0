/* Runs a program on a disk that fails.
 *
 *     faults MODE N DIRECTORY PROGRAM [ARGUMENT...]
 *
 * Counts what the program does to files below DIRECTORY (opening for writing, writing, syncing,
 * cutting, renaming, making, removing) and lets the N-th operation, counted from 1, go wrong:
 *
 *     count   nothing goes wrong; the last line on standard error says how many operations there were, and how many reads
 *     error   it fails: no space for what writes, an input/output error for the rest
 *     full    it and all that write after it fail for want of space
 *     short   a write takes half of the bytes and says so, as it may
 *     torn    a write takes half of the bytes, and the program is killed
 *     kill    the program is killed before it
 *     bytes   power fails before it: what was written and not synced is zeros or gone, new names are kept
 *     names   power fails before it: renames and removals in a directory that was not synced since are undone
 *     power   power fails before it: both
 *     read    the N-th read fails with an input/output error; nothing else is counted. What is mapped is not read
 *
 * Exits as the program does, with 137 if it was killed, and with 77 if this system cannot do that.
 * Linux only: the program's system calls are handed to this one by a seccomp filter, so it need not
 * be linked in a special way.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNSUPPORTED = 77, KILLED = 137, MOST = 4096 };

enum mode { COUNT, FAIL, FULL, SHORT, TORN, KILL, BYTES, NAMES, POWER, READ };

static const char *const MODES[] = {"count", "error", "full",  "short", "torn",
                                    "kill",  "bytes", "names", "power", "read"};

static const int TRAPPED[] = {
    SYS_openat,   SYS_write,    SYS_pwrite64,        SYS_writev,    SYS_fsync,   SYS_fdatasync, SYS_ftruncate,
    SYS_renameat, SYS_unlinkat, SYS_copy_file_range, SYS_fallocate, SYS_mkdirat, SYS_renameat2,
    SYS_read,     SYS_pread64,  SYS_readv,
#ifdef SYS_open
    SYS_open,     SYS_rename,   SYS_unlink,          SYS_mkdir,
#endif
};

enum { TRAPPED_COUNT = sizeof TRAPPED / sizeof *TRAPPED };

/* A file with bytes that were not synced. */
static struct { char path[PATH_MAX]; } unsynced[MOST];
static int unsynced_count;

/* A rename in a directory that was not synced since, or a removal, which is from nowhere. */
static struct { char from[PATH_MAX], to[PATH_MAX], before[PATH_MAX]; } renames[MOST];
static int rename_count;

static char directory[PATH_MAX];
static char spare[] = "/tmp/faults-XXXXXX";
static enum mode mode;
static long target, operations, reads;
static pid_t child;

static void fail(const char *what)
{
    perror(what);
    exit(UNSUPPORTED);
}

/* In the child: installs the filter, hands its listener to the parent, becomes the program. */
static void become(int channel, char **command)
{
    struct sock_filter filter[TRAPPED_COUNT + 3];
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < TRAPPED_COUNT; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TRAPPED[i], TRAPPED_COUNT - i, 0);
    filter[TRAPPED_COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[TRAPPED_COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {.len = TRAPPED_COUNT + 3, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
        fail("prctl");
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        fail("seccomp");
    char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &listener, sizeof listener);
    if (sendmsg(channel, &message, 0) < 0)
        _exit(UNSUPPORTED);
    close(listener);
    close(channel);
    execvp(command[0], command);
    _exit(127);
}

static int received(int channel)
{
    char control[CMSG_SPACE(sizeof(int))], byte;
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int listener;
    if (recvmsg(channel, &message, 0) <= 0 || !CMSG_FIRSTHDR(&message))
        exit(UNSUPPORTED);
    memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof listener);
    return listener;
}

/* The path of an open file of a thread; empty if there is none. */
static void path_of_file(pid_t thread, int file, char *path)
{
    char link[64];
    snprintf(link, sizeof link, file == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d", thread, file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* The path that a thread names, from where it stands. */
static void path_of_name(pid_t thread, int from, unsigned long address, char *path)
{
    char name[PATH_MAX] = {0};
    /* Page by page, since what comes after a string may not be mapped. */
    for (size_t length = 0, piece; length < sizeof name; length += piece) {
        piece = 4096 - (address + length) % 4096;
        piece = piece < sizeof name - length ? piece : sizeof name - length;
        struct iovec here = {name + length, piece}, there = {(void *)(address + length), piece};
        if (process_vm_readv(thread, &here, 1, &there, 1, 0) <= 0 || memchr(name + length, 0, piece))
            break;
    }
    name[PATH_MAX - 1] = 0;
    if (name[0] == '/') {
        strcpy(path, name);
        return;
    }
    path_of_file(thread, from, path);
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%s", name);
}

static int is_below(const char *path)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int find_unsynced(const char *path)
{
    for (int i = 0; i < unsynced_count; i++)
        if (!strcmp(unsynced[i].path, path))
            return i;
    return -1;
}

static void note_bytes(const char *path)
{
    if (find_unsynced(path) < 0 && unsynced_count < MOST)
        strcpy(unsynced[unsynced_count++].path, path);
}

static void note_sync(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        size_t length = strlen(path);
        int kept = 0;
        for (int i = 0; i < rename_count; i++) {
            const char *to = renames[i].to;
            int is_here = !strncmp(to, path, length) && to[length] == '/' && !strchr(to + length + 1, '/');
            if (!is_here)
                renames[kept++] = renames[i];
        }
        rename_count = kept;
    }
    int place = find_unsynced(path);
    if (place >= 0)
        unsynced[place] = unsynced[--unsynced_count];
}

static void note_rename(const char *from, const char *to)
{
    static int number;
    if (rename_count == MOST)
        return;
    strcpy(renames[rename_count].from, from);
    strcpy(renames[rename_count].to, to);
    /* What had the name before, if anything. */
    char *before = renames[rename_count++].before;
    snprintf(before, PATH_MAX, "%s/%d", spare, number++);
    if (link(to, before))
        before[0] = 0;
    int place = find_unsynced(to);
    if (place >= 0)
        strcpy(unsynced[place].path, before);
    place = find_unsynced(from);
    if (place >= 0)
        strcpy(unsynced[place].path, to);
}

static void lose_names(void)
{
    while (rename_count-- > 0) {
        if (renames[rename_count].from[0])
            rename(renames[rename_count].to, renames[rename_count].from);
        if (renames[rename_count].before[0])
            rename(renames[rename_count].before, renames[rename_count].to);
    }
}

static void lose_bytes(void)
{
    for (int i = 0; i < unsynced_count; i++) {
        struct stat status;
        if (stat(unsynced[i].path, &status) || truncate(unsynced[i].path, 0))
            continue;
        /* File systems leave the one or the other. */
        if (target % 2 && truncate(unsynced[i].path, status.st_size))
            perror(unsynced[i].path);
    }
}

/* What a power cut leaves. */
static void lose(void)
{
    /* Bytes first: they are known by the names of now. */
    if (mode != NAMES)
        lose_bytes();
    if (mode != BYTES)
        lose_names();
}

static int loses(void)
{
    return mode == BYTES || mode == NAMES || mode == POWER;
}

static int is_read(int call)
{
    return call == SYS_read || call == SYS_pread64 || call == SYS_readv;
}

static int writes(int call)
{
    return call == SYS_write || call == SYS_pwrite64 || call == SYS_writev || call == SYS_copy_file_range;
}

static int takes_space(int call)
{
    int opens = call == SYS_openat || call == SYS_mkdirat || call == SYS_fallocate || call == SYS_ftruncate;
#ifdef SYS_open
    opens = opens || call == SYS_open || call == SYS_mkdir;
#endif
    return writes(call) || opens;
}

/* Writes half of what a thread wanted to write, in its place; returns how much. */
static long write_half(const struct seccomp_notif *request)
{
    size_t length = request->data.args[2] / 2;
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    int file = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)request->data.args[0], 0);
    char *bytes = malloc(length + 1);
    struct iovec here = {bytes, length}, there = {(void *)request->data.args[1], length};
    long written = -EIO;
    if (file >= 0 && bytes && process_vm_readv(request->pid, &here, 1, &there, 1, 0) == (ssize_t)length)
        written = request->data.nr == SYS_write ? write(file, bytes, length)
                                                : pwrite(file, bytes, length, (off_t)request->data.args[3]);
    free(bytes);
    close(file);
    close(process);
    return written;
}

/* What an operation is about: its path, or the two of a rename; whether it counts. */
static int paths(const struct seccomp_notif *request, char *path, char *to)
{
    const unsigned long long *args = request->data.args;
    pid_t thread = (pid_t)request->pid;
    int changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    *to = 0;
    switch (request->data.nr) {
    case SYS_openat:
        path_of_name(thread, (int)args[0], args[1], path);
        return is_below(path) && (args[2] & changes);
    case SYS_unlinkat:
    case SYS_mkdirat:
        path_of_name(thread, (int)args[0], args[1], path);
        return is_below(path);
    case SYS_renameat:
    case SYS_renameat2:
        path_of_name(thread, (int)args[0], args[1], path);
        path_of_name(thread, (int)args[2], args[3], to);
        return is_below(path) || is_below(to);
#ifdef SYS_open
    case SYS_open:
        path_of_name(thread, AT_FDCWD, args[0], path);
        return is_below(path) && (args[1] & changes);
    case SYS_rename:
        path_of_name(thread, AT_FDCWD, args[0], path);
        path_of_name(thread, AT_FDCWD, args[1], to);
        return is_below(path) || is_below(to);
    case SYS_unlink:
    case SYS_mkdir:
        path_of_name(thread, AT_FDCWD, args[0], path);
        return is_below(path);
#endif
    case SYS_copy_file_range:
        path_of_file(thread, (int)args[2], path);
        return is_below(path);
    default:
        path_of_file(thread, (int)args[0], path);
        return is_below(path);
    }
}

static void note(int call, const char *path, const char *to)
{
    int removes = call == SYS_unlinkat;
#ifdef SYS_unlink
    removes = removes || call == SYS_unlink;
#endif
    if (*to)
        note_rename(path, to);
    else if (removes)
        note_rename("", path);
    else if (call == SYS_fsync || call == SYS_fdatasync)
        note_sync(path);
    else if (writes(call) || call == SYS_ftruncate)
        note_bytes(path);
}

/* Answers one system call; returns whether the program is to be killed instead. */
static int answer(const struct seccomp_notif *request, struct seccomp_notif_resp *response)
{
    char path[PATH_MAX], to[PATH_MAX];
    int call = request->data.nr;
    memset(response, 0, sizeof *response);
    response->id = request->id;
    response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (!paths(request, path, to))
        return 0;
    if (is_read(call)) {
        reads++;
        if (mode == READ && reads == target) {
            response->flags = 0;
            response->error = -EIO;
        }
        return 0;
    }
    operations++;
    if (mode == READ)
        return 0;
    int is_full = mode == FULL && operations >= target && takes_space(call);
    if (operations == target || is_full) {
        int cut = call == SYS_write || call == SYS_pwrite64;
        if (mode == KILL || loses())
            return 1;
        if ((mode == SHORT || mode == TORN) && cut && request->data.args[2] > 1) {
            response->flags = 0;
            response->val = write_half(request);
            note_bytes(path);
            return mode == TORN;
        }
        if (mode == FAIL || is_full) {
            response->flags = 0;
            response->error = takes_space(call) ? -ENOSPC : -EIO;
            return 0;
        }
    }
    note(call, path, to);
    return 0;
}

int main(int count, char **arguments)
{
    if (count < 5)
        return 2;
    for (mode = COUNT; mode <= READ && strcmp(MODES[mode], arguments[1]); mode++)
        ;
    target = atol(arguments[2]);
    if (mode > READ || !realpath(arguments[3], directory))
        return 2;
    int channel[2];
    if (!mkdtemp(spare) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
        fail("socketpair");
    child = fork();
    if (child == 0)
        become(channel[1], arguments + 4);
    close(channel[1]);
    int listener = received(channel[0]), was_killed = 0;
    struct seccomp_notif request;
    struct seccomp_notif_resp response;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    while (poll(&waiting, 1, -1) >= 0 && !(waiting.revents & POLLHUP)) {
        memset(&request, 0, sizeof request);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
            continue;
        was_killed = answer(&request, &response);
        if (was_killed) {
            kill(child, SIGKILL);
            break;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
    int status;
    waitpid(child, &status, 0);
    if (was_killed && loses())
        lose();
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", spare);
    if (system(command))
        perror(spare);
    if (mode == COUNT)
        fprintf(stderr, "%ld operations, %ld reads\n", operations, reads);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
}
