/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stopped.h - the memory of a stopped process, as mem_read() (bpf/base/mem.h): one snapshot, each page of
 * which is fetched once, until stopped_again() says that the process has run.
 */
#ifndef PYPERF_TESTS_STOPPED_H
#define PYPERF_TESTS_STOPPED_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

#define STOPPED_PAGE  4096ULL
#define STOPPED_SLOTS 512

struct stopped_page {
	__u64 number;
	__u64 stamp; /* of the stop that it is of */
	bool there;
	__u8 bytes[STOPPED_PAGE];
};

static struct {
	pid_t pid;
	__u64 stamp;
	struct stopped_page pages[STOPPED_SLOTS];
	struct {
		__u64 address, word;
		__u64 stamp; /* of the stop that it is told in */
	} lie;
} stopped;

static inline void stopped_again(void)
{
	stopped.stamp++;
}

static inline void stopped_tell_lie(struct stopped_page *p)
{
	if (stopped.lie.stamp == stopped.stamp && stopped.lie.address / STOPPED_PAGE == p->number)
		memcpy(p->bytes + stopped.lie.address % STOPPED_PAGE, &stopped.lie.word, sizeof(__u64));
}

static inline struct stopped_page *stopped_page(__u64 address)
{
	__u64 number = address / STOPPED_PAGE;
	struct stopped_page *p = &stopped.pages[(number ^ number >> 9) % STOPPED_SLOTS];
	struct iovec local = { p->bytes, STOPPED_PAGE };
	struct iovec remote = { (void *)(uintptr_t)(number * STOPPED_PAGE), STOPPED_PAGE };

	if (p->number == number && p->stamp == stopped.stamp)
		return p;
	p->number = number;
	p->stamp = stopped.stamp;
	p->there = process_vm_readv(stopped.pid, &local, 1, &remote, 1, 0) == (ssize_t)STOPPED_PAGE;
	stopped_tell_lie(p);
	return p;
}

static int mem_read(void *dst, __u32 size, __u64 address)
{
	for (__u32 done = 0, n; done < size; done += n) {
		const struct stopped_page *p = stopped_page(address + done);
		const __u64 offset = (address + done) % STOPPED_PAGE;

		n = STOPPED_PAGE - offset < size - done ? STOPPED_PAGE - offset : size - done;
		if (!p->there) {
			memset(dst, 0, size);
			return -EFAULT;
		}
		memcpy((__u8 *)dst + done, p->bytes + offset, n);
	}
	return 0;
}

/*
 * Has one word, 8-aligned, read as something else until the process has run; also where another page took its
 * page's slot and it is fetched again.
 */
static inline void stopped_lie(__u64 address, __u64 word)
{
	stopped.lie.address = address;
	stopped.lie.word = word;
	stopped.lie.stamp = stopped.stamp;
	stopped_tell_lie(stopped_page(address));
}

/* A word of the process; 0 if it is not there. */
static inline __u64 stopped_word(__u64 address)
{
	__u64 word;

	mem_read(&word, sizeof(word), address);
	return word;
}

#endif
