// SPDX-License-Identifier: GPL-2.0-only
#include "remote/route_look.h"

#include <errno.h>
#include <string.h>

#include "python/objects.h"

#define READS_MAX	32768
#define DIGITS_MAX	5 /* of 128 bits */

struct route_look {
	struct objects objects;
	const struct trace_place *place;
	__u64 int_type, str_type;
};

/* --- ids ---------------------------------------------------------------------------------------------- */

/* How many digits an int has, by its first word; -1 for a negative one. */
static int digits_of(const struct route_look *k, __u64 word)
{
	if (k->objects.layout->version < OBJECTS_INT_TAGGED)
		return word <= DIGITS_MAX ? (int)word : -1;
	return (word & 3) != 2 && word >> 3 <= DIGITS_MAX ? (int)(word >> 3) : -1;
}

static bool read_int(struct route_look *k, __u64 object, __u64 *ret_high, __u64 *ret_low)
{
	unsigned __int128 number = 0;
	__u32 digit[DIGITS_MAX];
	__u64 word;
	int digits;

	if (!objects_is(&k->objects, object, "", "int", &k->int_type) ||
	    objects_read(&k->objects, object + k->objects.head, &word, sizeof(word)))
		return false;
	digits = digits_of(k, word);
	if (digits < 0 || (digits && objects_read(&k->objects, object + k->objects.head + CONTEXT_DIGITS,
						  digit, digits * sizeof(*digit))))
		return false;
	for (int i = digits - 1; i >= 0; i--)
		number = number << DIGIT_BITS | (digit[i] & ((1U << DIGIT_BITS) - 1));
	*ret_high = (__u64)(number >> 64);
	*ret_low = (__u64)number;
	return true;
}

/* The ids in a SpanContext. */
static bool read_ids(struct route_look *k, __u64 tuple, struct trace_ids *ret)
{
	__u64 items[2], more;

	if (!tuple || objects_type(&k->objects, tuple) != k->place->ids_type ||
	    objects_read(&k->objects, tuple + k->objects.head + k->place->tuple_items, items, sizeof(items)))
		return false;
	return objects_is_address(items[0]) && objects_is_address(items[1]) &&
	       read_int(k, items[0], &ret->high, &ret->low) && read_int(k, items[1], &more, &ret->span) &&
	       !more;
}

/* Whether the object is a span with these ids. */
static bool is_span(struct route_look *k, const struct route_span *span)
{
	const __u64 type = objects_type(&k->objects, span->address);
	bool is_class = false;
	struct trace_ids ids;

	for (int i = 0; i < k->place->count && i < TRACE_CLASSES; i++)
		is_class |= type && k->place->classes[i].type == type;
	return is_class && read_ids(k, objects_attribute(&k->objects, span->address, "_context"), &ids) &&
	       ids.high == span->ids.high && ids.low == span->ids.low && ids.span == span->ids.span;
}

/* --- what a span has ------------------------------------------------------------------------------------ */

/* The SDK's BoundedAttributes has them in a dict. */
static void read_route(struct route_look *k, __u64 attributes, struct route_found *ret)
{
	const __u64 dict = attributes ? objects_attribute(&k->objects, attributes, "_dict") : 0;
	const __u64 route = dict ? objects_dict_find(&k->objects, dict, "http.route") : 0;

	if (route && objects_is(&k->objects, route, "", "str", &k->str_type) &&
	    !objects_text(&k->objects, route, ret->route, sizeof(ret->route)) && *ret->route)
		ret->state = ROUTE_FOUND;
}

static struct route_found read_span(struct route_look *k, const struct route_span *span)
{
	struct route_found found = { .state = ROUTE_GONE };
	struct trace_ids parent;

	if (!is_span(k, span))
		return found;
	found.state = ROUTE_NONE;
	read_route(k, objects_attribute(&k->objects, span->address, "_attributes"), &found);
	if (read_ids(k, objects_attribute(&k->objects, span->address, "_parent"), &parent) &&
	    parent.high == span->ids.high && parent.low == span->ids.low)
		found.parent = parent.span;
	return found;
}

static struct route_found look_at(struct route_look *k, const struct route_span *span)
{
	const struct route_found first = read_span(k, span), second = read_span(k, span);

	if (!is_span(k, span))
		return (struct route_found){ .state = ROUTE_GONE };
	return memcmp(&first, &second, sizeof(first)) ? (struct route_found){ .state = ROUTE_TORN } : first;
}

int route_look(pid_t memory, const struct layout *layout, const struct routes_question *q, struct buf *out)
{
	struct route_look k = { .place = &q->place };
	int err = q->count > ROUTES_AT_ONCE || q->place.count > TRACE_CLASSES ? -EINVAL : 0;

	objects_begin(&k.objects, memory, layout, READS_MAX);
	for (__u32 i = 0; i < q->count && !err; i++) {
		const struct route_found found = look_at(&k, &q->span[i]);

		err = buf_add(out, &found, sizeof(found));
	}
	return err;
}
