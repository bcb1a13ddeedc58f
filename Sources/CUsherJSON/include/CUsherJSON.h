#ifndef CUSHER_JSON_H
#define CUSHER_JSON_H
#endif
