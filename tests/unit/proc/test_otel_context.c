// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otel_context.c - what this very process publishes is read from its memory, as the worker reads that of
 * another one: published as the specification says, by a child, changed while it is read, and wrong in every
 * way that was thought of.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/protobuf.h"
#include "proc/otel_context.h"
#include "proc/procfs.h"
#include "tests/forge/test.h"

#define PAGE	   4096
#define LAST_FIELD 7 /* bytes of the message */

struct header {
	char signature[8];
	__u32 version, size;
	__u64 published_at, payload;
};

/* --- a publisher ---------------------------------------------------------------------------------------- */

static struct header *published; /* a mapping of two pages: the message is in the second one */

static void put_attribute(struct buf *resource, const char *key, const char *text)
{
	_cleanup_buf_ struct buf value = {}, pair = {};

	assert_int_equal(protobuf_add_text(&value, 1, text), 0);
	assert_int_equal(protobuf_add_text(&pair, 1, key), 0);
	assert_int_equal(protobuf_add_bytes(&pair, 2, value.data, value.size), 0);
	assert_int_equal(protobuf_add_bytes(resource, 1, pair.data, pair.size), 0);
}

/* How its threads publish, which is the context's own. */
static const char *schema;

static void put_message(struct buf *ret, const char *service)
{
	_cleanup_buf_ struct buf resource = {}, own = {};

	put_attribute(&resource, "telemetry.sdk.language", "python");
	put_attribute(&resource, "service.name", service);
	put_attribute(&resource, "service.instance.id", "one");
	put_attribute(&resource, "deployment.environment.name", "staging");
	if (schema)
		put_attribute(&own, "threadlocal.schema_version", schema);
	assert_int_equal(protobuf_add_bytes(ret, 1, resource.data, resource.size), 0);
	if (schema)
		assert_int_equal(protobuf_add_bytes(ret, 2, own.data + 2, own.size - 2), 0);
	assert_int_equal(protobuf_add_bytes(ret, 2, "\n\3abc", 5), 0); /* no resource's */
}

static char *payload(void)
{
	return (char *)published + PAGE;
}

static void publish(const char *service)
{
	_cleanup_buf_ struct buf message = {};

	put_message(&message, service);
	__atomic_store_n(&published->published_at, 0, __ATOMIC_SEQ_CST);
	memcpy(payload(), message.data, message.size);
	memcpy(published->signature, "OTEL_CTX", 8);
	published->version = 2;
	published->size = message.size;
	published->payload = (uintptr_t)payload();
	__atomic_store_n(&published->published_at, clock_boot_ns(), __ATOMIC_SEQ_CST);
}

/* Behind it is a page that nobody can read. */
static void map(bool by_memfd, bool dont_fork)
{
	void *room = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int fd = by_memfd ? memfd_create("OTEL_CTX", MFD_CLOEXEC) : -1;

	if (by_memfd)
		assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_true(room != MAP_FAILED);
	published = mmap(room, 2 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_FIXED | MAP_PRIVATE | (by_memfd ? 0 : MAP_ANONYMOUS), fd, 0);
	assert_true(published != MAP_FAILED);
	if (by_memfd)
		close(fd);
	if (dont_fork)
		assert_int_equal(madvise(published, 2 * PAGE, MADV_DONTFORK), 0);
}

static int setup(void **state)
{
	(void)state;
	map(true, true);
	publish("shop");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (published)
		munmap(published, 3 * PAGE);
	published = NULL;
	return 0;
}

/* --- a reader ------------------------------------------------------------------------------------------- */

static struct otel_context found;

static __u64 began_ns(pid_t pid)
{
	__u64 ticks;

	assert_int_equal(procfs_start_ticks(pid, &ticks), 0);
	return ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
}

static int read_of(pid_t pid, struct otel_place known)
{
	found = (struct otel_context){};
	return otel_context_read(pid, pid, began_ns(pid), &known, &found);
}

static int read_it(void)
{
	return read_of(getpid(), (struct otel_place){});
}

TEST(as_it_is_published)
{
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.service, "shop");
	assert_string_equal(found.instance, "one");
	assert_string_equal(found.environment, "staging");
	assert_int_equal(found.place.header, (uintptr_t)published);
	assert_true(otel_context_is_sane(&found));
}

/* Memory that has the name alone: where the kernel gives names. */
TEST(as_memory_without_a_file)
{
	teardown(state);
	map(false, true);
	publish("shop");
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, published, 2 * PAGE, "OTEL_CTX")) {
		assert_int_equal(read_it(), -ENOENT);
		return;
	}
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.service, "shop");
}

TEST(how_its_threads_publish)
{
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.threads, "");
	schema = "tls_v1";
	publish("shop");
	schema = NULL;
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.threads, "tls_v1");
	assert_string_equal(found.service, "shop");
}

TEST(nothing)
{
	teardown(state);
	assert_int_equal(read_it(), -ENOENT);
}

TEST(again)
{
	struct otel_place place;

	assert_int_equal(read_it(), 0);
	place = found.place;
	assert_int_equal(read_of(getpid(), place), -EALREADY);
	publish("store");
	assert_int_equal(read_of(getpid(), place), 0);
	assert_string_equal(found.service, "store");
	place = found.place;
	teardown(state); /* and another one, maybe elsewhere */
	assert_int_equal(read_of(getpid(), place), -ENOENT);
	setup(state);
	assert_int_equal(read_of(getpid(), place), 0);
	assert_string_equal(found.service, "shop");
}

/* What a child has in its own memory at once, and at last. */
static void child_has(bool dont_fork, int expected, bool publishes)
{
	int ready[2], go[2], err;
	char c;
	pid_t child;

	teardown(NULL);
	map(true, dont_fork);
	publish("parent");
	usleep(30000); /* start times are told to 10 ms */
	assert_int_equal(pipe(ready) | pipe(go), 0);
	child = fork();
	if (!child) {
		if (publishes) {
			map(true, true);
			publish("child");
		}
		_exit(write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	err = read_of(child, (struct otel_place){});
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	assert_int_equal(err, expected);
}

TEST(a_child_says_it_itself)
{
	child_has(true, -ENOENT, false);
	child_has(false, -ENOENT, false); /* a copy of its parent's, of before it was born */
	child_has(true, 0, true);
	assert_string_equal(found.service, "child");
}

/* --- hostile ones --------------------------------------------------------------------------------------- */

TEST(headers_that_are_none)
{
	published->version = 1;
	assert_int_equal(read_it(), -ENOENT);
	published->version = 3;
	assert_int_equal(read_it(), -ENOENT);
	published->version = 2;
	published->signature[7] = 'Y';
	assert_int_equal(read_it(), -ENOENT);
	published->signature[7] = 'X';
	published->published_at = 0;
	assert_int_equal(read_it(), -EAGAIN);
	published->published_at = 1; /* before there was anything */
	assert_int_equal(read_it(), -ENOENT);
	assert_int_equal(mprotect(published, PAGE, PROT_NONE), 0);
	assert_int_equal(read_it(), -ENOENT);
}

TEST(sizes_and_addresses_that_lie)
{
	const __u32 size = published->size;

	published->size = OTEL_PAYLOAD_MAX;
	assert_int_equal(read_it(), -EFAULT);
	published->size = OTEL_PAYLOAD_MAX + 1;
	assert_int_equal(read_it(), -EMSGSIZE);
	published->size = ~0U;
	assert_int_equal(read_it(), -EMSGSIZE);
	published->size = 0;
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.service, "");
	for (__u32 less = 1; less < size; less++) { /* no part is one, but for one that ends between fields */
		published->size = less;
		assert_int_equal(read_it(), less == size - LAST_FIELD ? 0 : -EBADMSG);
	}
	published->size = size;
	published->payload = 0;
	assert_int_equal(read_it(), -EFAULT);
	published->payload = ~0ULL - 8;
	assert_int_equal(read_it(), -EFAULT);
	published->payload = (uintptr_t)payload() + PAGE - 4; /* it ends behind its mapping */
	assert_int_equal(read_it(), -EFAULT);
}

TEST(any_bytes)
{
	const __u32 size = published->size;
	unsigned int seed = 1;

	for (int i = 0; i < 20000; i++) {
		publish("shop");
		payload()[rand_r(&seed) % size] ^= 1 << rand_r(&seed) % 8;
		if (read_it()) {
			assert_string_equal(found.service, "");
			continue;
		}
		assert_true(otel_context_is_sane(&found));
	}
}

TEST(many_of_that_name)
{
	struct header *last = published, *others[20];

	for (int i = 0; i < 20; i++) {
		map(true, true);
		others[i] = published;
	}
	published = last;
	read_it(); /* it is one of those that are looked at, or not: the end comes */
	for (int i = 0; i < 20; i++)
		munmap(others[i], 3 * PAGE);
	assert_int_equal(read_it(), 0);
}

static bool stop;

static void *change(void *arg)
{
	char name[128];

	(void)arg;
	for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		memset(name, 'a' + i % 26, sizeof(name));
		name[1 + i % (sizeof(name) - 1)] = '\0';
		publish(name);
	}
	return NULL;
}

/* Whatever is read is one of those that were published, whole. */
TEST(changed_while_it_is_read)
{
	const __u64 begin = clock_ns();
	unsigned int good = 0;
	pthread_t thread;

	stop = false;
	publish("a");
	assert_int_equal(pthread_create(&thread, NULL, change, NULL), 0);
	while (good < 2000 && clock_ns() - begin < 60 * NS_PER_SECOND) {
		const int err = read_it();

		if (err == -EAGAIN)
			continue;
		assert_int_equal(err, 0);
		assert_int_equal(strspn(found.service, (char[]){ *found.service, '\0' }),
				 strlen(found.service));
		assert_true(strlen(found.service) > 0);
		assert_string_equal(found.environment, "staging");
		good++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(good, 2000);
}

/* --- messages ------------------------------------------------------------------------------------------- */

static void parse(const struct buf *resource, int expected)
{
	_cleanup_buf_ struct buf message = {};

	assert_int_equal(protobuf_add_bytes(&message, 1, resource->data, resource->size), 0);
	found = (struct otel_context){};
	assert_int_equal(otel_context_parse(message.data, message.size, &found), expected);
}

TEST(of_two_the_first_and_the_newer_key)
{
	_cleanup_buf_ struct buf r = {}, s = {};

	put_attribute(&r, "service.name", "first");
	put_attribute(&r, "service.name", "second");
	put_attribute(&r, "deployment.environment", "old");
	put_attribute(&r, "deployment.environment.name", "new");
	put_attribute(&r, "service.name2", "other");
	parse(&r, 0);
	assert_string_equal(found.service, "first");
	assert_string_equal(found.environment, "new");
	put_attribute(&s, "deployment.environment.name", "new");
	put_attribute(&s, "deployment.environment", "old");
	parse(&s, 0);
	assert_string_equal(found.environment, "new");
}

TEST(long_values_are_cut_between_characters)
{
	_cleanup_buf_ struct buf r = {};
	char text[3 * OTEL_TEXT_SIZE + 1] = "";

	for (int i = 0; i < OTEL_TEXT_SIZE; i++)
		strcat(text, "\xe2\x82\xac");
	put_attribute(&r, "service.name", text + 1 - 1);
	put_attribute(&r, "service.instance.id", "x\0y");
	parse(&r, 0);
	assert_int_equal(strlen(found.service), (OTEL_TEXT_SIZE - 1) / 3 * 3);
	assert_string_equal(found.instance, "x");
}

TEST(values_of_other_types)
{
	/* {1: {1: "service.name", 2: {3: 7}}}, an int */
	static const char resource[] = "\n\x12\n\x0cservice.name\x12\x02\x18\x07";
	const struct buf r = { .data = (char *)resource, .size = sizeof(resource) - 1 };
	const struct buf half = { .data = (char *)resource, .size = sizeof(resource) - 3 };

	parse(&r, 0);
	assert_string_equal(found.service, "");
	parse(&half, -EBADMSG);
}

TEST(answers_that_are_none)
{
	struct otel_context c;

	assert_int_equal(read_it(), 0);
	c = found;
	memset(c.instance, 'x', sizeof(c.instance));
	assert_false(otel_context_is_sane(&c));
	c = found;
	c.place.header = 0;
	assert_false(otel_context_is_sane(&c));
}

AROUND_EACH(setup, teardown);
