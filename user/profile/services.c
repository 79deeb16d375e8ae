// SPDX-License-Identifier: GPL-2.0-only
#include "profile/services.h"

#include <errno.h>
#include <string.h>

#include "profile/profile.h"

static const struct {
	const char *key;
	bool is_default;
} rows[SERVICE_SOURCES] = {
#define SERVICE_SOURCE(name, key, is_default, help) { key, is_default },
#include "profile/services.def"
#undef SERVICE_SOURCE
};

static int find_service(const char *key, size_t length)
{
	int i = 0;

	while (i < SERVICE_SOURCES && (strlen(rows[i].key) != length || memcmp(rows[i].key, key, length)))
		i++;
	return i;
}

bool service_order_has(const struct service_order *o, enum service_source source)
{
	if (!o->count)
		return rows[source].is_default;
	return memchr(o->source, source, o->count);
}

int service_order_parse(const char *text, struct service_order *ret)
{
	struct service_order order = {};

	for (;;) {
		const size_t length = strcspn(text, ",");
		const int source = find_service(text, length);

		if (source == SERVICE_SOURCES || memchr(order.source, source, order.count))
			return -EINVAL;
		order.source[order.count++] = source;
		if (!text[length])
			break;
		text += length + 1;
	}
	*ret = order;
	return 0;
}

/* The id of a string; 0 = it has no such name. */
static __u32 service_from(const struct profile *p, const struct profile_owner *o, enum service_source source)
{
	const struct profile_info *info = profile_get_info(p);

	switch (source) {
	case SERVICE_FROM_CONTEXT:
		return o->service;
	case SERVICE_FROM_LABEL:
		for (__u32 i = 0; i < info->extra_in_series; i++)
			if (o->extra[i])
				return o->extra[i];
		return 0;
	case SERVICE_FROM_POD:
		return o->container ?: o->pod;
	case SERVICE_FROM_COMM:
		return o->comm;
	case SERVICE_SOURCES:
		break;
	}
	return 0;
}

const char *service_name(const struct profile *p, const struct profile_owner *o)
{
	const struct service_order *order = &profile_get_info(p)->services;
	const int n = order->count ?: SERVICE_SOURCES;
	__u32 name = 0;

	for (int i = 0; !name && i < n; i++)
		if (order->count || rows[i].is_default)
			name = service_from(p, o, order->count ? order->source[i] : i);
	return name ? profile_get_string(p, name) : "unknown";
}
