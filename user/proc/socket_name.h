/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * socket_name.h - what a socket of a process is connected to, by the tables of its network namespace.
 */
#ifndef PYPERF_PROC_SOCKET_NAME_H
#define PYPERF_PROC_SOCKET_NAME_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

/*
 * Describes the socket with that inode, as "tcp to 10.0.0.7:5432", "udp at 0.0.0.0:53" or "unix /run/x.sock".
 * -ENOENT when none of the tables has it, or they are larger than 1 MiB; -ESRCH.
 */
int socket_name(pid_t pid, __u64 inode, char *ret, size_t size);

/*
 * Describes the socket with that inode by one line of /proc/PID/net/KIND; kind is "tcp", "udp", "tcp6",
 * "udp6" or "unix". -ENOENT if the line is of another socket, or malformed.
 */
int socket_name_parse(const char *kind, const char *line, __u64 inode, char *ret, size_t size);

#endif
