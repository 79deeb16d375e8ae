// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_message.c - messages with and without a descriptor, of a wrong size, and to nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/message.h"
#include "tests/forge/test.h"

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

TEST(with_a_descriptor)
{
	struct stat sent, received;
	int fd = -5, flags, number = 7;

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

TEST(without_one)
{
	int fd = -5, number = 8;

	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(fd, -5);
	assert_int_equal(message_send(pair[0], &number, sizeof(number), -1, 0), 0);
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, 0), 0);
	assert_int_equal(fd, -1);
}

TEST(of_another_size)
{
	static const char text[] = "0123456789";
	char room[4];
	int fd = -5, before = lowest_free();

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
TEST(with_two)
{
	char room[CMSG_SPACE(2 * sizeof(int))] __attribute__((aligned(16))) = {};
	int fd = -5, number = 9, before = lowest_free();
	struct iovec part = { &number, sizeof(number) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	*header = (struct cmsghdr){ CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(header), (int[]){ 0, 0 }, 2 * sizeof(int));
	assert_int_equal(sendmsg(pair[0], &message, 0), sizeof(number));
	assert_int_equal(message_receive(pair[1], &number, sizeof(number), &fd, 0), -EBADMSG);
	assert_int_equal(fd, -5);
	assert_int_equal(lowest_free(), before);
}

TEST(nobody_is_there)
{
	int fd = -5, number = 0;

	close(pair[1]);
	pair[1] = -1;
	assert_int_equal(message_receive(pair[0], &number, sizeof(number), &fd, 0), -EPIPE);
	assert_int_equal(message_send(pair[0], &number, sizeof(number), -1, 0), -EPIPE);
	assert_int_equal(fd, -5);
}

AROUND_EACH(setup, teardown);
