// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_libcurl.c - libcurl as a release has it: opened when it is wanted. The functions of libcurl.c stand in
 * front of the linked library's here, so each request of this test goes through them.
 */
#include <dlfcn.h>
#include <errno.h>

#include "tests/forge/test.h"
#include "tests/unit/net/requests.h"

static const char *instead; /* what is opened in place of any library; "" = none is here */
static char asked[128];	    /* names that were asked for, each behind a blank */

static void *open_library(const char *name, int flags)
{
	strncat(strcat(asked, " "), name, 40);
	return instead && !*instead ? NULL : dlopen(instead ?: name, flags);
}

#define OPEN_LIBCURL
#define dlopen open_library
#include "user/net/libcurl.c"

TEST(it_is_not_here)
{
	struct transfers *untouched = NULL;

	instead = "";
	asked[0] = '\0';
	assert_int_equal(transfers_open(&untouched, 1, on_end, NULL), -ENOPKG);
	assert_null(untouched);
	assert_string_equal(asked, " libcurl.so.4 libcurl-gnutls.so.4");
	assert_non_null(strstr(libcurl_strerror(-ENOPKG), "install the package libcurl4"));
	assert_string_equal(libcurl_strerror(-ENOMEM), strerror(ENOMEM));
}

TEST(it_lacks_functions)
{
	instead = "libc.so.6";
	assert_int_equal(libcurl_open(), -ELIBACC);
}

TEST(it_is_opened_once)
{
	instead = NULL;
	asked[0] = '\0';
	assert_int_equal(libcurl_open(), 0);
	assert_int_equal(libcurl_open(), 0);
	assert_null(strstr(strstr(asked, "libcurl") + 1, "libcurl.so.4"));
	assert_ptr_not_equal((void *)library.curl_easy_init, (void *)curl_easy_init);
	assert_non_null(strstr(curl_version(), "libcurl/"));
}

/* Values of all three kinds: a long, a pointer, and one of 64 bits. */
TEST(a_request)
{
	struct request *r = &requests[0];
	struct curl_slist *headers;
	struct transfer t;

	assert_int_equal(setup(state), 0);
	headers = curl_slist_append(NULL, "X-Who: me");
	server_start("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	t = to(r, "http", server.port);
	t.headers = headers;
	add(r, t);
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, "body and more");
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)4);
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_OK);
	assert_int_equal(status(r), 200);
	assert_string_equal(r->body, "hello");
	assert_non_null(strstr(server.seen->request, "\r\nX-Who: me\r\n"));
	assert_non_null(strstr(server.seen->request, "\r\n\r\nbody"));
	assert_null(strstr(server.seen->request, "\r\n\r\nbody and"));
	assert_non_null(curl_easy_strerror(CURLE_OK));
	end(r);
	curl_slist_free_all(headers);
	assert_int_equal(teardown(state), 0);
}

static CURLcode (*newer)(CURL *, CURLoption, ...);

/* As 7.76 of RHEL 9 and 7.81 of Ubuntu 22.04 are. */
static CURLcode older(CURL *easy, CURLoption which, ...)
{
	va_list values;
	void *value;

	if (which == CURLOPT_QUICK_EXIT || which == CURLOPT_PROTOCOLS_STR)
		return CURLE_UNKNOWN_OPTION;
	va_start(values, which);
	value = va_arg(values, void *);
	va_end(values);
	return newer(easy, which, value);
}

TEST(an_older_library)
{
	newer = library.curl_easy_setopt;
	library.curl_easy_setopt = older;
	a_request(state);
	library.curl_easy_setopt = newer;
}

static int begin(void **state)
{
	(void)state;
	prepare();
	return 0;
}

BY_ITSELF("it has a dlopen() of its own in what it compiles");
AROUND_ALL(begin, NULL);
