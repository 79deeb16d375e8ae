/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.h - where to listen: ADDR:PORT or unix:/PATH as a person writes it, and the socket for it.
 */
#ifndef PYPERF_HTTP_ADDRESS_H
#define PYPERF_HTTP_ADDRESS_H

#include <stdbool.h>
#include <netinet/in.h>
#include <sys/socket.h>

struct http_address {
	struct sockaddr_storage socket; /* AF_INET, AF_INET6 or AF_UNIX */
	socklen_t size;			/* 0 = there is no address */
};

/* How much of the site an address exposes. Each has what the next one has. */
enum exposure {
	EXPOSURE_ALL,
	EXPOSURE_METRICS, /* without what shows names of processes */
	EXPOSURE_HEALTH,  /* for probes */
	EXPOSURES
};

#define HTTP_ADDRESS_TEXT 128 /* bytes that http_address_text() needs */
#define HTTP_SOCKET_MODE  0660 /* of the file of a Unix socket */

/*
 * PORT and :PORT mean 127.0.0.1:PORT; localhost, an IPv4 address, an IPv6 address in brackets, or * for all.
 * No other host names: which address one stands for may change. unix: and an absolute path is a Unix socket.
 * -EINVAL.
 */
int http_address_parse(const char *text, struct http_address *ret);
bool http_address_is_unix(const struct http_address *a);
/* Whether it is a port that only this machine can reach, its browsers among all else. */
bool http_address_is_local(const struct http_address *a);
/* As ADDR:PORT or unix:/PATH. */
const char *http_address_text(const struct http_address *a, char text[HTTP_ADDRESS_TEXT]);
/*
 * From here on the address of a Unix socket leads to the socket that is there now, whatever its path leads to
 * later, until *ret is closed, which stays as it is for another address. 0 or -errno: -ENOTSOCK for what else
 * has that path.
 */
int http_address_pin(struct http_address *a, int *ret);
/*
 * A listening socket, close-on-exec and not blocking, or -errno. The file of a Unix socket is replaced if
 * nobody listens there, else it is -EADDRINUSE.
 */
int http_address_listen(const struct http_address *a);
/* Removes the file of a Unix socket that has been closed, unless somebody else listens there by now. */
void http_address_remove(const struct http_address *a);
/* Whether that can be done, as far as the folder says it: 0 or -errno. 0 of an address without a file. */
int http_address_check_folder(const struct http_address *a);

#endif
