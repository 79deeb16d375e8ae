/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server.h - the Model Context Protocol on stdin and stdout, until stdin ends or a signal comes.
 */
#ifndef PYPERF_MCP_SERVER_H
#define PYPERF_MCP_SERVER_H

/* version: of this program. 0 or -errno. */
int server_run(const char *version);

#endif
