#!/usr/bin/env bash
# unchanged.sh COMMAND...: runs it, and says whether processes, mounts, network namespaces, cgroups and temporary
# directories are afterwards what they were before. Ends with the command's code, or with 1 when something is left.
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
# What went meanwhile is not what the command left.
left=$(comm -13 <(echo "$before") <(look | sort))
if [ -z "$left" ]; then
  echo 'nothing is left behind: before and after are equal'
else
  printf 'left behind:\n%s\n' "$left"
  [ "$code" != 0 ] || code=1
fi
exit "$code"
