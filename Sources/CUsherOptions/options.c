// Part of Usher. SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CUsherOptions.h"

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void usher_options_begin(void) {
    pthread_mutex_lock(&turn);
    optind = 0;   // glibc: also forgets where it was inside a word
    opterr = 0;
}

void usher_options_end(void) { pthread_mutex_unlock(&turn); }

usher_option usher_next_option(
    int argc, char *const *argv, const char *shorts, const struct option *longs) {
    usher_option result;
    optarg = NULL;
    optopt = 0;
    result.code = getopt_long(argc, argv, shorts, longs, NULL);
    result.mistaken = optopt;
    result.argument = optarg;
    result.next = optind;
    return result;
}

char *const *usher_environment(void) { return environ; }
