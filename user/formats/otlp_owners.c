// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_owners.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"
#include "formats/otlp_dictionary.h"
#include "profile/profile.h"
#include "profile/services.h"
#include "profile/trace_ids.h"

/*
 * Labels under the names that OpenTelemetry has for them. A row that is not here is an attribute of samples,
 * under its own name, but for ids, which are a link.
 */
static const struct {
	const char *name;
	bool of_process;
} names[LABEL_COUNT] = {
	[LABEL_pid] = { "process.pid", true },		 [LABEL_comm] = { "process.title", true },
	[LABEL_container_id] = { "container.id", true }, [LABEL_container] = { "k8s.container.name", true },
	[LABEL_pod] = { "k8s.pod.name", true },		 [LABEL_namespace] = { "k8s.namespace.name", true },
	[LABEL_pod_uid] = { "k8s.pod.uid", true },	 [LABEL_tid] = { "thread.id", false },
	[LABEL_thread] = { "thread.name", false },
	[LABEL_route] = { "http.route", false },
	[LABEL_service_instance] = { "service.instance.id", true },
	[LABEL_environment] = { "deployment.environment.name", true },
};

int otlp_owners_open(struct otlp_owners *o, const struct profile *p, const char *host,
		     struct otlp_dictionary *d)
{
	*o = (struct otlp_owners){ .profile = p, .dictionary = d, .host = host };
	o->owners = calloc((size_t)profile_count(p, PROFILE_OWNER) + 1, sizeof(*o->owners));
	return o->owners ? 0 : -ENOMEM;
}

void otlp_owners_close(struct otlp_owners *o)
{
	otlp_table_free(&o->resources);
	free(o->owners);
	buf_free(&o->indices);
}

/* --- resources ------------------------------------------------------------------------------------------ */

/* A KeyValue with this AnyValue. */
static int add_pair(struct buf *resource, const char *key, const struct buf *value)
{
	_cleanup_buf_ struct buf pair = {};
	int err = protobuf_add_text(&pair, OTLP_KEY_VALUE_KEY, key) ?:
		  protobuf_add_bytes(&pair, OTLP_KEY_VALUE_VALUE, value->data, value->size);

	return err ?: protobuf_add_bytes(resource, OTLP_RESOURCE_ATTRIBUTES, pair.data, pair.size);
}

static int add_text_attribute(struct buf *resource, const char *key, const char *text)
{
	_cleanup_buf_ struct buf value = {};

	if (!*text)
		return 0;
	return protobuf_add_text(&value, OTLP_ANY_STRING, text) ?: add_pair(resource, key, &value);
}

static int add_number_attribute(struct buf *resource, const char *key, __u64 number)
{
	_cleanup_buf_ struct buf value = {};

	if (!number)
		return 0;
	return protobuf_add_number(&value, OTLP_ANY_INT, number) ?: add_pair(resource, key, &value);
}

static int add_label(const struct otlp_owners *o, struct buf *resource, int label, __u32 value)
{
	if (!label_rows[label].is_text)
		return add_number_attribute(resource, names[label].name, value);
	return add_text_attribute(resource, names[label].name, profile_get_string(o->profile, value));
}

static int add_pod_labels(const struct otlp_owners *o, struct buf *resource,
			  const struct profile_owner *owner)
{
	const struct profile_info *info = profile_get_info(o->profile);
	char key[PROFILE_STRING_MAX];
	int err = 0;

	for (__u32 i = 0; !err && i < info->extra_in_series; i++) {
		snprintf(key, sizeof(key), "k8s.pod.label.%s", info->extra[i]);
		err = add_text_attribute(resource, key, profile_get_string(o->profile, owner->extra[i]));
	}
	return err;
}

static int make_resource(const struct otlp_owners *o, const struct profile_owner *owner, struct buf *resource)
{
	int err = add_text_attribute(resource, "service.name", service_name(o->profile, owner));

	err = err ?: add_text_attribute(resource, "service.namespace",
					profile_get_string(o->profile, owner->namespace));
	err = err ?: add_text_attribute(resource, "host.name", o->host ?: "");
	err = err ?: add_text_attribute(resource, "process.runtime.name", "cpython");
	for (int i = 0; !err && i < LABEL_COUNT; i++)
		if (names[i].of_process)
			err = add_label(o, resource, i, owner->label[i]);
	return err ?: add_pod_labels(o, resource, owner);
}

/* --- attributes of samples ------------------------------------------------------------------------------ */

static int add_attribute(struct otlp_owners *o, int label, __u32 value)
{
	const char *key = names[label].name ?: label_rows[label].key;
	__u32 index;
	int err;

	if (label_rows[label].is_text)
		err = otlp_dictionary_text_attribute(o->dictionary, key,
						     profile_get_string(o->profile, value), &index);
	else
		err = otlp_dictionary_number_attribute(o->dictionary, key, value, &index);
	return err ?: protobuf_add_varint(&o->indices, index);
}

/* Values of context variables, by the variables' names. */
static int add_variables(struct otlp_owners *o, const struct profile_owner *owner)
{
	const struct profile_info *info = profile_get_info(o->profile);
	__u32 index;
	int err = 0;

	for (__u32 i = info->extra_in_series; !err && i < info->extra_count; i++) {
		if (!owner->extra[i])
			continue;
		err = otlp_dictionary_text_attribute(o->dictionary, info->extra[i],
						     profile_get_string(o->profile, owner->extra[i]), &index);
		err = err ?: protobuf_add_varint(&o->indices, index);
	}
	return err;
}

/* What is service.name of the resource already is not said again. */
static bool is_service_name(const struct otlp_owners *o, const struct profile_owner *owner, int label)
{
	return label == LABEL_service &&
	       service_name(o->profile, owner) == profile_get_string(o->profile, owner->service);
}

static bool is_in_link(int label)
{
	return label == LABEL_trace_id || label == LABEL_span_id;
}

/* A link has ids as bytes, the highest first. */
static int add_id(struct buf *link, unsigned int field, __u64 high, __u64 low, size_t size)
{
	const __u64 words[2] = { htobe64(high), htobe64(low) };

	return protobuf_add_bytes(link, field, (const char *)words + sizeof(words) - size, size);
}

static int find_link(const struct otlp_owners *o, const struct profile_owner *owner, __u32 *ret)
{
	_cleanup_buf_ struct buf link = {};
	struct trace_ids ids;
	int err;

	*ret = 0;
	if (trace_ids_parse(profile_get_string(o->profile, owner->trace_id),
			    profile_get_string(o->profile, owner->span_id), &ids))
		return 0;
	err = add_id(&link, OTLP_LINK_TRACE_ID, ids.high, ids.low, 16);
	err = err ?: add_id(&link, OTLP_LINK_SPAN_ID, 0, ids.span, 8);
	return err ?: otlp_dictionary_add(o->dictionary, OTLP_LINK, &link, ret);
}

static int add_attributes(struct otlp_owners *o, const struct profile_owner *owner)
{
	int err = 0;

	for (int i = 0; !err && i < LABEL_COUNT; i++)
		if (owner->label[i] && !names[i].of_process && !is_service_name(o, owner, i) &&
		    !is_in_link(i))
			err = add_attribute(o, i, owner->label[i]);
	return err ?: add_variables(o, owner);
}

int otlp_owners_get(struct otlp_owners *o, __u32 id, const struct otlp_owner **ret)
{
	const struct profile_owner *owner = profile_get_owner(o->profile, id);
	_cleanup_buf_ struct buf resource = {};
	struct otlp_owner known = { .is_known = 1, .start = o->indices.size };
	int err;

	*ret = &o->owners[id];
	if (o->owners[id].is_known)
		return 0;
	err = make_resource(o, owner, &resource);
	err = err ?: otlp_table_add(&o->resources, resource.data, resource.size, &known.resource);
	err = err ?: add_attributes(o, owner) ?: find_link(o, owner, &known.link);
	known.size = o->indices.size - known.start;
	if (!err)
		o->owners[id] = known;
	return err;
}

const char *otlp_owners_label(const char *attribute)
{
	for (int i = 0; i < LABEL_COUNT; i++)
		if (names[i].name && !strcmp(names[i].name, attribute))
			return label_rows[i].key;
	return attribute;
}
