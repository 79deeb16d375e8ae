// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reply.c - what a worker may say: it answers what it was asked, its strings end where they must, and
 * it has no bytes that only another kind of answer needs.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "guard/reply.h"
#include "tests/forge/test.h"

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

TEST(its_cost)
{
	reply = (struct worker_reply){ .cpu_ns = 4 };
	assert_int_equal(worker_reply_cost(&reply, 5), 4);
	assert_int_equal(worker_reply_cost(&reply, 3), 3);
	reply.cpu_ns = 0; /* it ended the child */
	assert_int_equal(worker_reply_cost(&reply, 5), 5);
}

TEST(it_answers_the_question)
{
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

TEST(strings_end)
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

TEST(verdicts)
{
	ask(WORKER_IDENTIFY);
	assert_false(is_sane());
	for (__u32 v = VERDICT_NOT_PYTHON; v <= VERDICT_UNPROVED; v++) {
		reply.identity.verdict = v;
		assert_true(is_sane());
	}
	reply.identity.verdict = VERDICT_UNPROVED + 1;
	assert_false(is_sane());
}

#define HEAD offsetof(struct worker_reply, container)

/* What lies behind these bytes stays 0, so that nobody reads what the child did not send. */
TEST(a_reply_has_what_its_kind_needs)
{
	assert_int_equal(reply_size(ANSWER_TABLE), HEAD);
	assert_int_equal(reply_size(ANSWER_CONTAINER), HEAD + sizeof(reply.container));
	assert_int_equal(reply_size(ANSWER_IDENTITY),
			 offsetof(struct worker_reply, identity) + sizeof(reply.identity));
	assert_int_equal(reply_size(ANSWER_CODE), HEAD + sizeof(reply.code));
	for (__u32 type = WORKER_NONE + 1; type < WORKER_TYPES; type++)
		assert_true(reply_size(request_row(type)->answer) <= offsetof(struct worker_reply, table));
}
