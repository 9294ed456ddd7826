"""Runs Kolla's set_configs.py many times: each line on stdin is a JSON object {root, argv, env}; the script runs in a
separate child, in that root; one line of JSON with the exit code and stderr is printed to stdout. All of Python's modules
are imported beforehand, because the root has no Python. With `sorted`, directories are read in name order: the reference
uses the file system's order, in which two roots may differ."""

import argparse, encodings.idna, glob, grp, json, linecache, locale, logging, os, pwd, re, shutil, stat, sys
import tempfile, tokenize, traceback, yaml

with open(sys.argv[1]) as file:
    code = compile(file.read(), "set_configs.py", "exec")
pwd.getpwnam("root")


class Sorted:
    """os.scandir by name."""

    def __init__(self, entries):
        with entries:
            self.entries = iter(sorted(entries, key=lambda entry: os.fsencode(entry.name)))

    def __iter__(self):
        return self.entries

    def __next__(self):
        return next(self.entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def close(self):
        pass


def sort_directories():
    listdir, scandir = os.listdir, os.scandir
    os.listdir = lambda path=".": sorted(listdir(path), key=os.fsencode)
    os.scandir = lambda path=".": Sorted(scandir(path))


def child(case, out):
    if case.get("sorted"):
        sort_directories()
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8")
    os.chroot(case["root"])
    os.chdir("/")
    os.umask(0o022)
    os.environ.clear()
    os.environ.update(case["env"])
    sys.argv = ["kolla_set_configs", *case["argv"]]
    result = 0
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as error:
        result = error.code or 0
    except BaseException:
        traceback.print_exc()
        result = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(result)


for line in sys.stdin:
    case = json.loads(line)
    with open(os.memfd_create("output"), "w+b") as out:
        pid = os.fork()
        if pid == 0:
            child(case, out.fileno())
        _, status = os.waitpid(pid, 0)
        out.seek(0)
        said = out.read().decode("utf-8", "replace")
    print(json.dumps({"code": os.waitstatus_to_exitcode(status), "stderr": said}), flush=True)
