// SPDX-License-Identifier: GPL-2.0-only
#include "tree/attributes.h"

#include <stddef.h>

#include "bpf/abi.h"
#include "names/codes.h"
#include "profile/profile.h"
#include "tree/states.h"

/* NULL: the kernel side has sent no text with this number, or another one has it now. */
static const char *name_of(struct codes *codes, __u32 number)
{
	struct code_line line;

	codes_resolve(codes, number, INSTR_UNKNOWN, &line);
	return line.kind == FRAME_PYTHON ? line.function : NULL;
}

/* By the value column of attributes.def. */
#define FILL_BITS(label)   states_fill(value, l)
#define FILL_NAME(label)   l->label = name_of(codes, value)
#define FILL_NUMBER(label) l->label = value
#define FILL_VARIABLE(label) variables[label] = name_of(codes, value)

void attributes_fill(__u64 key, struct codes *codes, const char **variables, struct profile_labels *l)
{
	const __u32 value = attribute_value(key);

	switch (attribute_of(key)) {
#define ATTRIBUTE(name, option, value, storage, label, help) \
	case ATTRIBUTE_##name:                             \
		FILL_##value(label);                       \
		break;
#include "bpf/attributes.def"
#undef ATTRIBUTE
	}
}
