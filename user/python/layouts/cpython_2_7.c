// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_2_7.c - CPython 2.7: compiled from the headers of 2.7.18. It publishes no offsets itself. Names of
 * headers are below Include/. The runtime is not one structure yet: identify.c fills in where its variables
 * are.
 */
#include "python/layout.h"

const struct cpython cpython_2_7 = {
	.minor = 0x0207,
	.layout = {
		.root_rule = ROOT_NULL,
		.line_format = LINES_27,

		/*
		 * frameobject.h: PyFrameObject; every frame is one, and belongs to Python code. It does not
		 * name its generator, and need not: gen_send_ex() (Objects/genobject.c) links a generator's
		 * frame before it is the newest and unlinks it afterwards.
		 */
		.frame_size = FRAME_READ_MAX,
		.frame_lasti = 1,
		.lasti_shift = 1,
		.frame_code = 32,
		.frame_previous = 24,
		.frame_instr = 120, /* f_lasti */
		.owner_shim = 256,

		/* pystate.h: PyThreadState */
		.tstate_size = 152, /* the last field used is thread_id */
		.tstate_next = 0,
		.tstate_interp = 8,
		.tstate_frame = 16,
		.tstate_thread_id = 144,

		/* pystate.h: the GIL is the runtime's, one for all */
		.interp_next = 0,
		.interp_threads = 8,

		/* code.h */
		.code_size = 112, /* the last field used is co_lnotab */
		.code_first_line = 96,
		.code_filename = 80,
		.code_name = 88,
		.code_linetable = 104, /* co_lnotab */

		/*
		 * stringobject.h: as if it were ASCII; ob_sstate is what 3.6 has in the lowest bits of its
		 * state
		 */
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 36,
		.str_kind_shift = 2,
		.str_compact_bit = 5,
		.str_ascii_bit = 6,
		.str_implied = 1 << 2 | 1 << 5 | 1 << 6,

		/* stringobject.h: line tables too */
		.bytes_size = 16,
		.bytes_data = 36,
	},
};
