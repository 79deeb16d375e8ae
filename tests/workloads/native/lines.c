/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.c - functions that the compiler puts into others. A line that a sample may be in has a comment with
 * its name, by which the test finds its number (tests/e2e/native/test_native_lines.py).
 */
unsigned int lines_entry(unsigned int turns);

static inline __attribute__((always_inline)) unsigned int innermost(unsigned int x)
{
	for (int i = 0; i < 1000; i++)	    /* @innermost */
		x = x * 1103515245 + 12345; /* @innermost */
	return x;			    /* @innermost */
}

static inline __attribute__((always_inline)) unsigned int middle(unsigned int x)
{
	for (int i = 0; i < 20; i++)   /* @middle */
		x ^= innermost(x + i); /* @middle @calls_innermost */
	return x;		       /* @middle */
}

static __attribute__((noinline)) unsigned int by_itself(unsigned int x)
{
	x += 7;			 /* @by_itself */
	return middle(x) ^ 0x55; /* @by_itself @calls_middle */
}

unsigned int lines_entry(unsigned int turns)
{
	unsigned int x = 1;

	while (turns--)		   /* @lines_entry */
		x ^= by_itself(x); /* @lines_entry @calls_by_itself */
	return x;
}
