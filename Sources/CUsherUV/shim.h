// Part of Usher. SPDX-License-Identifier: Apache-2.0

#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <uv.h>

// The C library shows the following only under _GNU_SOURCE, which its Swift module is built without, and the two must not
// differ. See unix(7) and accept(2).

struct usher_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);
