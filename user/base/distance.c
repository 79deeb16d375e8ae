// SPDX-License-Identifier: GPL-2.0-only
#include "base/distance.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The next row of the table of distances between the beginnings of a and b. Returns its least one. */
static size_t fill_row(size_t *row, const size_t *last, const size_t *before, const char *a, const char *b,
		       size_t i)
{
	size_t best = row[0] = i;

	for (size_t j = 1; b[j - 1]; j++) {
		row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			row[j] = least(row[j], before[j - 2] + 1);
		best = least(best, row[j]);
	}
	return best;
}

size_t distance(const char *a, const char *b, size_t limit)
{
	const size_t n = strlen(a), k = strlen(b);
	size_t rows[3][DISTANCE_WORD_MAX + 1], best = 0;

	if (n > DISTANCE_WORD_MAX || k > DISTANCE_WORD_MAX || n > k + limit || k > n + limit)
		return limit + 1;
	for (size_t j = 0; j <= k; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		const size_t last = best;

		best = fill_row(rows[i % 3], rows[(i - 1) % 3], rows[(i + 1) % 3], a, b, i);
		if (best > limit && last > limit) /* an exchange looks two rows back */
			return limit + 1;
	}
	return least(rows[n % 3][k], limit + 1);
}

/* One more than how far a name may be. */
size_t distance_begin(const char *word)
{
	const size_t length = strlen(word);

	return 1 + (length < 3 ? 0 : length < 6 ? 1 : length / 3);
}

bool distance_is_nearer(const char *word, const char *name, size_t *left)
{
	const size_t far = *left ? distance(word, name, *left - 1) : 0;

	if (far >= *left)
		return false;
	*left = far;
	return true;
}
