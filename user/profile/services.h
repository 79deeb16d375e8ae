/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * services.h - what the owner of samples is called as a service: where that name comes from is services.def,
 * and which comes first is the user's choice (--service-from).
 */
#ifndef PYPERF_PROFILE_SERVICES_H
#define PYPERF_PROFILE_SERVICES_H

#include <stdbool.h>
#include <linux/types.h>

struct profile;
struct profile_owner;

enum service_source {
#define SERVICE_SOURCE(name, key, is_default, help) SERVICE_FROM_##name,
#include "profile/services.def"
#undef SERVICE_SOURCE
	SERVICE_SOURCES
};

/* All 0 = the order of services.def. */
struct service_order {
	__u8 count;
	__u8 source[SERVICE_SOURCES]; /* enum service_source */
};

/* "context,comm": 0; -EINVAL for an unknown source, the same one twice, or none. */
int service_order_parse(const char *text, struct service_order *ret);
/* Whether this source is looked at. */
bool service_order_has(const struct service_order *o, enum service_source source);

/* The first name that is there, or "unknown"; never "". It belongs to the profile. */
const char *service_name(const struct profile *p, const struct profile_owner *o);

#endif
