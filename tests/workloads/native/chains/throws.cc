// SPDX-License-Identifier: GPL-2.0-only
/* Exceptions of C++: destructors run while they pass by. */
#include "chains.h"

namespace
{
struct Guard {
	uint64_t n;

	explicit Guard(uint64_t time) : n(time)
	{
	}

	ALONE ~Guard()
	{
		n = spin(n);
	}
};
}

extern "C" FUNCTION throws(uint64_t n)
{
	if (n)
		throw 1;
	return n;
}

extern "C" FUNCTION passes(uint64_t n)
{
	Guard guard(n);

	return throws(n);
}

/* In a destructor, while the exception passes by. */
extern "C" FUNCTION destructor(uint64_t n)
{
	try {
		return passes(n);
	} catch (int thrown) {
		return thrown;
	}
}

/* Where it was caught. */
extern "C" FUNCTION handler(uint64_t n)
{
	try {
		return throws(n);
	} catch (int thrown) {
		return spin(n) + thrown;
	}
}
