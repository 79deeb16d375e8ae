/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.h - a profile as folded stacks, the text that flame-graph tools and speedscope read:
 *
 *   python3 (pid 12);MainThread (tid 12);<module> (app.py:3);work (app.py:9) 42
 *
 * One line for each stack: the frames, root first, then the number of samples. The second frame names the
 * thread when profiles are kept by thread. Bytes that would break a line or a frame are replaced, as
 * buf_add_shown() says.
 */
#ifndef PYPERF_FORMATS_FOLDED_H
#define PYPERF_FORMATS_FOLDED_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Appends to out, sorted by the text of process, thread, then frames. Stacks of equal text are one line. 0,
 * or -ENOMEM, and then out is unchanged.
 */
int folded_encode(const struct profile *p, struct buf *out);

/*
 * The same as `py-spy record --format raw --full-filenames` writes it, which editors read: files by their
 * whole paths, and first a frame such as
 *
 *   process 12:"python3"
 */
int pyspy_encode(const struct profile *p, struct buf *out);

#endif
