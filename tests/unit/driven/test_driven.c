// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_driven.c - the sampler in the kernel, on an interpreter forged in this process. One program for all
 * the tests in driven_*.h, because the verifier needs a moment for each way to load it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/driven/driven_banks.h"
#include "tests/unit/driven/driven_codes.h"
#include "tests/unit/driven/driven_copies.h"
#include "tests/unit/driven/driven_hostile.h"
#include "tests/unit/driven/driven_settled.h"
#include "tests/unit/driven/driven_stacks.h"
#include "tests/unit/driven/driven_tables.h"
#include "tests/unit/driven/driven_threads.h"

static const struct driven_options roomy = {
	.nodes = 4096,
	.codes = 16384,
	.owners = 64,
	.max_depth = 1024,
	.ring = 1 << 20,
};

static int load_blocks(void **state)
{
	(void)state;
	driven_load(&roomy);
	driven_learn_identity();
	return 0;
}

static int load_single(void **state)
{
	struct driven_options o = roomy;

	(void)state;
	o.single = true;
	o.cache = CACHE_OFF;
	driven_load(&o);
	return 0;
}

/* Every tick is walked in both ways, and drive() asserts that both led to the same node. */
static int load_check(void **state)
{
	struct driven_options o = roomy;

	(void)state;
	o.cache = CACHE_CHECK;
	driven_load(&o);
	return 0;
}

static int load_tiny(void **state)
{
	const struct driven_options o = {
		.nodes = 64,
		.codes = 512,
		.owners = 4,
		.max_depth = 12,
		.ring = 4096,
		.by_process = true,
		.selected = true,
	};

	(void)state;
	driven_load(&o);
	return 0;
}

static int load_impatient(void **state)
{
	struct driven_options o = roomy;

	(void)state;
	o.patience = 1;
	driven_load(&o);
	return 0;
}

static int load_larger(void **state)
{
	struct driven_options o = roomy;

	(void)state;
	o.nodes = 16384;
	driven_load(&o);
	return 0;
}

static int load_few_codes(void **state)
{
	struct driven_options o = roomy;

	(void)state;
	o.codes = 2 * CODE_FIRST;
	driven_load(&o);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	driven_unload();
	return 0;
}

static const struct CMUnitTest in_roomy_tables[] = {
	cmocka_unit_test(test_stack_names_and_owner),
	cmocka_unit_test(test_same_stack_is_same_node),
	cmocka_unit_test(test_long_mixed_stack),
	cmocka_unit_test(test_interpreters_own_code_is_not_shown),
	cmocka_unit_test(test_cached_generator),
	cmocka_unit_test(test_fingerprint_is_that_of_the_worker),
	cmocka_unit_test(test_code_replaced_in_place),
	cmocka_unit_test(test_each_field_tells_code_objects_apart),
	cmocka_unit_test(test_count_of_versions_that_is_none),
	cmocka_unit_test(test_code_not_resident),
	cmocka_unit_test(test_settled_object_is_replaced),
	cmocka_unit_test(test_header_of_each_caller_has_its_turn),
	cmocka_unit_test(test_unreadable_code_is_not_compared),
	cmocka_unit_test(test_unreadable_name_replaces_nothing),
	cmocka_unit_test(test_settled_leaf_is_replaced),
	cmocka_unit_test(test_pages_not_resident),
	cmocka_unit_test(test_no_frames),
	cmocka_unit_test(test_chain_without_root),
	cmocka_unit_test(test_unfilled_cframe),
	cmocka_unit_test(test_half_linked_entry),
	cmocka_unit_test(test_process_states),
	cmocka_unit_test(test_asks_again),
	cmocka_unit_test(test_thread_state_of_nobody),
	cmocka_unit_test(test_unreadable_thread_state),
	cmocka_unit_test(test_found_behind_others),
	cmocka_unit_test(test_found_in_another_interpreter),
	cmocka_unit_test(test_found_as_current_of_runtime),
	cmocka_unit_test(test_found_as_holder_of_gil),
	cmocka_unit_test(test_without_a_list_of_interpreters),
	cmocka_unit_test(test_without_a_list_and_without_the_gil),
	cmocka_unit_test(test_found_in_thread_specific_storage),
	cmocka_unit_test(test_active_thread_state_is_preferred),
	cmocka_unit_test(test_thread_state_that_is_gone),
	cmocka_unit_test(test_thread_state_of_another_maker),
	cmocka_unit_test(test_hostile_lists),
	cmocka_unit_test(test_second_thread),
	cmocka_unit_test(test_copies_of_bytecode),
	cmocka_unit_test(test_copies_that_lie),
	cmocka_unit_test(test_copies_change_hands),
	cmocka_unit_test(test_each_generation_has_its_bank),
	cmocka_unit_test(test_ring_of_chunks),
	cmocka_unit_test(test_ring_of_shims),
	cmocka_unit_test(test_deepest_honest_stack),
};

static const struct CMUnitTest counting[] = {
	cmocka_unit_test(test_code_epoch_saves_headers),
	cmocka_unit_test(test_cached_callers),
	cmocka_unit_test(test_callers_settle),
	cmocka_unit_test(test_recycled_address_never_settles),
};

static const struct CMUnitTest without_patience[] = {
	cmocka_unit_test(test_out_of_time),
};

static const struct CMUnitTest in_larger_tables[] = {
	cmocka_unit_test(test_one_process_takes_too_much),
	cmocka_unit_test(test_one_user_takes_too_much),
};

static const struct CMUnitTest in_tiny_tables[] = {
	cmocka_unit_test(test_node_table_full),
	cmocka_unit_test(test_owner_table_full),
	cmocka_unit_test(test_other_bank_has_room),
	cmocka_unit_test(test_ring_full),
	cmocka_unit_test(test_truncation),
	cmocka_unit_test(test_process_that_was_not_selected),
	cmocka_unit_test(test_nested),
};

static const struct CMUnitTest with_few_codes[] = {
	cmocka_unit_test(test_code_table_full),
};

int main(void)
{
	const char *refusal = driven_refusal();

	if (refusal) {
		print_message("SKIP: %s\n", refusal);
		return 0;
	}
	return cmocka_run_group_tests_name("cache and blocks", in_roomy_tables, load_blocks, NULL) +
	       cmocka_run_group_tests_name("cache and blocks, what is counted", counting, NULL, unload) +
	       cmocka_run_group_tests_name("single reads", in_roomy_tables, load_single, NULL) +
	       cmocka_run_group_tests_name("single reads, what is counted", counting, NULL, unload) +
	       cmocka_run_group_tests_name("cache checked", in_roomy_tables, load_check, unload) +
	       cmocka_run_group_tests_name("no patience", without_patience, load_impatient, unload) +
	       cmocka_run_group_tests_name("larger tables", in_larger_tables, load_larger, unload) +
	       cmocka_run_group_tests_name("tiny tables", in_tiny_tables, load_tiny, unload) +
	       cmocka_run_group_tests_name("few codes", with_few_codes, load_few_codes, unload);
}
