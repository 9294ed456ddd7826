#!/usr/bin/env bash
# make demo as a stranger would: a fresh clone, an empty home, no root. As root it becomes the user nobody first.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
git clone --quiet --no-hardlinks "$top" "$home/kolla-pod"
demo=(env -i "HOME=$home" "PATH=$PATH" "LANG=${LANG:-C.UTF-8}" make -C "$home/kolla-pod" --no-print-directory demo)
if [ "$(id -u)" = 0 ]; then
  # This machine's npm settings, if any, are needed to reach its registry.
  for settings in ~/.npmrc; do [ ! -e "$settings" ] || cp "$settings" "$home/.npmrc"; done
  chown -R 65534:65534 "$home"
  demo=(setpriv --reuid 65534 --regid 65534 --clear-groups "${demo[@]}")
fi
"${demo[@]}"
