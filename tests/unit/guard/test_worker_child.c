// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_worker_child.c - the worker's own side, without the parent that worker.c is: what it has given up
 * before it reads anything of others, what it answers, and that it ends with its socket and with its parent.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitized.h"
#include "elf/rows.h"
#include "guard/parser.h"
#include "guard/reply.h"
#include "guard/worker.h"
#include "proc/procfs.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/child_side.h"

static pid_t parser;
static int table = -1; /* the file for line tables */
static __u64 ticks;    /* start of this process */

static void start_child(pid_t parent)
{
	int pair[2], parsers[2];
	struct worker_child c;

	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, parsers), 0);
	table = memfd_create("table", MFD_CLOEXEC);
	assert_true(table >= 0);
	parser = fork();
	assert_true(parser >= 0);
	if (!parser)
		parser_child_run(parsers[1], getppid(), 0);
	c = (struct worker_child){ pair[1], table, parsers[0], parent, "/nonexistent" };
	child = fork();
	assert_true(child >= 0);
	if (!child)
		worker_child_run(&c);
	close(pair[1]);
	close(parsers[0]);
	close(parsers[1]);
	ours = pair[0];
}

static int teardown(void **state)
{
	(void)state;
	stop_child();
	kill(parser, SIGKILL);
	waitpid(parser, NULL, 0);
	close(table);
	return 0;
}

static struct worker_request request(enum worker_type type, __u64 tag, const void *address)
{
	struct worker_request r = { .type = type, .pid = getpid(), .tag = tag, .start_ticks = ticks };

	if (type == WORKER_CAPTURE || type == WORKER_TABLE) {
		r.object.address = (uintptr_t)address;
		r.object.layout = layout_find(0x030c01f0)->layout;
	}
	return r;
}

/* With as many bytes as its kind has. */
static void send_request(const struct worker_request *r)
{
	const size_t size = request_row(r->type)->size;

	assert_int_equal(send(ours, r, size, MSG_NOSIGNAL), size);
}

/* Static: it holds a record of a code object. */
static const struct worker_reply *ask(struct worker_request r)
{
	static struct worker_reply reply;
	const size_t size = reply_size(request_row(r.type)->answer);

	send_request(&r);
	assert_int_equal(recv(ours, &reply, sizeof(reply), 0), size);
	assert_int_equal(reply.type, r.type);
	assert_int_equal(reply.pid, r.pid);
	assert_int_equal(reply.tag, r.tag);
	return &reply;
}

/* It has prepared itself when it answers. */
static void answers_anything(void)
{
	assert_int_equal(ask(request(WORKER_CONTAINER, 1, NULL))->error, 0);
}

/* --- what it gives up ---------------------------------------------------------------------------------- */

static FILE *open_proc(const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", child, name);
	f = fopen(path, "re");
	assert_non_null(f);
	return f;
}

/* The rest of the line of /proc/PID/NAME that begins so. */
static const char *proc_line(const char *name, const char *begin)
{
	_cleanup_fclose_ FILE *f = open_proc(name);
	static char line[512];

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, begin, strlen(begin)))
			return line + strlen(begin);
	fail_msg("/proc/PID/%s: no %s", name, begin);
	return NULL;
}

static const char *link_of(int fd)
{
	static char path[64], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", child, fd);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	return target;
}

#ifdef SANITIZED
#define SILENCED 2 /* what the sanitizer says of a worker is to be seen */
#else
#define SILENCED 3
#endif

TEST(nothing_inherited_stays_open)
{
	int many[40], highest = 0;
	char path[64];
	DIR *d;

	teardown(state);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = open("/dev/zero", O_RDONLY);
	assert_true(dup2(many[0], 900) == 900);
	start_child(getpid());
	answers_anything();
	snprintf(path, sizeof(path), "/proc/%d/fd", child);
	d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		highest = isdigit(*e->d_name) && atoi(e->d_name) > highest ? atoi(e->d_name) : highest;
	closedir(d);
	assert_int_equal(highest, 5);
	for (int fd = 0; fd < SILENCED; fd++) /* it says nothing, and no terminal is asked anything */
		assert_string_equal(link_of(fd), "/dev/null");
	assert_memory_equal(link_of(3), "socket:", 7);
	assert_memory_equal(link_of(4), "/memfd:table", 12);
	assert_memory_equal(link_of(5), "socket:", 7);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		close(many[i]);
	close(900);
}

TEST(memory_is_limited)
{
	unsigned long long limit, hard, pages;
	_cleanup_fclose_ FILE *statm = NULL;

	answers_anything();
	assert_int_equal(sscanf(proc_line("limits", "Max core file size"), "%llu %llu", &limit, &hard), 2);
	assert_int_equal(limit + hard, 0); /* a core file would hold other processes' memory */
#ifdef __SANITIZE_ADDRESS__
	print_message("SKIP: the sanitizer needs terabytes of address space\n");
	skip();
#endif
	/* The file of tables is memory. */
	assert_int_equal(sscanf(proc_line("limits", "Max file size"), "%llu %llu", &limit, &hard), 2);
	assert_int_equal(limit, hard);
	assert_int_equal(limit, requests_table_max());
	statm = open_proc("statm");
	assert_int_equal(fscanf(statm, "%llu", &pages), 1);
	assert_int_equal(sscanf(proc_line("limits", "Max address space"), "%llu %llu", &limit, &hard), 2);
	assert_int_equal(limit, hard);
	/* It has already taken some of the 256 MiB. */
	assert_true(limit <= pages * sysconf(_SC_PAGESIZE) + (256 << 20));
	assert_true(limit >= pages * sysconf(_SC_PAGESIZE) + (128 << 20));
}

static unsigned long long signals(const char *mask)
{
	return strtoull(proc_line("status", mask), NULL, 16);
}

static void on_signal(int number)
{
	(void)number;
}

#define BIT(number) (1ULL << ((number) - 1))

/*
 * Whatever its parent has set up: Ctrl-C is the parent's to decide about, and nothing else is caught or held
 * back.
 */
TEST(signals_are_its_own)
{
	const unsigned long long ignored =
		BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGHUP) | BIT(SIGQUIT) | BIT(SIGPIPE) | BIT(SIGUSR2);
	const unsigned long long restored = BIT(SIGCHLD) | BIT(SIGALRM) | BIT(SIGUSR1);
	sigset_t all, old;

	teardown(state);
	signal(SIGCHLD, on_signal);
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGALRM, on_signal);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	start_child(getpid());
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	answers_anything();
	/* The rest is what cmocka catches, and what whoever started this test ignores. */
	assert_true((signals("SigIgn:") & (ignored | restored)) == ignored);
	assert_true(!(signals("SigCgt:") & (ignored | restored)));
	assert_true(signals("SigBlk:") == 0);
	kill(child, SIGINT);
	kill(child, SIGTERM);
	answers_anything();
	assert_string_equal(proc_line("status", "Name:"), "\tpyperf-worker\n");
}

/* --- what it answers ------------------------------------------------------------------------------------ */

TEST(says_what_a_process_is)
{
	const struct worker_reply *reply = ask(request(WORKER_IDENTIFY, 7, NULL));

	assert_int_equal(reply->error, 0);
	assert_int_equal(reply->identity.verdict, VERDICT_NOT_PYTHON);
	assert_string_equal(reply->container.names.pod, ""); /* there is no such folder of logs */
}

/* A bytes object: a header of which only the size counts, at the layout's offset, and the bytes. */
TEST(puts_a_table_into_the_file)
{
	static struct {
		__u64 head[4];
		__u8 bytes[100000];
	} object;
	static __u8 read_back[sizeof(object.bytes)];
	const struct worker_reply *reply;

	for (size_t i = 0; i < sizeof(object.bytes); i++)
		object.bytes[i] = i * 7 + (i >> 9);
	for (size_t size = sizeof(object.bytes); size > 10; size /= 100) {
		object.head[2] = size;
		reply = ask(request(WORKER_TABLE, size, &object));
		assert_int_equal(reply->error, 0);
		assert_int_equal(reply->table_size, size);
		assert_int_equal(pread(table, read_back, size, 0), size);
		assert_memory_equal(read_back, object.bytes, size);
	}
	object.head[2] = LINETABLE_MAX + 1;
	reply = ask(request(WORKER_TABLE, 1, &object));
	assert_int_equal(reply->error, -E2BIG);
	assert_int_equal(reply->table_size, 0);
}

/* The region that a function of this program is in; and nothing of a file that is another one by now. */
TEST(says_how_callers_are_found)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct worker_request r = request(WORKER_ROWS, 8, NULL);
	const struct worker_reply *reply;
	_cleanup_buf_ struct buf rows = { 0 };
	_cleanup_free_ char *read_back = NULL;
	struct stat stat;
	int err;

	assert_int_equal(fstat(fd, &stat), 0);
	r.mapped.address = (uintptr_t)says_how_callers_are_found;
	r.mapped.file = code_file_of(&stat);
	reply = ask(r);
	err = rows_read(fd, 0, &rows); /* this program's code is in its first MiB */
	assert_int_equal(reply->error, err);
	assert_int_equal(reply->table_size, rows.size);
	read_back = malloc(rows.size + 1);
	assert_int_equal(pread(table, read_back, rows.size, 0), rows.size);
	assert_memory_equal(read_back, rows.data, rows.size);
	r.mapped.file.inode++;
	assert_int_equal(ask(r)->error, -ESTALE);
	r.mapped.address = 1;
	assert_int_equal(ask(r)->error, -ENOENT);
}

/* An answer has nothing of the one before it. */
TEST(failures_tell_nothing)
{
	const struct worker_reply *reply;

	answers_anything();
	says_what_a_process_is(state);
	reply = ask(request(WORKER_CAPTURE, 2, NULL));
	assert_int_equal(reply->error, -EFAULT);
	for (size_t i = 0; i < sizeof(reply->identity); i++) /* but for the pid that was asked about */
		if (offsetof(struct record_code, pid) / 4 != i / 4)
			assert_int_equal(((const __u8 *)&reply->identity)[i], 0);
	assert_int_equal(ask(request(WORKER_TABLE, 3, NULL))->error, -EFAULT);
}

/* Its pid has another process now: nothing is said of that one. */
TEST(another_process_of_that_pid)
{
	for (enum worker_type type = WORKER_NONE + 1; type < WORKER_TYPES; type++) {
		struct worker_request r = request(type, type, "");

		r.start_ticks++;
		assert_int_equal(ask(r)->error, -ESRCH);
		r.start_ticks--;
		r.pid = 0x7ffffff0; /* above every pid_max */
		assert_int_equal(ask(r)->error, -ESRCH);
	}
}

/* --- its end -------------------------------------------------------------------------------------------- */

TEST(ends_with_its_socket)
{
	answers_anything();
	close_ours();
	assert_int_equal(end_of_child(), 0);
}

TEST(ends_on_a_request_that_is_none)
{
	answers_anything();
	assert_int_equal(send(ours, "x", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(end_of_child(), 1 << 8);
}

/* Of each kind exactly so many bytes come. */
TEST(ends_on_a_request_of_another_size)
{
	static char bytes[sizeof(struct worker_request) + 1];
	const struct worker_request r = request(WORKER_IDENTIFY, 7, NULL);
	const size_t size = request_row(r.type)->size;

	memcpy(bytes, &r, size);
	for (int more = -1; more <= 1; more += 2) {
		answers_anything();
		assert_int_equal(send(ours, bytes, size + more, MSG_NOSIGNAL), size + more);
		assert_int_equal(end_of_child(), 1 << 8);
		teardown(state);
		setup(state);
	}
	assert_int_equal(send(ours, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
	assert_int_equal(end_of_child(), 1 << 8);
}

/* What it does not know of a file it will never know: whoever made both makes them anew. */
TEST(ends_with_its_parser)
{
	struct worker_request r = request(WORKER_IDENTIFY, 7, NULL);

	answers_anything();
	kill(parser, SIGKILL);
	answers_anything(); /* without a file */
	send_request(&r);
	assert_int_equal(end_of_child(), 1 << 8);
}

/* Its parent was gone before it could ask to be told. */
TEST(ends_without_its_parent)
{
	teardown(state);
	start_child(getppid());
	assert_int_equal(end_of_child(), 1 << 8);
}

BY_ITSELF("its code is in the first MiB of its file");
AROUND_EACH(setup, teardown);
ENDS_IN(120);
