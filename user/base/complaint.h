/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complaint.h - trouble that lasts is said once, not each second, and again when it is over.
 */
#ifndef PYPERF_BASE_COMPLAINT_H
#define PYPERF_BASE_COMPLAINT_H

#include <stdbool.h>

/* One kind of trouble. All zero: there is none. */
struct complaint {
	bool stands; /* it has been said, and is not over yet */
};

/* There is trouble: a warning, unless this one stands already. */
void complain(struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* There is none: if one stood, it stands no more, and what is given here is said; NULL says nothing. */
void complaint_over(struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
