// SPDX-License-Identifier: GPL-2.0-only
/*
 * callbacks.c - threads that C made and that call into Python again and again, as those of audio, database
 * and RPC libraries do. With each call ctypes takes a thread state (PyGILState_Ensure()) and gives it back.
 * In between memory of many sizes is taken, so that thread states lie at ever other addresses, over those of
 * before in part.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 64

static void (*callback)(void);

static void *call(void *arg)
{
	static const size_t sizes[] = { 24, 200, 376, 700, 1400, 2600 };
	void *kept[KEPT] = { NULL };

	(void)arg;
	for (unsigned int i = 0;; i++) {
		void **place = &kept[i % KEPT];

		callback();
		free(*place);
		*place = malloc(sizes[i % (sizeof(sizes) / sizeof(*sizes))]);
		if (*place && i % 3)
			memset(*place, i & 1 ? 0 : 0x13, 64);
	}
	return NULL;
}

/* For ever, in so many threads. */
void run(void (*function)(void), int threads)
{
	pthread_t thread;

	callback = function;
	while (threads--)
		if (pthread_create(&thread, NULL, call, NULL))
			abort();
	pthread_join(thread, NULL);
}
