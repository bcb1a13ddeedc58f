// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// getopt_long(3) and environ(7) for Swift, which cannot touch the global variables that they are read from.
#ifndef CUSHER_OPTIONS_H
#define CUSHER_OPTIONS_H

#include <getopt.h>

typedef struct {
    int code;               // what getopt_long returned: an option's value, -1 at the end, '?' or ':' for a mistake
    int mistaken;           // the value of the option that a mistake was made with, or the short option's character; else 0
    const char *argument;   // the option's argument, or NULL
    int next;               // index of the argument to look at next
} usher_option;

// Begins to read a command line: the next call of usher_next_option looks at argv[1]. getopt_long keeps its place in
// global variables, so another thread that begins waits until this one is at its end.
void usher_options_begin(void);
void usher_options_end(void);

// The next option of the command line.
usher_option usher_next_option(
    int argc, char *const *argv, const char *shorts, const struct option *longs);

// The process's environment: NAME=VALUE each, then NULL; NULL itself after clearenv(3). Good until it is changed.
char *const *usher_environment(void);

#endif
