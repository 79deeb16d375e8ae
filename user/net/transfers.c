// SPDX-License-Identifier: GPL-2.0-only
/*
 * transfers.c - see transfers.h. libcurl's multi interface tells which sockets it waits for; they are in an
 * epoll set of their own, whose descriptor is what the caller polls.
 */
#define CURL_DISABLE_DEPRECATION /* CURLOPT_PROTOCOLS: what came after it is not in older libraries */
#include "net/transfers.h"

#include <errno.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "net/libcurl.h"

#define CONNECT_SECONDS 5L
#define EVENTS_MAX	8

struct transfers {
	CURLM *multi;
	int epoll;
	double timer; /* when libcurl wants to be called, 0 = it does not */
	void (*on_end)(void *context, CURL *easy, CURLcode code);
	void *context;
};

/* libcurl keeps them all, and counts those behind an answer that comes in chunks only from 8.3 on. */
static size_t on_header(char *data, size_t size, size_t n, void *context)
{
	struct transfer_headers *h = context;

	h->bytes += size * n;
	if (h->bytes > TRANSFER_HEADERS_MAX)
		return 0;
	if (h->on_line)
		h->on_line(data, size * n, h->context);
	return size * n;
}

CURLcode transfer_prepare(CURL *e, const struct transfer *t)
{
	CURLcode c = curl_easy_setopt(e, CURLOPT_URL, t->url);

	c = c ?: curl_easy_setopt(e, CURLOPT_PROTOCOLS, t->protocols);
	/*
	 * Of HTTP/2 libcurl reads as long as there is something to read, and looks at no clock meanwhile: a
	 * server that sends pings without a pause would keep the event loop for ever (tried with 7.88).
	 */
	c = c ?: curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	c = c ?: curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers);
	c = c ?: curl_easy_setopt(e, CURLOPT_USERAGENT, "pyperf-bpf/" PYPERF_VERSION);
	c = c ?: curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	c = c ?: curl_easy_setopt(e, CURLOPT_TIMEOUT, t->timeout_seconds);
	c = c ?: curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	/*
	 * Names are resolved in a thread of libcurl's. One that still waits for a dead server is left
	 * behind, not joined. Before 7.87 libcurl does not know this, and the end may wait for that server.
	 */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	c = c ?: curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, t->on_body);
	c = c ?: curl_easy_setopt(e, CURLOPT_WRITEDATA, t->context);
	c = c ?: curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	c = c ?: curl_easy_setopt(e, CURLOPT_HEADERDATA, t->answered);
	c = c ?: curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
	c = c ?: curl_easy_setopt(e, CURLOPT_PRIVATE, t->private);
	if (t->body) {
		c = c ?: curl_easy_setopt(e, CURLOPT_POST, 1L);
		c = c ?: curl_easy_setopt(e, CURLOPT_POSTFIELDS, t->body->data ?: "");
		c = c ?: curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body->size);
	}
	if (t->ca_file)
		c = c ?: curl_easy_setopt(e, CURLOPT_CAINFO, t->ca_file);
	if (t->insecure)
		c = c ?: curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L) ?:
		    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
	return c;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
	struct transfers *t = context;
	struct epoll_event e = { .data.fd = fd };

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(t->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	e.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
	if (epoll_ctl(t->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) && errno == EEXIST)
		epoll_ctl(t->epoll, EPOLL_CTL_MOD, fd, &e);
	curl_multi_assign(t->multi, fd, t);
	return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
	struct transfers *t = context;

	(void)multi;
	t->timer = timeout_ms < 0 ? 0 : clock_seconds() + timeout_ms / 1e3;
	return 0;
}

static void act(struct transfers *t)
{
	struct epoll_event events[EVENTS_MAX];
	int running, n = epoll_wait(t->epoll, events, EVENTS_MAX, 0);

	for (int i = 0; i < n; i++) {
		int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
			   (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
			   (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

		curl_multi_socket_action(t->multi, events[i].data.fd, what, &running);
	}
	if (t->timer > 0 && clock_seconds() >= t->timer) {
		t->timer = 0;
		curl_multi_socket_action(t->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
}

void transfers_run(struct transfers *t)
{
	CURLMsg *m;
	int left;

	act(t);
	while ((m = curl_multi_info_read(t->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			t->on_end(t->context, m->easy_handle, m->data.result);
}

int transfers_add(struct transfers *t, CURL *easy)
{
	return curl_multi_add_handle(t->multi, easy) ? -ENOMEM : 0;
}

void transfers_remove(struct transfers *t, CURL *easy)
{
	curl_multi_remove_handle(t->multi, easy);
}

int transfers_fd(const struct transfers *t)
{
	return t->epoll;
}

double transfers_due(const struct transfers *t)
{
	return t->timer;
}

int transfers_timeout_ms(double when)
{
	double left = when - clock_seconds();

	if (!(when > 0))
		return -1;
	return left <= 0 ? 0 : left < 60 ? (int)(left * 1e3) + 1 : 60000;
}

static int open_multi(struct transfers *t, long at_once)
{
	t->multi = curl_multi_init();
	if (!t->multi)
		return -ENOMEM;
	curl_multi_setopt(t->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(t->multi, CURLMOPT_SOCKETDATA, t);
	curl_multi_setopt(t->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(t->multi, CURLMOPT_TIMERDATA, t);
	curl_multi_setopt(t->multi, CURLMOPT_MAXCONNECTS, at_once);
	return 0;
}

int transfers_open(struct transfers **ret, long at_once,
		   void (*on_end)(void *context, CURL *easy, CURLcode code), void *context)
{
	struct transfers *t;
	int err = libcurl_open();

	if (err)
		return err;
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return -ENOMEM;
	t = calloc(1, sizeof(*t));
	if (!t) {
		curl_global_cleanup();
		return -ENOMEM;
	}
	t->on_end = on_end;
	t->context = context;
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = t->epoll < 0 ? -errno : open_multi(t, at_once);
	if (err) {
		transfers_close(t);
		return err;
	}
	*ret = t;
	return 0;
}

void transfers_close(struct transfers *t)
{
	if (!t)
		return;
	if (t->multi)
		curl_multi_cleanup(t->multi);
	cleanup_close(&t->epoll);
	free(t);
	curl_global_cleanup();
}
