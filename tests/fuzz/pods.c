// SPDX-License-Identifier: GPL-2.0-only
/*
 * pods.c - the kubelet's list of pods, whose labels their owners write, in pieces as they come from the
 * network. It is the same list wherever the pieces end, if it is one.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "kubelet/pod_labels.h"
#include "kubelet/pod_list.h"

const char *const fuzz_corpus = "pods";

/* The result, with the pods and their labels as one text that the caller frees. */
static int read_list(const uint8_t *data, size_t size, size_t piece, char **ret_text)
{
	struct pod_label_names names;
	struct pod_entry *pods = NULL;
	struct pod_list *list;
	size_t count = 0, length = 0;
	int result = 0;

	FUZZ_CHECK(!pod_label_names_parse("app,tier", &names));
	FUZZ_CHECK(!pod_list_new(&list));
	for (size_t at = 0; !result && at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		char *copy = fuzz_text(data + at, n);

		result = pod_list_add(list, copy, n);
		free(copy);
	}
	if (!result)
		result = pod_list_take(list, &names, &pods, &count);
	FUZZ_CHECK(!result || result == -EBADMSG || result == -EFBIG);
	*ret_text = NULL;
	if (!result) {
		FILE *f = open_memstream(ret_text, &length);

		FUZZ_CHECK(f);
		for (size_t i = 0; i < count; i++)
			fprintf(f, "%s %s %s\n", pods[i].uid, pods[i].value[0], pods[i].value[1]);
		fclose(f);
	}
	free(pods);
	pod_list_free(list);
	return result;
}

/* the size of pieces, text */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *whole, *pieces;

	if (!size)
		return 0;
	/* Of what is no JSON json-c may see that or not, as the pieces fall. What it accepts is the same. */
	read_list(data + 1, size - 1, size, &whole);
	read_list(data + 1, size - 1, data[0] % 32 + 1, &pieces);
	FUZZ_CHECK(!whole || !pieces || !strcmp(whole, pieces));
	free(whole);
	free(pieces);
	return 0;
}
