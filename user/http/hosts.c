// SPDX-License-Identifier: GPL-2.0-only
#include "http/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define NAME_MAX_BYTES	253	  /* of DNS */
#define HOSTS_BYTES_MAX (1 << 20) /* of /etc/hosts; of a longer one nothing is taken */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";

int hosts_check(const char *listed)
{
	for (;; listed++) {
		const size_t n = strspn(listed, letters);

		listed += n;
		if (!n || n > NAME_MAX_BYTES || (*listed && *listed != ','))
			return -EINVAL;
		if (!*listed)
			return 0;
	}
}

/* Every word of a text, which is taken to pieces. */
static int add_words(struct hosts *h, char *text, const char *between)
{
	char *rest = text, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, between)))
		if (*word)
			err = buf_add(&h->names, word, strlen(word) + 1);
	return err;
}

static bool has_word(const char *text, const char *wanted, const char *between)
{
	const size_t size = strlen(wanted);

	for (text += strspn(text, between); *text; text += strspn(text, between)) {
		const size_t n = strcspn(text, between);

		if (n == size && !strncasecmp(text, wanted, size))
			return true;
		text += n;
	}
	return false;
}

int hosts_add_beside(struct hosts *h, const char *own, char *text)
{
	char *rest = text, *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		if (has_word(line, own, " \t\r"))
			err = add_words(h, line, " \t\r");
	}
	return err;
}

static int add_own(struct hosts *h)
{
	_cleanup_free_ char *text = NULL;
	char own[NAME_MAX_BYTES + 1] = "";
	int err;

	if (gethostname(own, sizeof(own) - 1) || !*own)
		return 0;
	err = buf_add(&h->names, own, strlen(own) + 1);
	if (err || small_file_read("/etc/hosts", HOSTS_BYTES_MAX, &text))
		return err; /* a machine without that file has no such names */
	return hosts_add_beside(h, own, text);
}

int hosts_open(struct hosts *h, const char *listed)
{
	_cleanup_free_ char *copy = strdup(listed ?: "");
	int err;

	*h = (struct hosts){};
	err = copy ? add_words(h, copy, ",") : -ENOMEM;
	err = err ?: add_own(h);
	if (err)
		hosts_close(h);
	return err;
}

void hosts_close(struct hosts *h)
{
	buf_free(&h->names);
}

/* Without the port. -EINVAL. */
static int cut_name(const char *header, char name[NAME_MAX_BYTES + 1])
{
	size_t n;

	if (*header == '[') {
		n = strcspn(++header, "]");
		if (header[n] != ']' || (header[n + 1] && header[n + 1] != ':'))
			return -EINVAL;
	} else {
		n = strcspn(header, ":");
	}
	if (!n || n > NAME_MAX_BYTES)
		return -EINVAL;
	memcpy(name, header, n);
	name[n] = '\0';
	return 0;
}

bool hosts_has(const struct hosts *h, const char *header)
{
	char name[NAME_MAX_BYTES + 1];
	struct in6_addr address;

	if (cut_name(header, name))
		return false;
	for (size_t at = 0; at < h->names.size; at += strlen(h->names.data + at) + 1)
		if (!strcasecmp(h->names.data + at, name))
			return true;
	return !strcasecmp(name, "localhost") || inet_pton(AF_INET, name, &address) == 1 ||
	       inet_pton(AF_INET6, name, &address) == 1;
}
