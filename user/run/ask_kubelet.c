// SPDX-License-Identifier: GPL-2.0-only
#include "run/ask_kubelet.h"

#include "base/log.h"

int ask_kubelet_open(struct ask_kubelet *a, const struct options *o, struct loop *loop)
{
	struct kubelet_options k = {
		.url = o->kubelet,
		.token_file = o->kubelet_token_file,
		.ca_file = o->kubelet_ca_file,
		.insecure = o->kubelet_insecure_tls,
		.names = &o->pod_label_names,
	};

	if (!o->kubelet)
		return 0;
	return log_failure(kubelet_open(&a->kubelet, &k) ?: loop_add(loop, kubelet_fd(a->kubelet), LOOP_KUBELET),
			   "the kubelet cannot be asked");
}

void ask_kubelet_close(struct ask_kubelet *a)
{
	kubelet_close(a->kubelet);
	a->kubelet = NULL;
}

int ask_kubelet_timeout_ms(const struct ask_kubelet *a)
{
	return a->kubelet ? kubelet_timeout_ms(a->kubelet) : -1;
}

void ask_kubelet_run(struct ask_kubelet *a)
{
	const char *trouble;

	if (!a->kubelet)
		return;
	kubelet_run(a->kubelet);
	trouble = kubelet_trouble(a->kubelet);
	if (*trouble && !a->failing)
		log_warning("no labels of pods from the kubelet: %s; it is asked again, all else goes on", trouble);
	else if (!*trouble && a->failing)
		log_info("the kubelet tells the labels of pods again");
	a->failing = *trouble;
}
