// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_message.c - messages with and without a descriptor, of a wrong size, and to nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "guard/message.h"

static int pair[2];

static int setup(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int teardown(void **state)
{
	(void)state;
	close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
	return 0;
}

/* The lowest number that is free: it tells whether a descriptor was left open. */
static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void with_a_descriptor(void **state)
{
	struct stat sent, received;
	int fd = -5, flags, number = 7;

	(void)state;
	assert_int_equal(message_send(pair[0], &number, sizeof(number), pair[1], 0), 0);
	number = 0;
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, 0), 0);
	assert_int_equal(number, 7);
	assert_int_equal(fstat(pair[1], &sent), 0);
	assert_int_equal(fstat(fd, &received), 0);
	assert_int_equal(sent.st_ino, received.st_ino);
	flags = fcntl(fd, F_GETFD);
	assert_int_equal(flags, FD_CLOEXEC);
	close(fd);
}

static void without_one(void **state)
{
	int fd = -5, number = 8;

	(void)state;
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(fd, -5);
	assert_int_equal(message_send(pair[0], &number, sizeof(number), -1, 0), 0);
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, 0), 0);
	assert_int_equal(fd, -1);
}

static void of_another_size(void **state)
{
	static const char text[] = "0123456789";
	char room[4];
	int fd = -5, before = lowest_free();

	(void)state;
	for (size_t size = 1; size < sizeof(text); size++) {
		if (size == sizeof(room))
			continue;
		assert_int_equal(message_send(pair[0], text, size, 0, 0), 0);
		assert_int_equal(message_receive(pair[1], room, sizeof(room), &fd, 0), -EBADMSG);
	}
	assert_int_equal(fd, -5);
	assert_int_equal(lowest_free(), before);
}

/* More descriptors than one message is to have: all of them are closed. */
static void with_two(void **state)
{
	char room[CMSG_SPACE(2 * sizeof(int))] __attribute__((aligned(16))) = {};
	int fd = -5, number = 9, before = lowest_free();
	struct iovec part = { &number, sizeof(number) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	(void)state;
	*header = (struct cmsghdr){ CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(header), (int[]){ 0, 0 }, 2 * sizeof(int));
	assert_int_equal(sendmsg(pair[0], &message, 0), sizeof(number));
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, 0), -EBADMSG);
	assert_int_equal(fd, -5);
	assert_int_equal(lowest_free(), before);
}

static void nobody_is_there(void **state)
{
	int fd = -5, number = 0;

	(void)state;
	close(pair[1]);
	pair[1] = -1;
	assert_int_equal(message_receive(pair[0], &number, sizeof(number), &fd, 0), -EPIPE);
	assert_int_equal(message_send(pair[0], &number, sizeof(number), -1, 0), -EPIPE);
	assert_int_equal(fd, -5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(with_a_descriptor), TEST(without_one),	TEST(of_another_size),
		TEST(with_two),		 TEST(nobody_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
