# SPDX-License-Identifier: GPL-2.0-only
"""Work in which everything has its number: the function and its file, the task, the context variable, the
thread, what the process publishes. Usage, each of which prints {} when it begins and another {} at the end:

    numbered.py work NUMBER SECONDS           once; it prints nothing
    numbered.py pid ROUNDS SECONDS            processes one after the other, all with the same pid
    numbered.py exec ROUNDS SECONDS SHORT     one process that executes itself; one of eight times lasts
                                              SECONDS, the others SHORT
    numbered.py fork ROUNDS SECONDS           a process that has a number and burns, as do all those that it
                                              forks, under numbers of their own, and then execute
    numbered.py threads ROUNDS SECONDS        threads one after the other, all with the same number if nobody
                                              else has it; code objects and contexts are where others were
    numbered.py many COUNT SECONDS            as many threads at a time; each works for that long
"""
import asyncio
import contextvars
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]
import publish  # noqa: E402
import same_pid  # noqa: E402

request = contextvars.ContextVar("request")
# What Flask calls a view from, as its file is called (user/endpoint/rules.def).
scope = {}
exec(compile("class Flask:\n    def dispatch_request(self, view, end):\n        view(end)\n",
             "/numbered/flask/app.py", "exec"), scope)


def make(number):
    own = {"clock": time.thread_time}
    exec(compile("def burn_%d(end):\n    while clock() < end:\n        pass\n" % number,
                 "/numbered/%d.py" % number, "exec"), own)
    return own["burn_%d" % number]


async def work_in_task(number, seconds):
    asyncio.current_task().set_name("task-%d" % number)
    request.set("request-%d" % number)
    scope["Flask"]().dispatch_request(make(number), time.thread_time() + seconds)


def work(number, seconds):
    loop = asyncio.new_event_loop()
    loop.run_until_complete(loop.create_task(work_in_task(number, seconds)))
    loop.close()


def tell(number):
    """It stays until the process ends or executes something."""
    context = publish.Context()
    context.publish(publish.message(*("%s-%d" % (what, number) for what in ("service", "instance", "env"))))
    return context


def command(*words):
    return [sys.executable, "-S", __file__, *map(str, words)]


def pid(rounds, seconds):
    taken = subprocess.Popen(["true"])
    taken.wait()
    for number in range(rounds):
        same_pid.run_as(taken.pid, command("work", number, seconds))


def exec_(rounds, seconds, short, number=0):
    tell(number)
    work(number, seconds if number % 8 == 0 else short)
    if number + 1 < rounds:
        os.execv(sys.executable, command("exec", rounds, seconds, short, number + 1))


def fork(rounds, seconds):
    tell(rounds)
    for number in range(0, rounds, 2):
        child = os.fork()
        if not child:
            work(number, seconds)
            os.execv(sys.executable, command("work", number + 1, seconds))
        work(rounds, seconds)
        os.waitpid(child, 0)


def threads(rounds, seconds):
    last = pathlib.Path("/proc/sys/kernel/ns_last_pid")
    wanted = None
    for number in range(rounds):
        if wanted and os.geteuid() == 0:
            last.write_text(str(wanted - 1))
        one = threading.Thread(target=work, args=(number, seconds), name="thread-%d" % number)
        one.start()
        wanted = wanted or one.native_id
        one.join()


def many(count, seconds):
    threading.stack_size(256 << 10)
    ready = threading.Barrier(count)

    def one(number):
        ready.wait()
        work(number, seconds)
    started = [threading.Thread(target=one, args=(number,), name="thread-%d" % number)
               for number in range(count)]
    for each in started:
        each.start()
    for each in started:
        each.join()


def main():
    kind, *rest = sys.argv[1:]
    numbers = [float(word) if "." in word else int(word) for word in rest]
    if kind == "work":
        mine = tell(numbers[0])
        work(*numbers)
        mine.drop()
        return
    if kind != "exec" or len(numbers) == 3:
        print(json.dumps({"pid": os.getpid()}), flush=True)
    {"pid": pid, "exec": exec_, "fork": fork, "threads": threads, "many": many}[kind](*numbers)
    print(json.dumps({}), flush=True)


if __name__ == "__main__":
    main()
