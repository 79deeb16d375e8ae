// SPDX-License-Identifier: GPL-2.0-only
#include "kubelet/pod_list.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct pod_list {
	struct json_tokener *tokener;
	struct json_object *document; /* once it is whole */
	size_t bytes, containers, values;
};

int pod_list_new(struct pod_list **ret)
{
	struct pod_list *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->tokener = json_tokener_new_ex(POD_LIST_DEPTH_MAX);
	if (!l->tokener) {
		free(l);
		return -ENOMEM;
	}
	json_tokener_set_flags(l->tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*ret = l;
	return 0;
}

void pod_list_free(struct pod_list *l)
{
	if (!l)
		return;
	json_object_put(l->document);
	json_tokener_free(l->tokener);
	free(l);
}

/* Each value but the first is behind a comma or begins a container. Those within strings count too. */
static bool is_too_much(struct pod_list *l, const char *data, size_t size)
{
	l->bytes += size;
	for (size_t i = 0; i < size; i++) {
		l->containers += data[i] == '{' || data[i] == '[';
		l->values += data[i] == ',';
	}
	return l->bytes > POD_LIST_BYTES_MAX || l->containers > POD_LIST_CONTAINERS_MAX ||
	       l->values > POD_LIST_VALUES_MAX;
}

static bool is_blank(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\r\n", data[i]))
			return false;
	return true;
}

int pod_list_add(struct pod_list *l, const char *data, size_t size)
{
	size_t used;

	if (memchr(data, '\0', size))
		return -EBADMSG;
	if (size > POD_LIST_BYTES_MAX || is_too_much(l, data, size))
		return -EFBIG;
	if (l->document)
		return is_blank(data, size) ? 0 : -EBADMSG;
	l->document = json_tokener_parse_ex(l->tokener, data, (int)size);
	switch (json_tokener_get_error(l->tokener)) {
	case json_tokener_continue:
		return 0;
	case json_tokener_success:
		used = json_tokener_get_parse_end(l->tokener);
		return l->document && is_blank(data + used, size - used) ? 0 : -EBADMSG;
	case json_tokener_error_depth:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}

/* The member of this name, if it is of that type; else NULL. It is NULL as well for what is no object. */
static struct json_object *get(struct json_object *o, const char *name, enum json_type type)
{
	struct json_object *member;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, name, &member))
		return NULL;
	return json_object_is_type(member, type) ? member : NULL;
}

/* One without a NUL in it; else "". */
static const char *get_text(struct json_object *o, const char *name)
{
	struct json_object *text = get(o, name, json_type_string);
	const char *s = text ? json_object_get_string(text) : NULL;

	return s && strlen(s) == (size_t)json_object_get_string_len(text) ? s : "";
}

static bool read_pod(struct json_object *pod, const struct pod_label_names *names, struct pod_entry *ret)
{
	struct json_object *metadata = get(pod, "metadata", json_type_object);
	struct json_object *labels = get(metadata, "labels", json_type_object);
	const char *uid = get_text(metadata, "uid");

	if (!cgroup_is_pod_uid(uid))
		return false;
	*ret = (struct pod_entry){};
	strcpy(ret->uid, uid);
	for (size_t i = 0; i < names->count; i++) {
		const char *value = get_text(labels, names->name[i]);

		if (pod_label_is_value(value))
			strcpy(ret->value[i], value);
	}
	return true;
}

int pod_list_take(const struct pod_list *l, const struct pod_label_names *names, struct pod_entry **ret,
		  size_t *ret_count)
{
	struct json_object *items;
	struct pod_entry *entries;
	size_t count = 0, length;

	if (!json_object_is_type(l->document, json_type_object) ||
	    !json_object_object_get_ex(l->document, "items", &items) ||
	    (items && !json_object_is_type(items, json_type_array))) /* a node without pods has null */
		return -EBADMSG;
	length = items ? json_object_array_length(items) : 0;
	if (length > PODS_KNOWN_MAX)
		length = PODS_KNOWN_MAX;
	entries = calloc(length + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < length; i++)
		count += read_pod(json_object_array_get_idx(items, i), names, &entries[count]);
	*ret = entries;
	*ret_count = count;
	return 0;
}
