/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libcurl.h - where libcurl comes from. A build for this machine is linked with it. The one of a release
 * (OPEN_LIBCURL, deploy/dist) needs nothing but libc to start: it looks for the machine's libcurl when
 * somebody wants to send something, by the names that distributions give it. The static one of a release
 * (NO_LIBCURL) opens nothing: glibc's dlopen() wants there the very glibc that the program was built with.
 */
#ifndef PYPERF_NET_LIBCURL_H
#define PYPERF_NET_LIBCURL_H

#define LIBCURL_MISSING                                                                                      \
	"libcurl is not installed here: install the package libcurl4 (Debian, Ubuntu) or libcurl (others)"
#define LIBCURL_NOT_BUILT_IN                                                                                 \
	"this build is static, without libcurl: take a build of the release that is not"

/*
 * To be called before any function of libcurl's, while files can be opened. 0; -ENOPKG: it is not here, which
 * LIBCURL_MISSING says in words; -ENOSYS: this build opens none (LIBCURL_NOT_BUILT_IN); -ELIBACC: one is here
 * that lacks a function. Once it is 0 it stays so.
 */
int libcurl_open(void);

/* What is said of an error that libcurl_open() may have returned. */
const char *libcurl_strerror(int err);

#endif
