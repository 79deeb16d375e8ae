// SPDX-License-Identifier: GPL-2.0-only
#include "dump/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

int ask_worker(void *context, const struct worker_request *request, struct worker_reply *ret)
{
	struct worker *worker = context;
	struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };
	int err = worker_send(worker, request);

	if (err)
		return err;
	while ((err = worker_receive(worker, ret)) == -EAGAIN) {
		if (poll(&fd, 1, worker_timeout_ms(worker)) < 0 && errno != EINTR)
			return -errno;
		worker_check_deadline(worker);
	}
	if (!err && ret->error) {
		free(ret->table);
		ret->table = NULL;
		err = ret->error;
	}
	return err;
}
