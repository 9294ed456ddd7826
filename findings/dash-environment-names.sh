#!/bin/sh
# dash 0.5.12 (/bin/sh of Debian 12 and 13 and Ubuntu 24.04), BusyBox 1.35, bash 5.2 (/bin/sh of Rocky 10), oslo.config 10.7.0; runs on Debian.
# The option rbd_user of the group [rbd-1], as kolla-ansible names Cinder's first Ceph backend, set by the environment: oslo.config's name for
# it is OS_RBD-1__RBD_USER, and Kubernetes accepts that as a variable of a container.
# Guess: a shell can't use such a variable, but passes it on to what it runs; so `sh -c "exec COMMAND"` changes nothing.
# Seen: dash and BusyBox remove it, bash passes it on. The same Pod with the same command has the option on Rocky, and the default on Debian
# and Ubuntu, without a message; the same command without a shell has it on all.
# Output seen:
#   no shell: rbd_user=cinder
#   dash: rbd_user=default
#   busybox: rbd_user=default
#   bash: rbd_user=cinder
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check oslo.config==10.7.0
apt-get download -qq dash bash busybox-static > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" shells; done
dpkg -f dash_*.deb Version | grep -q '^0\.5\.12'
dpkg -f bash_*.deb Version | grep -q '^5\.2'
cat > main.py <<'PY'
from oslo_config import cfg

conf = cfg.ConfigOpts()
conf.register_opts([cfg.StrOpt("rbd_user", default="default")], group="rbd-1")
conf([])
print("rbd_user=" + conf["rbd-1"].rbd_user)
PY
shell() { find "$dir/shells" -name "$1" -type f -perm -u+x; }
seen() {
  name=$1
  shift
  echo "$name: $(env 'OS_RBD-1__RBD_USER=cinder' "$@")"
}
program="exec $dir/venv/bin/python $dir/main.py"
{
  seen 'no shell' venv/bin/python main.py
  seen dash "$(shell dash)" -c "$program"
  seen busybox "$(shell busybox)" sh -c "$program"
  seen bash "$(shell bash)" -c "$program"
} > out
cat out
printf '%s\n' 'no shell: rbd_user=cinder' 'dash: rbd_user=default' 'busybox: rbd_user=default' 'bash: rbd_user=cinder' > want
cmp out want
