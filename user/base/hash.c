// SPDX-License-Identifier: GPL-2.0-only
#include "base/hash.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/siphash.h"

static struct siphash_key draw_key(void)
{
	/*
	 * 16 random bytes that the kernel gives each process at exec, for a system that has no entropy yet.
	 */
	const void *at_exec = (const void *)getauxval(AT_RANDOM);
	struct siphash_key key = {};
	ssize_t n;

	do
		n = getrandom(&key, sizeof(key), GRND_NONBLOCK);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(key) && at_exec)
		memcpy(&key, at_exec, sizeof(key));
	return key;
}

unsigned int hash_bytes(const void *bytes, size_t size)
{
	static struct siphash_key key;
	static bool drawn;

	if (!drawn) {
		key = draw_key();
		drawn = true;
	}
	return siphash(&key, bytes, size);
}
