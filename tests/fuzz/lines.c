// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines.c - line tables of every format. An index of the table answers as the decoder does that reads it from
 * its start, for any instruction.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "python/line_index.h"

const char *const fuzz_corpus = "lines";

static void check_answer(int result, const struct line_position *p)
{
	FUZZ_CHECK(!result || result == -ENOENT || result == -EBADMSG);
	FUZZ_CHECK(result || (p->line >= 0 && p->column >= 0));
}

/* format, first line, instruction, table */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct line_position direct = { 0 }, indexed = { 0 };
	struct line_index *index = NULL;
	int32_t first_line;
	uint32_t format, instr;
	uint8_t *table;
	int result;

	if (size < 9)
		return 0;
	format = data[0] % 6; /* two of them are none */
	memcpy(&first_line, data + 1, 4);
	memcpy(&instr, data + 5, 4);
	size -= 9;
	table = malloc(size ? size : 1);
	FUZZ_CHECK(table);
	memcpy(table, data + 9, size);
	if (!linetable_for_format(format)) {
		FUZZ_CHECK(line_index_new(format, table, size, first_line, &index) == -EINVAL);
		free(table);
		return 0;
	}
	FUZZ_CHECK(!line_index_new(format, table, size, first_line, &index));
	for (uint32_t i = 0; i < 66; i++) {
		uint32_t near = instr % (2 * size + 2);
		uint32_t at = i < 64 ? i * (uint32_t)(size / 64 + 1) : i == 64 ? instr : near;

		result = linetable_for_format(format)(table, size, first_line, at, &direct);
		check_answer(result, &direct);
		FUZZ_CHECK(line_index_line(index, table, size, at, &indexed) == result);
		FUZZ_CHECK(result || !memcmp(&direct, &indexed, sizeof(direct)));
	}
	free(index);
	free(table);
	return 0;
}
