/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * token.h - the secret that a client has to show. It is in a file that is read at each request, since
 * somebody may renew it.
 */
#ifndef PYPERF_HTTP_TOKEN_H
#define PYPERF_HTTP_TOKEN_H

#include "base/complaint.h"

struct MHD_Connection;

#define TOKEN_MIN 16 /* bytes: a shorter one can be guessed */
#define TOKEN_MAX 4096

struct token {
	const char *file; /* NULL: nobody needs one */
	struct complaint trouble;
};

/*
 * Reads the token, to be freed: the first word of the file. -EINVAL if it is too short, too long or not of
 * the characters of RFC 6750; the -errno of small_file_read().
 */
int token_read(const char *file, char **ret);
/*
 * Whether the client shows the token: "Authorization: Bearer TOKEN", or as the password of "Basic", which
 * browsers and go tool pprof can send. 0 if it does or needs none; -EACCES if not; the -errno of
 * token_read(), which is logged once.
 */
int token_check(struct token *t, struct MHD_Connection *connection);

#endif
