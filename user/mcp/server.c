// SPDX-License-Identifier: GPL-2.0-only
/*
 * server.c - see server.h. One thread: it reads messages, starts calls, and answers those that are done.
 * Calls go on beside each other, and one can be cancelled.
 */
#include "mcp/server.h"

#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "mcp/calls.h"
#include "mcp/lines.h"
#include "mcp/messages.h"
#include "mcp/recordings.h"

#define INSTRUCTIONS											\
	"pyperf-bpf looks at Python processes from outside: nothing is changed or stopped. Begin with "	\
	"processes. record samples one for some seconds, names the profile and says what stands out; "	\
	"report, callers, callees and diff answer about it by that name. dump and tasks show one "	\
	"moment. Every answer says what it lacks: self_share_low and self_share_high are what a share "	\
	"may be by chance (95 of 100 times), books say what was lost, notes say what a reader must "	\
	"know, cut and left_out what was left out and how to get it. Say these doubts along with the "	\
	"numbers."

struct server {
	const char *version;
	struct lines lines;
	struct recordings recordings;
	struct call calls[CALLS_MAX];
	int signals;
	bool is_begun; /* initialize was asked */
	bool is_quiet; /* stdin has ended: what is under way is the last */
	bool ends;
};

/* The versions of the protocol whose messages these are, the newest first. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

static const char *choose_version(struct json_object *params)
{
	struct json_object *wanted = NULL;

	json_object_object_get_ex(params, "protocolVersion", &wanted);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (json_object_is_type(wanted, json_type_string) &&
		    !strcmp(json_object_get_string(wanted), versions[i]))
			return versions[i];
	return versions[0];
}

static int initialize(struct server *s, const struct message *m)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = buf_printf(&out,
			     "{\"protocolVersion\":\"%s\","
			     "\"capabilities\":{\"tools\":{\"listChanged\":false}},"
			     "\"serverInfo\":{\"name\":\"pyperf-bpf\",\"version\":\"%s\"},"
			     "\"instructions\":",
			     choose_version(m->params), s->version);

	err = err ?: buf_add_json(&out, INSTRUCTIONS) ?: buf_add_string(&out, "}");
	s->is_begun = true;
	return err ?: message_send_result(m->id, out.data, out.size);
}

static int ping(struct server *s, const struct message *m)
{
	(void)s;
	return message_send_result(m->id, "{}", 2);
}

static int list_tools(struct server *s, const struct message *m)
{
	_cleanup_buf_ struct buf out = { 0 };

	(void)s;
	return tools_list(&out) ?: message_send_result(m->id, out.data, out.size);
}

static struct call *find_call(struct server *s, struct json_object *id)
{
	for (size_t i = 0; i < CALLS_MAX; i++)
		if (id ? s->calls[i].id && json_object_equal(s->calls[i].id, id) : !s->calls[i].id)
			return &s->calls[i];
	return NULL;
}

static int send_tool_error(struct json_object *id, const char *text)
{
	_cleanup_buf_ struct buf out = { 0 };

	return call_result(text, true, &out) ?: message_send_result(id, out.data, out.size);
}

/* A step of the call is done. */
static int go_on(struct server *s, struct call *c)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = c->is_cancelled ? 0 : call_answer(c, &s->recordings, &out);

	if (err == -EAGAIN)
		return 0;
	if (err)
		err = message_send_error(c->id, RPC_INTERNAL_ERROR, strerror(-err));
	else if (!c->is_cancelled)
		err = message_send_result(c->id, out.data, out.size);
	call_free(c, &s->recordings);
	return err;
}

/* Of a call that records: the others take no time. NULL: it is not wanted. */
static struct json_object *token_of(const struct message *m)
{
	struct json_object *meta = NULL, *token = NULL;

	json_object_object_get_ex(m->params, "_meta", &meta);
	json_object_object_get_ex(meta, "progressToken", &token);
	if (json_object_is_type(token, json_type_int))
		return token;
	return json_object_is_type(token, json_type_string) && json_object_get_string_len(token) <= 256 ?
		       token : NULL;
}

static int begin_call(struct server *s, const struct message *m, const struct tool *t,
		      struct json_object *given)
{
	struct call *c = find_call(s, NULL);
	char error[512];
	int err;

	if (!c)
		return message_send_error(m->id, RPC_BUSY, "4 calls are under way: wait for one of them");
	err = call_begin(c, t, json_object_get(m->id), json_object_get(given), &s->recordings, error,
			 sizeof(error));
	if (!err && t->work == WORK_RECORD)
		c->token = json_object_get(token_of(m));
	if (!err)
		return call_is_due(c) ? go_on(s, c) : 0;
	err = err == -EINVAL ? send_tool_error(m->id, error) :
			       message_send_error(m->id, RPC_INTERNAL_ERROR, strerror(-err));
	call_free(c, &s->recordings);
	return err;
}

static int call_tool(struct server *s, const struct message *m)
{
	struct json_object *name = NULL, *given = NULL;
	const struct tool *t;

	json_object_object_get_ex(m->params, "name", &name);
	json_object_object_get_ex(m->params, "arguments", &given);
	if (!json_object_is_type(name, json_type_string) ||
	    (given && !json_object_is_type(given, json_type_object)))
		return message_send_error(m->id, RPC_INVALID_PARAMS,
					  "tools/call wants the name of a tool, and arguments as an object");
	t = tools_find(json_object_get_string(name));
	if (!t)
		return message_send_error(m->id, RPC_INVALID_PARAMS,
					  "there is no such tool; tools/list has them");
	if (find_call(s, m->id))
		return message_send_error(m->id, RPC_INVALID_REQUEST, "a call with this id is under way");
	return begin_call(s, m, t, given);
}

static void cancel(struct server *s, const struct message *m)
{
	struct json_object *id = NULL;
	struct call *c;

	json_object_object_get_ex(m->params, "requestId", &id);
	c = id ? find_call(s, id) : NULL;
	if (c)
		call_cancel(c);
}

static const struct {
	const char *method;
	int (*run)(struct server *s, const struct message *m);
	bool early; /* also before initialize */
} methods[] = {
	{ "initialize", initialize, true },
	{ "ping", ping, true },
	{ "tools/list", list_tools, false },
	{ "tools/call", call_tool, false },
};

static int answer(struct server *s, const struct message *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if (strcmp(methods[i].method, m->method))
			continue;
		if (!s->is_begun && !methods[i].early)
			return message_send_error(m->id, RPC_INVALID_REQUEST, "initialize comes first");
		return methods[i].run(s, m);
	}
	return message_send_error(m->id, RPC_METHOD_NOT_FOUND,
				  "there is no such method, only initialize, ping, tools/list, tools/call");
}

static int read_message(struct server *s, const char *line, size_t size)
{
	struct message m;
	const char *error;
	int code = message_read(line, size, &m, &error), err = 0;

	if (code)
		err = message_send_error(m.id, code, error);
	else if (m.method && m.id)
		err = answer(s, &m);
	else if (m.method && !strcmp(m.method, "notifications/cancelled"))
		cancel(s, &m);
	json_object_put(m.root);
	return err;
}

static int read_lines(struct server *s)
{
	int err = lines_read(&s->lines), too_long = 0;
	size_t size;
	char *line;

	if (err == -EPIPE)
		s->is_quiet = true;
	if (err)
		return err == -EPIPE ? 0 : err;
	do {
		line = lines_next(&s->lines, &size, &too_long);
		if (too_long)
			err = message_send_error(NULL, RPC_INVALID_REQUEST,
						 "the line is longer than 256 KiB, and was dropped");
		else if (line && size)
			err = read_message(s, line, size);
	} while (!err && (line || too_long));
	return err;
}

static void read_signal(struct server *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) == sizeof(info) && info.ssi_signo != SIGCHLD)
		s->ends = true;
}

/* Milliseconds until a call has taken too long, or its client is to hear of it; -1 = there is none. */
static int patience(const struct server *s)
{
	double least = -1;

	for (size_t i = 0; i < CALLS_MAX; i++) {
		const struct call *c = &s->calls[i];
		const double next = c->token && c->told + 1 < c->deadline ? c->told + 1 : c->deadline;

		if (c->id && (least < 0 || next < least))
			least = next;
	}
	if (least < 0)
		return -1;
	least -= clock_seconds();
	return least > 0 ? (int)(least * 1000) + 1 : 0;
}

static int tell(struct call *c)
{
	c->told = clock_seconds();
	return c->is_cancelled ? 0 : message_send_progress(c->token, c->told - c->begun, call_length(c));
}

static int watch_call(struct server *s, struct call *c, const struct pollfd *fds)
{
	if (!c->id)
		return 0;
	for (int i = 0; i < 2; i++)
		if (fds[i].fd >= 0 && fds[i].fd == c->child.fds[i] && fds[i].revents)
			child_read(&c->child, i);
	if (call_is_due(c))
		return go_on(s, c);
	if (clock_seconds() >= c->deadline)
		call_give_up(c);
	return c->token && clock_seconds() >= c->told + 1 ? tell(c) : 0;
}

enum { FD_STDIN, FD_STDOUT, FD_SIGNALS, FD_CALLS, FDS = FD_CALLS + 2 * CALLS_MAX };

static int turn(struct server *s)
{
	struct pollfd fds[FDS] = {
		[FD_STDIN] = { s->is_quiet ? -1 : s->lines.fd, POLLIN, 0 },
		[FD_STDOUT] = { STDOUT_FILENO, 0, 0 }, /* whoever reads it is gone */
		[FD_SIGNALS] = { s->signals, POLLIN, 0 },
	};
	int err = 0;

	for (size_t i = 0; i < CALLS_MAX; i++)
		for (int end = 0; end < 2; end++)
			fds[FD_CALLS + 2 * i + end] =
				(struct pollfd){ s->calls[i].child.fds[end], POLLIN, 0 };
	if (poll(fds, FDS, patience(s)) < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = 0; i < CALLS_MAX && !err; i++)
		err = watch_call(s, &s->calls[i], &fds[FD_CALLS + 2 * i]);
	if (fds[FD_SIGNALS].revents)
		read_signal(s);
	if (fds[FD_STDOUT].revents & (POLLERR | POLLHUP | POLLNVAL))
		s->ends = true;
	return !err && fds[FD_STDIN].revents ? read_lines(s) : err;
}

static int open_signals(struct server *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? -errno : 0;
}

/* All are told before one is waited for. */
static void close_all(struct server *s)
{
	for (size_t i = 0; i < CALLS_MAX; i++)
		child_signal(&s->calls[i].child, SIGTERM);
	for (size_t i = 0; i < CALLS_MAX; i++)
		call_free(&s->calls[i], &s->recordings);
	recordings_close(&s->recordings);
	lines_free(&s->lines);
	if (s->signals >= 0)
		close(s->signals);
}

static bool is_busy(const struct server *s)
{
	for (size_t i = 0; i < CALLS_MAX; i++)
		if (s->calls[i].id)
			return true;
	return false;
}

int server_run(const char *version)
{
	struct server s = { .version = version, .lines.fd = STDIN_FILENO, .signals = -1 };
	int err;

	for (size_t i = 0; i < CALLS_MAX; i++)
		s.calls[i].child = (struct child){ .fds = { -1, -1 } };
	err = open_signals(&s);
	while (!err && !s.ends && (!s.is_quiet || is_busy(&s)))
		err = turn(&s);
	close_all(&s);
	return err == -EPIPE ? 0 : err;
}
