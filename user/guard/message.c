// SPDX-License-Identifier: GPL-2.0-only
#include "guard/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The room for one descriptor beside a message, aligned as its header wants it. */
union ancillary {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int message_send(int socket, const void *data, size_t size, int fd, int flags)
{
	struct iovec part = { (void *)data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union ancillary ancillary = {};

	if (fd >= 0) {
		ancillary.align = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(fd)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(&ancillary.align), &fd, sizeof(fd));
		message.msg_control = ancillary.room;
		message.msg_controllen = sizeof(ancillary.room);
	}
	return sendmsg(socket, &message, flags | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

int message_receive(int socket, void *data, size_t size, int *ret_fd, int flags)
{
	struct iovec part = { data, size };
	union ancillary ancillary = {};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = ancillary.room,
		.msg_controllen = CMSG_LEN(sizeof(int)), /* no room for a second one */
	};
	_cleanup_close_ int fd = -1;
	ssize_t n;

	do
		n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	fd = take_descriptor(&message);
	if (!n)
		return -EPIPE;
	if ((size_t)n != size || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	*ret_fd = TAKE_FD(fd);
	return 0;
}
