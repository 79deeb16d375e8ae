/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turns.h - turns of an event loop on the sampler as it is compiled for the host (hosted.h), for the tests of
 * where they end. Nothing is read of a program.
 */
#ifndef PYPERF_TESTS_FORGE_TURNS_H
#define PYPERF_TESTS_FORGE_TURNS_H

#define HOSTED_NODES (1U << 13)
#define HOSTED_CODES (1U << 10)

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "bpf/events/turn_rounds.h"

#define MS 1000000ULL

const volatile __u64 opt_min_turn = 20000000;

/* What is counted of this cause below a node. */
static __u64 turns_at(__u32 node, enum wait_cause cause)
{
	return hosted.nodes[node_add(&hosted.stats, 0, node, CODE_WAITS + cause)].count;
}

/* But for what is rounded. */
static void assert_about(__u64 ns, __u64 expected)
{
	assert_in_range(ns, expected - TURN_ROUNDING, expected + TURN_ROUNDING);
}

#endif
