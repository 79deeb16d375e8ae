// SPDX-License-Identifier: GPL-2.0-only
/*
 * libcurl.c - see libcurl.h. The build of a release defines here the functions of libcurl that this project
 * calls, under their own names; each passes its arguments on to the one of the library that was opened. So
 * who calls them need not know which build it is, and curl.h checks the types of both sides.
 */
#include "net/libcurl.h"

#include <errno.h>
#include <string.h>

const char *libcurl_strerror(int err)
{
	if (err == -ENOSYS)
		return LIBCURL_NOT_BUILT_IN;
	return err == -ENOPKG ? LIBCURL_MISSING : strerror(-err);
}

#ifndef OPEN_LIBCURL

int libcurl_open(void)
{
	return 0;
}

#else

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>

#include "base/cleanup.h"

/* Macros of curl.h that check how the functions are called. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

/* FIXED(type, name, parameters, arguments), and LAST(type, name, object, option): any value comes third. */
#define FUNCTIONS(FIXED, LAST)                                                                               \
	FIXED(CURLcode, curl_global_init, (long flags), (flags))                                             \
	FIXED(void, curl_global_cleanup, (void), ())                                                         \
	FIXED(char *, curl_version, (void), ())                                                              \
	FIXED(CURL *, curl_easy_init, (void), ())                                                            \
	FIXED(void, curl_easy_cleanup, (CURL * easy), (easy))                                                \
	FIXED(CURLcode, curl_easy_perform, (CURL * easy), (easy))                                            \
	FIXED(const char *, curl_easy_strerror, (CURLcode code), (code))                                     \
	FIXED(CURLM *, curl_multi_init, (void), ())                                                          \
	FIXED(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))                                       \
	FIXED(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL * easy), (multi, easy))                 \
	FIXED(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL * easy), (multi, easy))              \
	FIXED(CURLMcode, curl_multi_assign, (CURLM * multi, curl_socket_t fd, void *known),                  \
	      (multi, fd, known))                                                                            \
	FIXED(CURLMcode, curl_multi_socket_action,                                                           \
	      (CURLM * multi, curl_socket_t fd, int events, int *running), (multi, fd, events, running))     \
	FIXED(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))                    \
	FIXED(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text),          \
	      (list, text))                                                                                  \
	FIXED(void, curl_slist_free_all, (struct curl_slist * list), (list))                                 \
	LAST(CURLcode, curl_easy_setopt, CURL *, CURLoption)                                                 \
	LAST(CURLcode, curl_easy_getinfo, CURL *, CURLINFO)                                                  \
	LAST(CURLMcode, curl_multi_setopt, CURLM *, CURLMoption)

/* The library's own, once it is open. */
static struct {
#define FIXED(type, name, parameters, arguments) type(*name) parameters;
#define LAST(type, name, object, option)	  type (*name)(object, option, ...);
	FUNCTIONS(FIXED, LAST)
#undef FIXED
#undef LAST
} library;

#define FIXED(type, name, parameters, arguments)                                                             \
	type name parameters                                                                                 \
	{                                                                                                    \
		return library.name arguments;                                                               \
	}
/*
 * The value is a long, a pointer or a curl_off_t. Where all three have 64 bits, as on x86-64 and arm64, they
 * are passed in the same way.
 */
#define LAST(type, name, object, option)                                                                     \
	type name(object o, option which, ...)                                                               \
	{                                                                                                    \
		va_list values;                                                                              \
		void *value;                                                                             \
		va_start(values, which);                                                                     \
		value = va_arg(values, void *);                                                              \
		va_end(values);                                                                              \
		return library.name(o, which, value);                                                        \
	}
FUNCTIONS(FIXED, LAST)
#undef FIXED
#undef LAST

_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "see LAST");

/* Distributions have the first; Debian and Ubuntu have the second one too, or instead. */
static const char *const names[] = {
#ifndef NO_LIBCURL
	"libcurl.so.4",
	"libcurl-gnutls.so.4",
#endif
	NULL,
};

static const struct {
	const char *name;
	void *place; /* in library */
} functions[] = {
#define FIXED(type, name, parameters, arguments) { #name, &library.name },
#define LAST(type, name, object, option)	  { #name, &library.name },
	FUNCTIONS(FIXED, LAST)
#undef FIXED
#undef LAST
};

int libcurl_open(void)
{
	static bool is_open;
	void *handle = NULL;

	if (is_open)
		return 0;
	for (const char *const *name = names; !handle && *name; name++)
		handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return *names ? -ENOPKG : -ENOSYS;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *function = dlsym(handle, functions[i].name);

		if (!function) {
			dlclose(handle);
			return -ELIBACC;
		}
		memcpy(functions[i].place, &function, sizeof(function));
	}
	is_open = true; /* and stays so: its threads may outlive a transfer */
	return 0;
}

#endif
