/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libbpf_log.h - what libbpf says, as lines of our log.
 */
#ifndef PYPERF_KERN_LIBBPF_LOG_H
#define PYPERF_KERN_LIBBPF_LOG_H

/* Lines logged of one message, the last ones: the verifier's log says at its end what is wrong. */
#define LIBBPF_LOG_LINES 60

/* From now on libbpf's messages are details of ours, which appear with -v. */
void libbpf_log(void);

/*
 * The last line that the verifier said of a program that it refused, behind the program's name; "" if it has
 * refused none since libbpf_log(). The text is static.
 */
const char *libbpf_refusal(void);

#endif
