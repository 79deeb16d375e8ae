// SPDX-License-Identifier: GPL-2.0-only
#include "remote/seen_codes.h"

#include "python/target_walk.h"

#include "bpf/python/digest.h"

void seen_codes_begin(struct seen_codes *s, pid_t memory, const struct layout *layout)
{
	s->memory = memory;
	s->layout = layout;
}

static __u32 read_code(struct seen_codes *s, __u64 address)
{
	const struct layout *l = s->layout;
	__u8 header[HEADER_BYTES] __attribute__((aligned(8))) = { 0 };
	__u64 end[FILE_END / 8];
	__u32 fault;

	if (s->count == SEEN_CODES_MAX || l->code_size < 16 || l->code_size > HEADER_MASK + 1 ||
	    mem_read(header, l->code_size, address))
		return SEEN_NONE;
	if (digest_is_shim(header, l))
		return SEEN_SHIM;
	s->codes[s->count] = (struct seen_code){
		.address = address,
		.fingerprint = digest_code(header, l, end, &fault),
		.table = header_u64(header, l->code_linetable),
		.first_line = (__s32)header_u32(header, l->code_first_line),
	};
	return s->count++;
}

__u32 seen_codes_find(struct seen_codes *s, __u64 address)
{
	size_t at = mix(address) % SEEN_SLOTS;

	target_memory_choose(s->memory);
	while (s->slots[at].address && s->slots[at].address != address)
		at = (at + 1) % SEEN_SLOTS;
	if (!s->slots[at].address) {
		const __u32 number = read_code(s, address);

		if (number == SEEN_NONE || s->known == SEEN_CODES_MAX)
			return number;
		s->known++;
		s->slots[at].address = address;
		s->slots[at].number = number;
	}
	return s->slots[at].number;
}

bool seen_codes_are_sane(const struct seen_code *codes, __u32 count)
{
	for (__u32 i = 0; i < count; i++)
		if (!mem_plausible(codes[i].address) || !(codes[i].fingerprint & 1))
			return false;
	return true;
}

bool seen_frames_are_sane(const struct seen_frame *frames, __u32 count, __u32 codes)
{
	for (__u32 i = 0; i < count; i++)
		if (frames[i].code >= codes || frames[i].instr > INSTR_UNKNOWN)
			return false;
	return true;
}
