#!/bin/sh
# oslo.config 10.7.0, mutate_config_files(): what a service of OpenStack does on SIGHUP.
# Guess: it reports the options whose value is another one now, to its caller, the hooks and the log; and if a value can't be parsed, it raises,
# and the old values stay.
# Seen: it compares files, not values. An option that the environment sets is reported as changed to a value that it has not; and a variable
# that changed is not. A value that can't be parsed is reported as the new one, and the reload succeeds; from then on each reading of the
# option raises, in whatever part of the running service reads it, until the file is right and mutated once more.
# Output seen:
#   start: colour=environment workers=2
#   colour and workers changed: reported colour=red->blue workers=2->3, now colour=environment workers=3
#   variable changed: reported nothing, now colour=variable workers=3
#   workers = many: reported workers=3->many, now colour=variable workers=ConfigFileValueError
#   workers = 4: reported workers=many->4, now colour=variable workers=4
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check oslo.config==10.7.0
cat > main.py <<'PY'
import os

from oslo_config import cfg

conf = cfg.ConfigOpts()
conf.register_opts([cfg.StrOpt("colour", mutable=True), cfg.IntOpt("workers", mutable=True)])


def write(colour, workers):
    with open("service.conf", "w") as file:
        file.write("[DEFAULT]\ncolour = %s\nworkers = %s\n" % (colour, workers))


def now():
    values = []
    for name in ["colour", "workers"]:
        try:
            values.append("%s=%s" % (name, conf[name]))
        except Exception as error:
            values.append("%s=%s" % (name, type(error).__name__))
    return " ".join(values)


def mutate(step):
    changed = conf.mutate_config_files()
    reported = ["%s=%s->%s" % (name, old, new) for (_group, name), (old, new) in sorted(changed.items(), key=str)]
    print("%s: reported %s, now %s" % (step, " ".join(reported) or "nothing", now()))


os.environ["OS_DEFAULT__COLOUR"] = "environment"
write("red", 2)
conf(["--config-file", "service.conf"])
print("start: " + now())
write("blue", 3)
mutate("colour and workers changed")
os.environ["OS_DEFAULT__COLOUR"] = "variable"
mutate("variable changed")
write("blue", "many")
mutate("workers = many")
write("blue", 4)
mutate("workers = 4")
PY
venv/bin/python main.py > out
cat out
cat > want <<'WANT'
start: colour=environment workers=2
colour and workers changed: reported colour=red->blue workers=2->3, now colour=environment workers=3
variable changed: reported nothing, now colour=variable workers=3
workers = many: reported workers=3->many, now colour=variable workers=ConfigFileValueError
workers = 4: reported workers=many->4, now colour=variable workers=4
WANT
cmp out want
