// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// Runs a program under the limits of the system's unit that a process can put on itself: its system calls, memory that
// is never both written and executed, no new privileges. The list of calls is made by confined.sh from the unit.

#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static const int allowed[] = {
#include "allowed.h"
};

enum { calls = sizeof allowed / sizeof *allowed };

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    // Call by call: is it this one? Then let it through. At the end: refuse, as the unit does.
    struct sock_filter program[2 * calls + 6];
    unsigned short length = 0;
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, USHER_ARCHITECTURE, 1, 0);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int index = 0; index < calls; index++) {
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[index], 0, 1);
        program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog filter = {.len = length, .filter = program};
    // Older kernels cannot refuse writable and executable memory this way.
    if (prctl(PR_SET_MDWE, 1UL, 0UL, 0UL, 0UL) != 0 && errno != EINVAL) { perror("confine: PR_SET_MDWE"); return 71; }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0UL, 0UL) != 0) {
        perror("confine: seccomp");
        return 71;
    }
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 71;
}
