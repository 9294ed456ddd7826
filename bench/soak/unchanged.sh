#!/usr/bin/env bash
# unchanged.sh COMMAND...: runs it, and reports whether processes, mounts, network namespaces, cgroups and temporary
# directories are the same as before. Exits with the command's code, or with 1 if something is left over.
set -u

look() {
  echo 'processes'
  ps -eo comm= | grep -E '^(mariadbd|uwsgi|java|etcd|kube|containerd|runc|testbox|kolla|pause)' | sort | uniq -c
  echo 'mounts'
  sort /proc/self/mounts
  echo 'network namespaces'
  lsns --type net --noheadings --output NS
  echo 'cgroups'
  find /sys/fs/cgroup -maxdepth 2 -type d | sort
  echo 'temporary directories'
  find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'k[pt]-*' | sort
}

before=$(look | sort)
"$@"
code=$?
# Resources that disappeared meanwhile are not leftovers.
left=$(comm -13 <(echo "$before") <(look | sort))
if [ -z "$left" ]; then
  echo 'nothing is left behind: before and after are equal'
else
  printf 'left behind:\n%s\n' "$left"
  [ "$code" != 0 ] || code=1
fi
exit "$code"
