/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent.h - all that one run of the profiler consists of. Only the files of run/ see it whole.
 */
#ifndef PYPERF_RUN_AGENT_H
#define PYPERF_RUN_AGENT_H

#include <stdbool.h>

#include "base/complaint.h"
#include "base/loop.h"
#include "export/log_file.h"
#include "guard/worker.h"
#include "names/codes.h"
#include "names/kernel_names.h"
#include "names/natives.h"
#include "names/routes.h"
#include "remote_polls/called_targets.h"
#include "remote_polls/looks.h"
#include "remote_polls/published.h"
#include "remote_polls/route_targets.h"
#include "run/ask_kubelet.h"
#include "run/command.h"
#include "run/notify.h"
#include "run/rates.h"
#include "run/reload.h"
#include "run/serve.h"
#include "run/settings.h"
#include "run/targets_end.h"
#include "stats/no_room.h"
#include "stats/progress.h"
#include "stats/rate.h"
#include "stats/run_facts.h"
#include "symbols/symbols.h"
#include "targets/discover.h"
#include "top/live.h"
#include "tree/generation.h"
#include "tree/journal.h"

struct agent {
	struct options *options;
	struct kernel_options kernel_options;
	struct selection selection;
	struct loop loop;
	struct command command;
	struct targets_end targets_end;
	struct worker *worker;
	struct kernel *kernel;
	struct codes *codes;
	struct natives *natives;
	struct kernel_names *kernel_names; /* NULL: they are not wanted, or not shown to us */
	struct registry *registry;
	struct rules *endpoint_rules; /* NULL without --by endpoint */
	struct discover *discover;
	struct symbols *symbols;
	struct looks *looks;
	struct routes *routes; /* NULL without --trace, as ... */
	struct route_targets *route_targets;
	struct called *called; /* what programs call their threads */
	struct called_targets *called_targets;
	struct published *published; /* NULL: nobody wants what processes say of themselves */
	struct ask_kubelet ask_kubelet;
	struct windows windows;
	struct window *window; /* of the whole run; NULL if nothing is made of it */
	struct continuous *continuous;
	struct generation generation;
	struct journal *journal;  /* NULL without --log */
	struct log_file log_file; /* all 0 without --log-file */
	struct notify notify;
	struct http *http; /* NULL without --listen */
	struct live *live; /* NULL without top */
	struct run_facts facts;
	struct progress progress;
	struct rate rate;
	struct rates_so_far rates;
	struct config_stamp config; /* with --watch-config */
	struct no_room no_room;
	struct complaint cpus; /* that came or went cannot be followed */
	bool stop;	       /* the run is to end */
	bool hasty;	       /* ... since a signal said so, */
	double ends_since; /* at this clock_seconds(), and COMMAND's own end is waited for; 0 = none has */
	bool wait_said;	   /* the user knows that it is */
	double terminated; /* clock_seconds() of the first SIGTERM; 0 = none */
	bool worker_lost;  /* ... since there can be no worker any more */
	int exit_code;
};

#endif
