// SPDX-License-Identifier: GPL-2.0-only
/* test_reply.c - what a worker may say: it answers what it was asked, and its strings end where they must. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "guard/reply.h"

static struct worker_request request;
static struct worker_reply reply;

static bool is_sane(void)
{
	return reply_is_sane(&reply, &request);
}

static void ask(enum worker_type type)
{
	request = (struct worker_request){ .type = type, .pid = 77, .tag = 5 };
	memset(&reply, 0, sizeof(reply));
	reply.type = type;
	reply.pid = 77;
	reply.tag = 5;
}

static void it_answers_the_question(void **state)
{
	(void)state;
	for (enum worker_type type = WORKER_CONTAINER; type < WORKER_TYPES; type++) {
		ask(type);
		assert_true(is_sane());
		reply.tag++;
		assert_false(is_sane());
		ask(type);
		reply.pid++;
		assert_false(is_sane());
		ask(type);
		reply.type = WORKER_IDENTIFY;
		assert_false(is_sane());
		ask(type);
		reply.error = -ESRCH;
		assert_true(is_sane());
		reply.error = ESRCH;
		assert_false(is_sane());
	}
}

#define STRING(member)                                                                                       \
	{                                                                                                    \
		offsetof(struct worker_reply, member), sizeof(reply.member)                                  \
	}

static void strings_end(void **state)
{
	static const struct {
		size_t offset, size;
	} strings[] = {
		STRING(identity.version),
		STRING(identity.build_id),
		STRING(identity.reason),
		STRING(identity.path),
		STRING(container.cgroup.container_id),
		STRING(container.cgroup.pod_uid),
		STRING(container.cgroup.path),
		STRING(container.names.namespace),
		STRING(container.names.pod),
		STRING(container.names.container),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		char *text = (char *)&reply + strings[i].offset;

		ask(WORKER_IDENTIFY);
		reply.identity.verdict = VERDICT_PYTHON;
		memset(text, 'x', strings[i].size - 1);
		assert_true(is_sane());
		text[strings[i].size - 1] = 'x';
		assert_false(is_sane());
		reply.error = -ESRCH; /* then nobody reads them */
		assert_true(is_sane());
	}
}

static void verdicts(void **state)
{
	(void)state;
	ask(WORKER_IDENTIFY);
	assert_false(is_sane());
	for (__u32 v = VERDICT_NOT_PYTHON; v <= VERDICT_UNPROVED; v++) {
		reply.identity.verdict = v;
		assert_true(is_sane());
	}
	reply.identity.verdict = VERDICT_UNPROVED + 1;
	assert_false(is_sane());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_answers_the_question),
		cmocka_unit_test(strings_end),
		cmocka_unit_test(verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
