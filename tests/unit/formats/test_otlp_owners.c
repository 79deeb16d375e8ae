// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp_owners.c - what is a process's is said by its resource, all else by attributes of samples; every
 * label is in one of them, whatever rows labels.def has.
 */
#include <stdio.h>
#include <string.h>

#include "base/protobuf.h"
#include "formats/otlp_owners.h"
#include "profile/profile.h"
#include "tests/forge/otlp.h"
#include "tests/forge/test.h"

static struct profile *p;
static struct otlp_dictionary d;
static struct otlp_owners owners;

static void begin(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .extra = { "app", "tier", "tenant" },
		.extra_count = 3, .extra_in_series = 2
	};

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(otlp_dictionary_open(&d), 0);
}

static void end(void)
{
	otlp_owners_close(&owners);
	otlp_dictionary_close(&d);
	profile_free(p);
}

static void add(const struct profile_labels *labels)
{
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "", 0, &function), 0);
	assert_int_equal(profile_location(p, function, 0, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, labels, 1), 0);
}

static const struct otlp_owner *get(__u32 id)
{
	const struct otlp_owner *owner;

	assert_int_equal(otlp_owners_get(&owners, id, &owner), 0);
	return owner;
}

static struct message resource_of(__u32 id)
{
	const __u32 resource = get(id)->resource;
	const struct otlp_record *r = owners.resources.records;

	while (r->index != resource)
		r = r->hh.next;
	return (struct message){ r->data, r->size };
}

/* The value of this key; empty if there is none. It is there once. */
static struct message value_of(struct message resource, const char *key)
{
	struct message found = {};

	for (size_t i = 0; i < otlp_count(resource, OTLP_RESOURCE_ATTRIBUTES); i++) {
		struct message pair = otlp_message(resource, OTLP_RESOURCE_ATTRIBUTES, i);
		struct message name = otlp_message(pair, OTLP_KEY_VALUE_KEY, 0);

		if (name.size != strlen(key) || memcmp(name.data, key, name.size))
			continue;
		assert_null(found.data);
		found = otlp_message(pair, OTLP_KEY_VALUE_VALUE, 0);
	}
	return found;
}

static void assert_resource(struct message resource, const char *key, const char *text)
{
	struct message value = value_of(resource, key);

	assert_int_equal(!value.data, !text);
	if (text)
		assert_text(otlp_message(value, OTLP_ANY_STRING, 0), text);
}

static size_t attribute_count(const struct otlp_owner *owner)
{
	size_t n = 0;

	for (size_t i = 0; i < owner->size; i++)
		n += (unsigned char)owners.indices.data[owner->start + i] < 128;
	return n;
}

static __u32 attribute(const struct otlp_owner *owner, size_t nth)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(protobuf_add_bytes(&b, 1, owners.indices.data + owner->start, owner->size), 0);
	return otlp_packed((struct message){ b.data, b.size }, 1, nth);
}

TEST(a_process_in_a_pod)
{
	struct message r;

	begin();
	add(&(struct profile_labels){ .pid = 12,
				      .tid = 13,
				      .comm = "gunicorn",
				      .thread = "MainThread",
				      .container_id = "c0ffee",
				      .container = "web",
				      .pod = "shop-1",
				      .namespace = "prod",
				      .pod_uid = "9e44",
				      .extra = { "cart", "", "acme" } });
	assert_int_equal(otlp_owners_open(&owners, p, "node-1", &d), 0);
	r = resource_of(1);
	assert_resource(r, "service.name", "web");
	assert_resource(r, "service.namespace", "prod");
	assert_resource(r, "host.name", "node-1");
	assert_resource(r, "process.runtime.name", "cpython");
	assert_resource(r, "process.title", "gunicorn");
	assert_resource(r, "container.id", "c0ffee");
	assert_resource(r, "k8s.container.name", "web");
	assert_resource(r, "k8s.pod.name", "shop-1");
	assert_resource(r, "k8s.pod.uid", "9e44");
	assert_resource(r, "k8s.namespace.name", "prod");
	assert_resource(r, "k8s.pod.label.app", "cart");
	assert_resource(r, "k8s.pod.label.tier", NULL);
	assert_int_equal(otlp_number(value_of(r, "process.pid"), OTLP_ANY_INT), 12);
	assert_resource(r, "k8s.pod.label.tenant", NULL);
	assert_int_equal(attribute_count(get(1)), 3);
	assert_text_attribute(&d, attribute(get(1), 2), "tenant", "acme");
	assert_int_equal(otlp_number(otlp_value(&d, attribute(get(1), 0), "thread.id"), OTLP_ANY_INT), 13);
	assert_text_attribute(&d, attribute(get(1), 1), "thread.name", "MainThread");
	end();
}

TEST(what_is_not_known_is_not_there)
{
	begin();
	add(&(struct profile_labels){});
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	assert_resource(resource_of(1), "service.name", "unknown");
	assert_int_equal(otlp_count(resource_of(1), OTLP_RESOURCE_ATTRIBUTES), 2);
	assert_int_equal(attribute_count(get(1)), 0);
	end();
}

/* Two threads of a process are of one resource, another process of another, as is one that is called anew. */
TEST(a_resource_is_a_process)
{
	begin();
	add(&(struct profile_labels){ .pid = 12, .tid = 12, .comm = "a" });
	add(&(struct profile_labels){ .pid = 12, .tid = 13, .comm = "a" });
	add(&(struct profile_labels){ .pid = 14, .tid = 14, .comm = "a" });
	add(&(struct profile_labels){ .pid = 12, .tid = 12, .comm = "b" });
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	assert_int_equal(get(2)->resource, get(1)->resource);
	assert_int_not_equal(get(3)->resource, get(1)->resource);
	assert_int_not_equal(get(4)->resource, get(1)->resource);
	assert_int_not_equal(get(4)->resource, get(3)->resource);
	assert_int_equal(get(1)->resource, 0);
	assert_int_equal(HASH_COUNT(owners.resources.records), 3);
	end();
}

/* What a process publishes is the service's name, or an attribute if another source comes first. */
TEST(a_service_that_is_called_otherwise)
{
	begin();
	add(&(struct profile_labels){ .pid = 12, .comm = "a", .service = "shop", .service_instance = "one",
				      .environment = "live" });
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	assert_resource(resource_of(1), "service.name", "shop");
	assert_resource(resource_of(1), "service.instance.id", "one");
	assert_resource(resource_of(1), "deployment.environment.name", "live");
	assert_int_equal(attribute_count(get(1)), 0);
	end();
	begin();
	{
		struct profile_info info = *profile_get_info(p);

		profile_free(p);
		assert_int_equal(service_order_parse("comm,context", &info.services), 0);
		assert_int_equal(profile_new(&info, &p), 0);
	}
	add(&(struct profile_labels){ .pid = 12, .comm = "a", .service = "shop" });
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	assert_resource(resource_of(1), "service.name", "a");
	assert_int_equal(attribute_count(get(1)), 1);
	end();
}

/* A row that is added to labels.def is in what is written, without a change here. */
TEST(every_label_is_somewhere)
{
	char texts[LABEL_COUNT][16];
	struct profile_labels labels = {};
	struct message r;
	int i = 0, found = 0;

	begin();
	for (int j = 0; j < LABEL_COUNT; j++)
		snprintf(texts[j], sizeof(texts[j]), "value %d", j);
#define LABEL(key, kind, ...) labels.key = (label_##kind)(uintptr_t)texts[i++];
#include "profile/labels.def"
#undef LABEL
	labels.trace_id = "80000000000000000000000000000002";
	labels.span_id = "0102030405060708";
	add(&labels);
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	r = resource_of(1);
	for (size_t n = 0; n < otlp_count(r, OTLP_RESOURCE_ATTRIBUTES); n++) {
		struct message key =
			otlp_message(otlp_message(r, OTLP_RESOURCE_ATTRIBUTES, n), OTLP_KEY_VALUE_KEY, 0);

		found += !memmem(key.data, key.size, "namespace", 9) || memmem(key.data, key.size, "k8s", 3);
		found -= !!memmem(key.data, key.size, "runtime", 7);
	}
	assert_int_equal(found + attribute_count(get(1)) + 2, LABEL_COUNT);
	assert_int_equal(get(1)->link, 1); /* which has the two */
	end();
}

/* Ids are bytes, the highest first; what is no id is no link. */
TEST(ids_are_a_link)
{
	static const char trace[16] = { (char)0x80, [15] = 2 }, span[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct otlp_record *r;
	struct message link;

	begin();
	add(&(struct profile_labels){ .trace_id = "80000000000000000000000000000002",
				      .span_id = "0102030405060708" });
	add(&(struct profile_labels){ .trace_id = "8", .span_id = "0102030405060708" });
	add(&(struct profile_labels){ .pid = 3 });
	assert_int_equal(otlp_owners_open(&owners, p, NULL, &d), 0);
	assert_int_equal(get(1)->link, 1);
	assert_int_equal(get(2)->link, 0);
	assert_int_equal(get(3)->link, 0);
	assert_int_equal(attribute_count(get(1)), 0);
	r = d.tables[OTLP_LINK].records->hh.next;
	link = otlp_message((struct message){ r->data, r->size }, OTLP_LINK_TRACE_ID, 0);
	assert_int_equal(link.size, sizeof(trace));
	assert_memory_equal(link.data, trace, sizeof(trace));
	link = otlp_message((struct message){ r->data, r->size }, OTLP_LINK_SPAN_ID, 0);
	assert_int_equal(link.size, sizeof(span));
	assert_memory_equal(link.data, span, sizeof(span));
	end();
}
