/* Part of Usher. SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before the C library, lets sockets take and give no more than USHER_PIECE bytes a call, as a kernel may.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t piece(int descriptor, size_t count)
{
    static size_t limit;
    struct stat facts;

    if (limit == 0) {
        const char *text = getenv("USHER_PIECE");
        limit = text ? strtoul(text, NULL, 10) : 1;
    }
    if (fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return count;
    return count < limit ? count : limit;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int descriptor, void *bytes, size_t count)
{
    return NEXT(read)(descriptor, bytes, piece(descriptor, count));
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    return NEXT(write)(descriptor, bytes, piece(descriptor, count));
}

/* The first buffer that is not empty, or a part of it. */
static struct iovec first(int descriptor, const struct iovec *buffers, size_t count)
{
    struct iovec part = { 0 };

    for (size_t index = 0; index < count && part.iov_len == 0; index++) part = buffers[index];
    part.iov_len = piece(descriptor, part.iov_len);
    return part;
}

ssize_t writev(int descriptor, const struct iovec *buffers, int count)
{
    struct stat facts;
    struct iovec part;

    if (fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        return NEXT(writev)(descriptor, buffers, count);
    }
    part = first(descriptor, buffers, (size_t)count);
    return NEXT(write)(descriptor, part.iov_base, part.iov_len);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags)
{
    struct msghdr shorter = *message;
    struct iovec part = first(descriptor, message->msg_iov, message->msg_iovlen);

    shorter.msg_iov = &part;
    shorter.msg_iovlen = 1;
    return NEXT(sendmsg)(descriptor, &shorter, flags);
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags)
{
    return NEXT(recv)(descriptor, bytes, piece(descriptor, count), flags);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags)
{
    return NEXT(send)(descriptor, bytes, piece(descriptor, count), flags);
}
