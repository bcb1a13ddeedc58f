// libcurl for Swift, and zlib, which libcurl brings along. `curl_easy_setopt` and its relatives are variadic, which
// Swift cannot call: each argument type gets a plain function here, and nothing more.
#ifndef CUSHER_CURL_H
#define CUSHER_CURL_H

#include <curl/curl.h>
#include <zlib.h>

CURLcode usher_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode usher_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode usher_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode usher_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode usher_curl_set_receiver(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode usher_curl_get_long(CURL *easy, CURLINFO info, long *value);

CURLMcode usher_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode usher_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode usher_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback value);
CURLMcode usher_curl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback value);

#endif
