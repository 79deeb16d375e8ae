// SPDX-License-Identifier: GPL-2.0-only
/*
 * expressions.c - an expression of --focus or --ignore, up to the first NUL, and behind that the text that it
 * is tried on. It is refused with one line, or matches or not, or that takes too much to know.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "report/expression.h"

const char *const fuzz_corpus = "expressions";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), error[256] = "";
	const size_t end = strlen(text);
	struct expression *e = NULL;
	int err = expression_new(text, "--focus", &e, error, sizeof(error)), found;

	FUZZ_CHECK(!err || err == -EINVAL);
	if (err) {
		FUZZ_CHECK(*error && !strchr(error, '\n'));
	} else {
		found = expression_matches(e, end < size ? text + end + 1 : "");
		FUZZ_CHECK(found == 0 || found == 1 || found == -E2BIG);
	}
	expression_free(e);
	free(text);
	return 0;
}
