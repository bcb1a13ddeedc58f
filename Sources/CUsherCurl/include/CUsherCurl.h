// libcurl for Swift. `curl_easy_setopt` and its relatives are variadic, which Swift cannot call: each argument type
// gets a plain function here, and nothing more.
#ifndef CUSHER_CURL_H
#define CUSHER_CURL_H

#include <curl/curl.h>

#endif
