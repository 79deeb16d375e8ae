/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_wire.h - profiles of OpenTelemetry's protocol (OTLP) as they are on the wire: the numbers of the
 * fields that are written and read, which are those of opentelemetry-proto's profiles.proto, common.proto and
 * resource.proto. Profiles are in development there: numbers have changed before, and readers of another
 * version take a field for another one. All that a new version changes is here, and what it changes besides
 * is looked for where OTLP_WIRE_VERSION is.
 */
#ifndef PYPERF_FORMATS_OTLP_WIRE_H
#define PYPERF_FORMATS_OTLP_WIRE_H

#define OTLP_WIRE_VERSION "1.11" /* of opentelemetry-proto */
#define OTLP_WIRE_PATH	  "/v1development/profiles"

/* ExportProfilesServiceRequest, and ProfilesData, which is the same. */
enum { OTLP_DATA_RESOURCE_PROFILES = 1, OTLP_DATA_DICTIONARY = 2 };

/* ProfilesDictionary: the tables, of which element 0 stands for "none". */
enum otlp_kind {
	OTLP_MAPPING = 1,
	OTLP_LOCATION,
	OTLP_FUNCTION,
	OTLP_LINK,
	OTLP_STRING,
	OTLP_ATTRIBUTE,
	OTLP_STACK,
	OTLP_KINDS,
};

enum { OTLP_RESOURCE_PROFILES_RESOURCE = 1, OTLP_RESOURCE_PROFILES_SCOPE_PROFILES = 2 };
enum { OTLP_RESOURCE_ATTRIBUTES = 1 };
enum { OTLP_SCOPE_PROFILES_SCOPE = 1, OTLP_SCOPE_PROFILES_PROFILES = 2 };
enum { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION = 2 };
enum {
	OTLP_PROFILE_SAMPLE_TYPE = 1,
	OTLP_PROFILE_SAMPLES = 2,
	OTLP_PROFILE_TIME_UNIX_NANO = 3,
	OTLP_PROFILE_DURATION_NANO = 4,
	OTLP_PROFILE_PERIOD_TYPE = 5,
	OTLP_PROFILE_PERIOD = 6,
	OTLP_PROFILE_ATTRIBUTE_INDICES = 11,
};
enum { OTLP_VALUE_TYPE_TYPE = 1, OTLP_VALUE_TYPE_UNIT = 2 };
enum {
	OTLP_SAMPLE_STACK_INDEX = 1,
	OTLP_SAMPLE_ATTRIBUTE_INDICES = 2,
	OTLP_SAMPLE_LINK_INDEX = 3,
	OTLP_SAMPLE_VALUES = 4,
	OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO = 5,
};
enum { OTLP_LINK_TRACE_ID = 1, OTLP_LINK_SPAN_ID = 2 };
enum { OTLP_STACK_LOCATION_INDICES = 1 };
enum {
	OTLP_LOCATION_MAPPING_INDEX = 1,
	OTLP_LOCATION_ADDRESS = 2,
	OTLP_LOCATION_LINES = 3,
	OTLP_LOCATION_ATTRIBUTE_INDICES = 4,
};
enum { OTLP_LINE_FUNCTION_INDEX = 1, OTLP_LINE_LINE = 2, OTLP_LINE_COLUMN = 3 };
enum { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_FILENAME = 3, OTLP_FUNCTION_START_LINE = 4 };
enum {
	OTLP_MAPPING_MEMORY_START = 1,
	OTLP_MAPPING_MEMORY_LIMIT = 2,
	OTLP_MAPPING_FILENAME = 4,
	OTLP_MAPPING_ATTRIBUTE_INDICES = 5,
};
enum { OTLP_ATTRIBUTE_KEY = 1, OTLP_ATTRIBUTE_VALUE = 2 }; /* KeyValueAndUnit */
enum { OTLP_KEY_VALUE_KEY = 1, OTLP_KEY_VALUE_VALUE = 2 };
enum { OTLP_ANY_STRING = 1, OTLP_ANY_INT = 3, OTLP_ANY_ARRAY = 5 };
enum { OTLP_ARRAY_VALUES = 1 };

/* What is answered: ExportProfilesServiceResponse, or google.rpc.Status. */
enum { OTLP_ANSWER_PARTIAL_SUCCESS = 1 };
enum { OTLP_PARTIAL_REJECTED_PROFILES = 1, OTLP_PARTIAL_ERROR_MESSAGE = 2 };
enum { OTLP_STATUS_MESSAGE = 2 };

#endif
