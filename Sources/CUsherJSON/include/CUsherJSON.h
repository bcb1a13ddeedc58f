// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// simdjson (C++) for Swift: parses one line strictly and gives it back as a flat array of nodes in document order, each
// with the place in the line where it began. A parser owns the memory of its last document and is used on one thread.
#ifndef CUSHER_JSON_H
#define CUSHER_JSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum usher_json_kind {
    USHER_JSON_OBJECT,
    USHER_JSON_ARRAY,
    USHER_JSON_STRING,
    USHER_JSON_INTEGER,   // fits int64_t
    USHER_JSON_NUMBER,    // any other number
    USHER_JSON_TRUE,
    USHER_JSON_FALSE,
    USHER_JSON_NULL,
};

// An object's children are key, value, key, value; keys are strings.
typedef struct {
    uint32_t kind;
    uint32_t offset;   // of the first byte in the line
    uint32_t next;     // index of the node after this one and all that is in it
    uint32_t length;   // strings: bytes after unescaping
    uint64_t value;    // integers: the value; numbers: the nearest double's bits; strings: where they begin in the
                       // document's strings
} usher_json_node;

enum usher_json_error {
    USHER_JSON_OK,
    USHER_JSON_BAD,
    USHER_JSON_BAD_NUMBER,
    USHER_JSON_NO_MEMORY,
};

typedef struct {
    const usher_json_node *nodes;
    const uint8_t *strings;
    uint32_t count;
    uint32_t error;   // enum usher_json_error; anything but OK leaves the rest unset
} usher_json_document;

typedef struct usher_json_parser usher_json_parser;

// A parser for lines of at most `capacity` bytes, nested at most `depth` deep; NULL when there is no memory.
usher_json_parser *usher_json_parser_create(size_t capacity, size_t depth);
void usher_json_parser_destroy(usher_json_parser *parser);

// Copies the line, so it needs no padding. The document is good until the next call.
usher_json_document usher_json_parse(usher_json_parser *parser, const uint8_t *line, size_t length);

#ifdef __cplusplus
}
#endif

#endif
