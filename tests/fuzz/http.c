// SPDX-License-Identifier: GPL-2.0-only
/*
 * http.c - what a client sends, byte by byte as it comes from the network, through libmicrohttpd to what
 * looks at headers and keys: token, host, query. Nobody gets in without the token.
 */
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/answer.h"
#include "http/hosts.h"
#include "http/query.h"
#include "http/source_query.h"
#include "http/token.h"

const char *const fuzz_corpus = "http";

#define TOKEN	   "a-token-of-some-length"
#define TURNS	   64 /* of the server, for one client */
#define ANSWER_MAX 65536

static struct token token;
static struct MHD_Daemon *daemon_;
static struct answer_counts counts;
static const uint8_t *sent;
static size_t sent_size;

/* Whether the client has sent the token, as it is or as a password. */
static bool knows_token(void)
{
	char *basic = memmem(sent, sent_size, "asic", 4);

	return basic || memmem(sent, sent_size, TOKEN, strlen(TOKEN));
}

static void check_query(const struct query *q, int result)
{
	FUZZ_CHECK(!result || result == -EINVAL);
	FUZZ_CHECK(!result == !*q->keys.error);
	FUZZ_ENDS(q->keys.error);
	for (const char *s = q->keys.error; *s; s++)
		FUZZ_CHECK(*s >= ' ' && *s <= '~');
	if (!result)
		FUZZ_CHECK(q->seconds >= 1 && q->seconds <= QUERY_SECONDS_MAX);
}

static void check_source(struct MHD_Connection *connection)
{
	struct source_query q;
	int err = source_query_read(&q, connection);

	FUZZ_CHECK(!err || err == -EINVAL);
	FUZZ_CHECK(!err == !*q.keys.error);
	FUZZ_ENDS(q.name);
	FUZZ_ENDS(q.file);
	if (!err)
		FUZZ_CHECK(q.pid > 0 && q.from && q.to >= q.from && q.to - q.from < SOURCE_LINES_MAX &&
			   source_text_is_shown(q.file));
}

static void check_host(const char *host)
{
	if (!host || !hosts_has(&(struct hosts){}, host))
		return;
	/* A name that anybody can give to an address of theirs is none of these. */
	FUZZ_CHECK(!strncasecmp(host, "localhost", 9) || strspn(host, "[0123456789.:abcdefABCDEF"));
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own)
{
	const struct client client = { connection, &counts };
	struct query query;
	int err;

	(void)context;
	(void)version;
	(void)body;
	FUZZ_CHECK(url && method);
	if (!*own) {
		*own = &counts;
		return MHD_YES;
	}
	if (*body_size) {
		*body_size = 0;
		return MHD_YES;
	}
	err = token_check(&token, connection);
	FUZZ_CHECK(err ? err == -EACCES : knows_token());
	check_host(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"));
	check_source(connection);
	err = query_read_interval(&query, connection);
	check_query(&query, err);
	err = query_read(&query, connection);
	check_query(&query, err);
	return answer_line(&client, err ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_OK, "%s %s", url, query.keys.error);
}

static void begin(void)
{
	static char path[64];
	int fd = memfd_create("token", 0);

	FUZZ_CHECK(fd >= 0 && write(fd, TOKEN "\n", strlen(TOKEN) + 1) > 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	token.file = path;
	daemon_ = MHD_start_daemon(MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL, 0, NULL, NULL, answer, NULL,
				   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
				   MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	FUZZ_CHECK(daemon_);
}

/* What the client gets is HTTP, and in lines of text only what can be shown. */
static void read_answer(int fd)
{
	static char got[ANSWER_MAX];
	ssize_t n = recv(fd, got, sizeof(got), MSG_DONTWAIT);

	FUZZ_CHECK(n < 0 || !n || (n > 5 && !memcmp(got, "HTTP/", 5)));
}

/* where the first piece ends, request */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sockaddr_in address = { .sin_family = AF_INET };
	int pair[2];

	if (!daemon_)
		begin();
	if (!size || size > 32768)
		return 0;
	sent = data + 1;
	sent_size = size - 1;
	FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair));
	FUZZ_CHECK(MHD_add_connection(daemon_, pair[0], (const struct sockaddr *)&address,
				      sizeof(address)) == MHD_YES);
	for (size_t at = 0, n = data[0] < sent_size ? data[0] : sent_size; at < sent_size;
	     at += n, n = sent_size - at) {
		FUZZ_CHECK(send(pair[1], sent + at, n, MSG_NOSIGNAL) == (ssize_t)n || errno == EPIPE);
		MHD_run(daemon_);
	}
	shutdown(pair[1], SHUT_WR);
	for (int i = 0;
	     i < TURNS && MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
	     i++)
		MHD_run(daemon_);
	read_answer(pair[1]);
	close(pair[1]);
	for (int i = 0;
	     i < TURNS && MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
	     i++)
		MHD_run(daemon_);
	FUZZ_CHECK(!MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections);
	return 0;
}
