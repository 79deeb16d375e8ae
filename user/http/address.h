/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.h - where to listen: ADDR:PORT as a person writes it, and the socket for it.
 */
#ifndef PYPERF_HTTP_ADDRESS_H
#define PYPERF_HTTP_ADDRESS_H

#include <stdbool.h>
#include <netinet/in.h>
#include <sys/socket.h>

struct http_address {
	struct sockaddr_storage socket; /* AF_INET or AF_INET6 */
	socklen_t size;			/* 0 = there is no address */
};

#define HTTP_ADDRESS_TEXT 64 /* bytes that http_address_text() needs */

/*
 * PORT and :PORT mean 127.0.0.1:PORT; localhost, an IPv4 address, an IPv6 address in brackets, or * for all.
 * No other host names: which address one stands for may change. -EINVAL.
 */
int http_address_parse(const char *text, struct http_address *ret);
/* Whether only this machine can reach it. */
bool http_address_is_local(const struct http_address *a);
/*
 * Whether a Host header names this machine in a way that no foreign name server can: by address or as
 * localhost.
 */
bool http_host_is_local(const char *host);
/* As ADDR:PORT. */
const char *http_address_text(const struct http_address *a, char text[HTTP_ADDRESS_TEXT]);
/* A listening socket, close-on-exec and not blocking, or -errno. */
int http_address_listen(const struct http_address *a);

#endif
