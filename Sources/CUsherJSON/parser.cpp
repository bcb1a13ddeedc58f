// Part of Usher. SPDX-License-Identifier: Apache-2.0
//
// simdjson leaves two arrays behind: the tape (values in document order) and the structural indexes (where in the line
// each value, bracket, colon and comma begins). Walking both together gives every value its place in the line, which
// the tape alone does not have and an id that is echoed byte for byte needs.

#include "CUsherJSON.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>
#include <vector>

struct usher_json_parser {
    simdjson::dom::parser parser;
    std::unique_ptr<uint8_t[]> line;
    std::vector<usher_json_node> nodes;
    size_t capacity;
    size_t depth;
};

namespace {

uint32_t error_of(simdjson::error_code code) {
    switch (code) {
    case simdjson::SUCCESS: return USHER_JSON_OK;
    case simdjson::NUMBER_ERROR: return USHER_JSON_BAD_NUMBER;
    case simdjson::MEMALLOC: return USHER_JSON_NO_MEMORY;
    default: return USHER_JSON_BAD;
    }
}

// The tape's words: the type in the top byte, a payload below. Word 0 is the root; the last word closes it.
// False if it is nested too deep: simdjson does not count an innermost level that is empty.
bool walk(usher_json_parser &self) {
    const uint64_t *tape = self.parser.doc.tape.get();
    const uint8_t *strings = self.parser.doc.string_buf.get();
    const uint32_t *structural = self.parser.implementation->structural_indexes.get();
    const size_t last = size_t(tape[0] & 0x00FFFFFFFFFFFFFF) - 1;
    size_t depth = 0;
    size_t innermost = 0;   // node of the container that is open; until its end is met, its value is the next one out

    for (size_t word = 1; word < last; word++) {
        const uint64_t payload = tape[word] & 0x00FFFFFFFFFFFFFF;
        while (self.line[*structural] == ':' || self.line[*structural] == ',') structural++;
        usher_json_node node{};
        node.offset = *structural++;
        node.next = uint32_t(self.nodes.size()) + 1;
        switch (tape[word] >> 56) {
        case '{':
        case '[':
            if (++depth > self.depth) return false;
            node.kind = (tape[word] >> 56) == '{' ? USHER_JSON_OBJECT : USHER_JSON_ARRAY;
            node.value = innermost;
            innermost = self.nodes.size();
            break;
        case '}':
        case ']': {
            depth--;
            usher_json_node &ended = self.nodes[innermost];
            innermost = size_t(ended.value);
            ended.value = 0;
            ended.next = uint32_t(self.nodes.size());
            continue;
        }
        case '"':
            node.kind = USHER_JSON_STRING;
            std::memcpy(&node.length, strings + payload, sizeof node.length);
            node.value = payload + sizeof node.length;
            break;
        case 'l':
            node.kind = USHER_JSON_INTEGER;
            node.value = tape[++word];
            break;
        case 'u': {
            node.kind = USHER_JSON_NUMBER;
            const double nearest = double(tape[++word]);
            std::memcpy(&node.value, &nearest, sizeof nearest);
            break;
        }
        case 'd':
            node.kind = USHER_JSON_NUMBER;
            node.value = tape[++word];
            break;
        case 't': node.kind = USHER_JSON_TRUE; break;
        case 'f': node.kind = USHER_JSON_FALSE; break;
        default: node.kind = USHER_JSON_NULL; break;
        }
        self.nodes.push_back(node);
    }
    return true;
}

}   // namespace

usher_json_parser *usher_json_parser_create(size_t capacity, size_t depth) {
    auto self = std::unique_ptr<usher_json_parser>(new (std::nothrow) usher_json_parser);
    if (!self) return nullptr;
    self->capacity = capacity;
    self->depth = depth;
    self->line.reset(new (std::nothrow) uint8_t[capacity + simdjson::SIMDJSON_PADDING]);
    // simdjson counts the document itself as a level.
    if (!self->line || self->parser.allocate(capacity, depth + 1) != simdjson::SUCCESS) return nullptr;
    return self.release();
}

void usher_json_parser_destroy(usher_json_parser *parser) { delete parser; }

usher_json_document usher_json_parse(usher_json_parser *self, const uint8_t *line, size_t length) {
    usher_json_document document{};
    if (length > self->capacity) {
        document.error = USHER_JSON_BAD;
        return document;
    }
    std::memcpy(self->line.get(), line, length);
    std::memset(self->line.get() + length, 0, simdjson::SIMDJSON_PADDING);
    document.error = error_of(self->parser.parse(self->line.get(), length, false).error());
    if (document.error != USHER_JSON_OK) return document;
    self->nodes.clear();
    if (!walk(*self)) {
        document.error = USHER_JSON_BAD;
        return document;
    }
    document.nodes = self->nodes.data();
    document.count = uint32_t(self->nodes.size());
    document.strings = self->parser.doc.string_buf.get();
    return document;
}
