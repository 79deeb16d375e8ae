// SPDX-License-Identifier: GPL-2.0-only
#include "http/token.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/small_file.h"

int token_read(const char *file, char **ret)
{
	static const char allowed[] = "-._~+/=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	_cleanup_free_ char *token = NULL;
	int err = small_file_read(file, TOKEN_MAX + 2, &token);
	size_t n;

	if (err)
		return err;
	n = strcspn(token, " \t\r\n");
	token[n] = '\0';
	if (n < TOKEN_MIN || n > TOKEN_MAX || strspn(token, allowed) != n)
		return -EINVAL;
	*ret = TAKE_PTR(token);
	return 0;
}

/* Takes as long for a wrong guess as for the right one: the time does not tell how much of it is right. */
static bool is_same(const char *given, const char *token)
{
	size_t n = strlen(given), size = strlen(token);
	volatile unsigned char differs = n != size;

	for (size_t i = 0; i < n; i++)
		differs |= given[i] ^ token[i % size];
	return !differs;
}

static bool shows(struct MHD_Connection *connection, const char *token)
{
	static const char bearer[] = "Bearer ";
	const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
	char *user, *password = NULL;
	bool right;

	if (!header)
		return false;
	if (!strncasecmp(header, bearer, strlen(bearer)))
		return is_same(header + strlen(bearer), token);
	user = MHD_basic_auth_get_username_password(connection, &password);
	right = user && password && is_same(password, token);
	MHD_free(user);
	MHD_free(password);
	return right;
}

int token_check(struct token *t, struct MHD_Connection *connection)
{
	_cleanup_free_ char *token = NULL;
	int err = t->file ? token_read(t->file, &token) : 0;

	if (!t->file)
		return 0;
	if (err) {
		complain(&t->trouble, "nobody gets profiles: %s: %s", t->file,
			 err == -EINVAL ? "this is not a token of 16 characters or more" : strerror(-err));
		return err;
	}
	complaint_over(&t->trouble, "%s can be read again", t->file);
	return shows(connection, token) ? 0 : -EACCES;
}
