/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message.h - messages over a socket of kind SOCK_SEQPACKET, with which a descriptor can travel.
 */
#ifndef PYPERF_GUARD_MESSAGE_H
#define PYPERF_GUARD_MESSAGE_H

#include <stddef.h>

/* Sends a message, and with it a copy of fd; -1 = none. 0, or -errno: EPIPE when nobody reads any more. */
int message_send(int socket, const void *data, size_t size, int fd, int flags);

/*
 * Takes one message of exactly that size, and the descriptor that came with it, which the caller closes; -1 =
 * none came. 0; -EPIPE when the other side is gone; -EBADMSG for a message of another size or with several
 * descriptors; another -errno, EAGAIN with MSG_DONTWAIT in flags. On failure no descriptor is left open and
 * *ret_fd is as it was.
 */
int message_receive(int socket, void *data, size_t size, int *ret_fd, int flags);

#endif
