# SPDX-License-Identifier: GPL-2.0-only
"""Two tasks, one with a class of its own; run as a program, who sends them. The broker is a folder."""
import os
import sys
import time

from burning import burn
from celery import Celery, Task

FOLDER = os.environ["QUEUE"]
app = Celery("celery_app", broker="filesystem://")
TASKS = FOLDER + "/tasks"
app.conf.broker_transport_options = {"data_folder_in": TASKS, "data_folder_out": TASKS,
                                     "control_folder": FOLDER + "/control"}
app.conf.task_ignore_result = True


def leaf_resize():
    burn(5)


def leaf_mail():
    burn(2)


class Counted(Task):
    def __call__(self, *arguments, **named):
        return self.run(*arguments, **named)


@app.task
def resize(number):
    leaf_resize()


@app.task(base=Counted)
def mail(number):
    leaf_mail()


if __name__ == "__main__":
    for number in range(10**9):
        while len(os.listdir(TASKS)) > 20:
            time.sleep(0.005)
        (mail if number % 2 else resize).delay(number)
        if number == 20:
            print("{}", flush=True)
            sys.stdout = None
