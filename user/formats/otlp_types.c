// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_types.h"

#include "formats/otlp_dictionary.h"
#include "formats/otlp_owners.h"

_Static_assert(PPROF_TYPES_MAX <= 32, "a set of types is 32 bits");

struct types_finder {
	const struct pprof_header *header;
	struct otlp_dictionary dictionary;
	struct otlp_owners owners;
	struct buf sets; /* __u32[], of each resource the types that it has */
};

static __u32 types_of(const struct pprof_header *h, const struct profile_stack *stack)
{
	__u32 set = 0;

	for (size_t i = 0; i < h->type_count; i++)
		set |= pprof_header_value(h, i, stack) ? 1u << i : 0;
	return set;
}

/* Resources are numbered as they come. */
static int add_set(struct types_finder *f, __u32 owner, __u32 set)
{
	const struct otlp_owner *of;
	const __u32 none = 0;
	int err = otlp_owners_get(&f->owners, owner, &of);

	if (!err && of->resource == f->sets.size / sizeof(none))
		err = buf_add(&f->sets, &none, sizeof(none));
	if (!err)
		((__u32 *)f->sets.data)[of->resource] |= set;
	return err;
}

static int find_sets(struct types_finder *f)
{
	const struct profile *p = f->header->profile;
	int err = otlp_dictionary_open(&f->dictionary) ?:
		  otlp_owners_open(&f->owners, p, NULL, &f->dictionary);

	for (__u32 id = 1; !err && id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack stack = profile_get_sample(p, id);
		const __u32 set = types_of(f->header, &stack);

		err = set ? add_set(f, stack.owner, set) : 0;
	}
	return err;
}

int otlp_types_find(const struct pprof_header *h, struct otlp_types *ret)
{
	struct types_finder f = { .header = h };
	int err = find_sets(&f);
	__u32 known = 0;

	*ret = (struct otlp_types){};
	for (size_t i = 0; !err && i < f.sets.size / sizeof(known); i++) {
		const __u32 set = ((const __u32 *)f.sets.data)[i] & ~known;

		for (size_t type = 0; type < h->type_count; type++)
			if (set & 1u << type)
				ret->types[ret->count++] = type;
		known |= set;
	}
	otlp_owners_close(&f.owners);
	otlp_dictionary_close(&f.dictionary);
	buf_free(&f.sets);
	return err;
}
