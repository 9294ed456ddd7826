#!/bin/sh
# crudini 0.9.6, which scripts in images edit configuration files with, and oslo.config 10.7.0, which reads them: an option that may occur
# several times, as device_spec of Nova's [pci].
# Guess: --set replaces all its lines by one, and --merge those of the one file by those of the other.
# Seen: both write over the last line and leave those before it, so that the service has old values among the new. --merge takes the last of the
# other file alone, and the rest of them is nowhere. --get shows the last one, so that reading back what was set confirms it. --del removes all:
# it has to be run before.
# Output seen:
#   before: oslo.config ['a', 'b'], crudini --get b
#   --set c: oslo.config ['a', 'c'], crudini --get c
#   --merge x and y: oslo.config ['a', 'y'], crudini --get y
#   --del, --set c: oslo.config ['c'], crudini --get c
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check crudini==0.9.6 oslo.config==10.7.0
cat > main.py <<'PY'
from oslo_config import cfg

conf = cfg.ConfigOpts()
conf.register_opts([cfg.MultiStrOpt("device_spec")], group="pci")
conf(["--config-file", "nova.conf"])
print(conf.pci.device_spec)
PY
original() { printf '[pci]\ndevice_spec = a\ndevice_spec = b\n' > nova.conf; }
crudini() { venv/bin/crudini "$@"; }
seen() { echo "$1: oslo.config $(venv/bin/python main.py), crudini --get $(crudini --get nova.conf pci device_spec)"; }
{
  original
  seen before
  crudini --set nova.conf pci device_spec c
  seen '--set c'
  original
  printf '[pci]\ndevice_spec = x\ndevice_spec = y\n' | crudini --merge nova.conf
  seen '--merge x and y'
  original
  crudini --del nova.conf pci device_spec
  crudini --set nova.conf pci device_spec c
  seen '--del, --set c'
} > out
cat out
cat > want <<'WANT'
before: oslo.config ['a', 'b'], crudini --get b
--set c: oslo.config ['a', 'c'], crudini --get c
--merge x and y: oslo.config ['a', 'y'], crudini --get y
--del, --set c: oslo.config ['c'], crudini --get c
WANT
cmp out want
