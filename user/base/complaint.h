/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complaint.h - trouble that lasts is reported once, not each second, and once more when it is over.
 */
#ifndef PYPERF_BASE_COMPLAINT_H
#define PYPERF_BASE_COMPLAINT_H

#include <stdbool.h>

/* One kind of trouble. All zero: there is none. */
struct complaint {
	bool stands; /* it has been reported, and is not over yet */
};

/* There is trouble. It is logged as a warning, unless this complaint stands already. */
void complain(struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * There is no trouble. If the complaint stood, it ends, and the text given here is logged; NULL logs nothing.
 */
void complaint_over(struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
