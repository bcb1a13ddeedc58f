// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// The least that a libuv server can do for the daemon's traffic, for usher-bench to measure against: usher-floor SOCKET
//
// A line that starts with S subscribes its connection and is answered with one line; a line that starts with P goes to
// every subscriber and is answered with one line; any other line is echoed. Nothing is parsed, kept or limited, and
// what a peer does not take at once ends the server. Like the daemon it gathers what a turn of the loop has for a
// connection into one write.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct peer {
    uv_pipe_t pipe;
    struct peer *next_subscriber;
    struct peer *next_dirty;
    int is_subscriber;
    int is_dirty;
    size_t used;
    char output[1 << 16];
} peer;

static uv_pipe_t server;
static peer *subscribers;
static peer *dirty;
static char input[1 << 16];

static void fail(const char *what) {
    fprintf(stderr, "usher-floor: %s\n", what);
    exit(1);
}

static void send_output(peer *self) {
    uv_buf_t buffer = uv_buf_init(self->output, self->used);
    if (uv_try_write((uv_stream_t *)&self->pipe, &buffer, 1) != (int)self->used) fail("a short write");
    self->used = 0;
}

static void append(peer *self, const char *line, size_t length) {
    if (self->used + length > sizeof self->output) send_output(self);
    memcpy(self->output + self->used, line, length);
    self->used += length;
    if (self->is_dirty) return;
    self->is_dirty = 1;
    self->next_dirty = dirty;
    dirty = self;
}

static void end_turn(uv_prepare_t *hook) {
    (void)hook;
    for (; dirty; dirty = dirty->next_dirty) {
        dirty->is_dirty = 0;
        if (!uv_is_closing((uv_handle_t *)dirty)) send_output(dirty);
    }
}

static void take(peer *self, const char *line, size_t length) {
    if (*line == 'S' && !self->is_subscriber) {
        self->is_subscriber = 1;
        self->next_subscriber = subscribers;
        subscribers = self;
    }
    append(self, line, length);
    if (*line != 'P') return;
    for (peer *other = subscribers; other; other = other->next_subscriber) append(other, line, length);
}

static void lend_input(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
    (void)handle, (void)size;
    *buffer = uv_buf_init(input, sizeof input);
}

static void closed(uv_handle_t *handle) { free(handle); }

static void received(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer) {
    peer *self = (peer *)stream;
    if (size < 0) {
        for (peer **link = &subscribers; *link; link = &(*link)->next_subscriber) {
            if (*link == self) {
                *link = self->next_subscriber;
                break;
            }
        }
        uv_close((uv_handle_t *)stream, closed);
        return;
    }
    const char *line = buffer->base, *end = line + size;
    while (line < end) {
        const char *feed = memchr(line, '\n', end - line);
        if (!feed) fail("a line in pieces");
        take(self, line, feed + 1 - line);
        line = feed + 1;
    }
}

static void connected(uv_stream_t *listener, int status) {
    if (status < 0) fail(uv_strerror(status));
    peer *self = calloc(1, sizeof *self);
    if (!self) fail("no memory");
    uv_pipe_init(listener->loop, &self->pipe, 0);
    if (uv_accept(listener, (uv_stream_t *)&self->pipe) != 0) fail("a connection cannot be accepted");
    uv_read_start((uv_stream_t *)&self->pipe, lend_input, received);
}

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "usage: usher-floor SOCKET\n");
        return 64;
    }
    uv_loop_t *loop = uv_default_loop();
    uv_prepare_t hook;
    uv_prepare_init(loop, &hook);
    uv_prepare_start(&hook, end_turn);
    uv_pipe_init(loop, &server, 0);
    if (uv_pipe_bind(&server, words[1]) || uv_listen((uv_stream_t *)&server, 1024, connected)) fail("cannot listen");
    fprintf(stderr, "serving on %s\n", words[1]);
    return uv_run(loop, UV_RUN_DEFAULT);
}
