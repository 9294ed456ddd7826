#!/bin/sh
# oslo.service 4.8.0 with cotyledon 2.2.0, what services without eventlet run on; service.launch(..., restart_method='mutate') and SIGHUP.
# Guess: with 'mutate' the worker reads the mutable options anew, its reset() is called, and it stays, as it does with the eventlet backend; with
# 'reload' it is replaced.
# Seen: both replace it. The worker is stopped and another is started with a new process id, reset() is never called, and the parent stays: a
# reload closes the worker's connections and loses what it has in memory, also for an option that is marked as mutable.
# Output seen:
#   mutate: started by SIGHUP: another worker; reset() called: no; parent: the same
#   reload: started by SIGHUP: another worker; reset() called: no; parent: the same
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'oslo.service[threading]==4.8.0' cotyledon==2.2.0 oslo.config==10.7.0
touch service.conf
cat > service.py <<'PY'
import os
import sys
import threading

from oslo_config import cfg
from oslo_service import backend

backend.init_backend(backend.BackendType.THREADING)
from oslo_service import service  # noqa: E402


def say(event):
    os.write(1, ("%s %d\n" % (event, os.getpid())).encode())


class Service(service.ServiceBase):
    def __init__(self):
        self.stopped = threading.Event()

    def start(self):
        say("start")

    def stop(self):
        self.stopped.set()

    def wait(self):
        self.stopped.wait()

    def reset(self):
        say("reset")


if __name__ == "__main__":
    conf = cfg.ConfigOpts()
    conf(["--config-file", "service.conf"])
    service.launch(conf, Service(), workers=1, restart_method=sys.argv[1]).wait()
PY
cat > main.py <<'PY'
import signal
import subprocess
import sys

for method in ["mutate", "reload"]:
    with subprocess.Popen([sys.executable, "service.py", method], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        first = parent.stdout.readline().split()
        parent.send_signal(signal.SIGHUP)
        events = [parent.stdout.readline().split()]
        # reset() and start() come in either order, if at all; the end of the output proves that there is no other.
        same = parent.poll() is None
        parent.terminate()
        events += [line.split() for line in parent.stdout]
        started = [pid for event, pid in events if event == b"start"]
        print("%s: started by SIGHUP: %s; reset() called: %s; parent: %s" % (
            method,
            "another worker" if started and started != [first[1]] else "none",
            "yes" if any(event == b"reset" for event, _pid in events) else "no",
            "the same" if same else "ended",
        ))
PY
timeout 300 venv/bin/python main.py > out
cat out
cat > want <<'WANT'
mutate: started by SIGHUP: another worker; reset() called: no; parent: the same
reload: started by SIGHUP: another worker; reset() called: no; parent: the same
WANT
cmp out want
