// SPDX-License-Identifier: GPL-2.0-only
#include "run/ask_kubelet.h"

#include "base/log.h"
#include "net/libcurl.h"

static int due(void *ask_kubelet)
{
	return kubelet_timeout_ms(((struct ask_kubelet *)ask_kubelet)->kubelet);
}

static void ask_kubelet_run(void *ask_kubelet, unsigned int ready)
{
	struct ask_kubelet *a = ask_kubelet;
	const char *trouble;

	(void)ready;
	kubelet_run(a->kubelet);
	trouble = kubelet_trouble(a->kubelet);
	if (*trouble)
		complain(&a->trouble,
			 "no labels of pods from the kubelet: %s; it is asked again, all else goes on",
			 trouble);
	else
		complaint_over(&a->trouble, "the kubelet tells the labels of pods again");
}

static int say_failure(int err)
{
	if (err)
		log_error("the kubelet cannot be asked: %s" ASK_DOCTOR, libcurl_strerror(err));
	return err;
}

int ask_kubelet_open(struct ask_kubelet *a, const struct kubelet_options *o)
{
	return o->url ? say_failure(kubelet_open(&a->kubelet, o)) : 0;
}

int ask_kubelet_watch(struct ask_kubelet *a, struct loop *loop)
{
	struct loop_row row = { .timeout_ms = due, .run = ask_kubelet_run, .context = a };

	if (!a->kubelet)
		return 0;
	row.fd = kubelet_fd(a->kubelet);
	return say_failure(loop_watch(loop, &row));
}

bool ask_kubelet_is_first(const struct ask_kubelet *a)
{
	const __u64 requests = a->kubelet ? kubelet_get_stats(a->kubelet).requests : 2;

	return !requests || (requests == 1 && kubelet_is_busy(a->kubelet));
}

void ask_kubelet_close(struct ask_kubelet *a)
{
	kubelet_close(a->kubelet);
	a->kubelet = NULL;
}
