/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_wire.h - the numbers of pprof's format that are written and read
 * (github.com/google/pprof/blob/main/proto/profile.proto). A text is its index in the table of strings, of
 * which the first is "".
 */
#ifndef PYPERF_FORMATS_PPROF_WIRE_H
#define PYPERF_FORMATS_PPROF_WIRE_H

/* Of a Profile. */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1, /* ValueType: one for each of a sample's values */
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME = 9, /* start, Unix ns */
	PPROF_DURATION = 10,
	PPROF_PERIOD_TYPE = 11, /* ValueType */
	PPROF_PERIOD = 12,	/* of one sample */
	PPROF_COMMENT = 13,	/* texts, packed */
	PPROF_DEFAULT_TYPE = 14, /* text: the type of the sample type to show first */
};

enum { PPROF_TYPE_TYPE = 1, PPROF_TYPE_UNIT = 2 };

/* Locations, packed, leaf first; packed values; Label. */
enum { PPROF_SAMPLE_LOCATIONS = 1, PPROF_SAMPLE_VALUES = 2, PPROF_SAMPLE_LABEL = 3 };

/* Either a text or a number, and that one's unit. */
enum { PPROF_LABEL_KEY = 1, PPROF_LABEL_TEXT = 2, PPROF_LABEL_NUMBER = 3, PPROF_LABEL_UNIT = 4 };

enum {
	PPROF_MAPPING_ID = 1, /* not 0 */
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILES = 8,
	PPROF_MAPPING_HAS_LINES = 9,
	PPROF_MAPPING_HAS_INLINED = 10,
};

enum {
	PPROF_LOCATION_ID = 1,	    /* not 0 */
	PPROF_LOCATION_MAPPING = 2, /* 0 = none */
	PPROF_LOCATION_ADDRESS = 3, /* in that mapping; 0 = none */
	PPROF_LOCATION_LINE = 4,
};

/* A line and a column of 0 are not known. */
enum { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2, PPROF_LINE_COLUMN = 3 };

enum {
	PPROF_FUNCTION_ID = 1, /* not 0 */
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3, /* is read where there is no other; not written */
	PPROF_FUNCTION_FILE = 4,
	PPROF_FUNCTION_LINE = 5,
};

#endif
