// SPDX-License-Identifier: GPL-2.0-only
/* thread_context.c - the thread-local variable of OTEP 4947, for thread_context.py. */

/* So many bytes of such variables find no room beside those of the program itself. */
#ifdef ROOM
__thread char otel_test_room[ROOM];
#endif

__thread void *otel_thread_ctx_v1;

void *volatile *variable(void);

/* Where this thread has it. */
void *volatile *variable(void)
{
	return (void *volatile *)&otel_thread_ctx_v1;
}
