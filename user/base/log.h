/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log.h - one line per message on stderr. Who decides what an error means for the run says it: main.c and the
 * folders run, export, report, tree and targets; kern only passes on what libbpf prints. All others return
 * errors, so that nothing is said twice. What may not be shown in foreign strings (buf_is_shown) becomes
 * '?': a process cannot forge lines.
 */
#ifndef PYPERF_BASE_LOG_H
#define PYPERF_BASE_LOG_H

#include <stdarg.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Appends the newline. A message longer than 1 KiB is cut. */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_vwrite(enum log_level level, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Says that something went wrong when err is not 0, which is an errno below 0. Returns err. */
int log_failure(int err, const char *what);

/* At the end of the line of a start that fails for something that `pyperf-bpf doctor` looks at. */
#define ASK_DOCTOR "; pyperf-bpf doctor says more"

/* As log_failure(), with that. */
int log_lack(int err, const char *what);

#define log_error(...)	 log_write(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_DEBUG, __VA_ARGS__)

#endif
