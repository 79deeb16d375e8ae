// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rates.c - the rate of a run changes over the real kernel side: each tick stands for the time that it
 * had when it came. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/logged.h"

#include "hosted/home.h"
#include "run/agent.h"
#include "run/rates.h"

static struct options options;
static struct agent agent;

static void begin_at(const struct kernel_options *o)
{
	options = (struct options){ .frequency = o->frequency, .budget_percent = o->budget * 100 };
	agent = (struct agent){ .options = &options, .kernel_options = *o };
	agent.kernel = kernel = open_kernel(*o);
	rates_begin(&agent);
	assert_int_equal(agent.facts.frequency, o->frequency);
}

static struct kernel_options with_budget(void)
{
	struct kernel_options o = selected;

	o.budget = 0.01;
	return o;
}

TEST(each_tick_has_its_own_time)
{
	const struct kernel_options o = with_budget();
	struct tick_counts before, now;
	const char *said;

	begin_at(&o);
	assert_true(rates_tick_ns(&agent) < 1); /* none came */
	start(kernel);
	burn(0.2);
	rates_count(&agent, &before);
	assert_true(before.came > 10 && before.frequency == 199);
	assert_int_equal(before.ns, before.came * (1000000000 / 199));
	options.frequency = 997;
	options.budget_percent = 0.5;
	said = LOGGED(rates_set(&agent));
	assert_non_null(strstr(said, "from now on 997 samples per second of each CPU are taken, "
				     "for at most 0.5% of it"));
	assert_true(agent.facts.frequency == 997 && agent.windows.frequency == 997);
	assert_true(agent.facts.budget > 0.0049 && agent.facts.budget < 0.0051);
	burn(0.2);
	kernel_stop(kernel);
	rates_count(&agent, &now);
	assert_true(now.frequency == 997 && now.came >= agent.rates.came + 100);
	assert_int_equal(agent.rates.ns, agent.rates.came * (1000000000 / 199));
	assert_int_equal(now.ns, agent.rates.ns + (now.came - agent.rates.came) * (1000000000 / 997));
	assert_true(rates_tick_ns(&agent) > 1000000000. / 997 && rates_tick_ns(&agent) < 1000000000. / 199);
}

/* What the system does not allow is not what is said to be. */
TEST(no_more_than_is_allowed)
{
	const struct kernel_options o = with_budget();

	begin_at(&o);
	options.frequency = 1000000;
	LOGGED(rates_set(&agent));
	assert_true(agent.facts.frequency > 199 && agent.facts.frequency < 1000000);
	assert_int_equal(agent.kernel_options.frequency, agent.facts.frequency);
}

/* From outside the rate stays, which is said, and what is asked for later is compared with it. */
TEST(from_outside_only_a_restart)
{
	struct kernel_options o = with_budget();
	const char *said;

	o.home = &home_outside;
	begin_at(&o);
	options.frequency = 50;
	options.budget_percent = 2;
	said = LOGGED(rates_set(&agent));
	assert_non_null(strstr(said, "only a restart changes --frequency here: pyperf-sampler"));
	assert_true(options.frequency == 199 && agent.facts.frequency == 199);
	assert_true(agent.facts.budget > 0.019);
	options.budget_percent = 3;
	assert_null(strstr(LOGGED(rates_set(&agent)), "restart"));
}

AROUND_EACH(NULL, teardown);
