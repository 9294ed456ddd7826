#!/bin/bash
# Executes mariadbd. Before that it creates a missing data directory, and decides whether this node bootstraps the cluster:
#
#   the only node                                             -> bootstraps
#   settings.foundFrom names it                               -> bootstraps; if it names another node, joins
#   another node accepts connections on 3306                  -> joins
#   was the last to shut down cleanly (grastate.dat says so)  -> bootstraps
#   node 0, and its data has never been in a cluster          -> bootstraps
#   else                                                      -> joins: waits until a node with data is available
set -euo pipefail
{{- $mariadb := .Values.workloads.mariadb }}
{{- $nodes := include "kolla-pod.governingService" (list . (dict "name" $mariadb.name "values" $mariadb)) }}
replicas={{ int $mariadb.replicas }}
found_from={{ .Values.settings.foundFrom | quote }}
name={{ $mariadb.name }}
domain={{ $nodes }}.{{ .Release.Namespace }}.svc.{{ .Values.settings.clusterDomain }}

data=/var/lib/mysql
state=$data/grastate.dat
# Passed by name: MariaDB of some distributions does not look there.
defaults=--defaults-file=/etc/mysql/my.cnf
[[ $POD_IP != *:* ]] || POD_IP="[$POD_IP]"
options=("--wsrep-node-name=$POD_NAME" "--wsrep-node-address=$POD_IP")

say() { printf 'start.sh: %s\n' "$1" >&2; }

# Runs a program with much normal output, which is shown only if it fails.
said_of() {
  local said
  said=$("$@" 2>&1) || { printf '%s\n' "$said" >&2; say "$1 failed, with what stands above"; return 1; }
  printf '%s\n' "$said"
}

others() {
  local index
  for ((index = 0; index < replicas; index++)); do
    [[ $POD_NAME == "$name-$index" ]] || printf '%s\n' "$name-$index.$domain"
  done
}

# 0 if it does. A frozen node accepts connections too, so a frozen cluster is not bootstrapped again.
answers() { timeout 2 bash -c 'exec 3<>"/dev/tcp/$1/3306"' _ "$1" 2>/dev/null; }

any_answers() {
  local other
  for other in $(others); do answers "$other" && return 0; done
  return 1
}

all_have_addresses() {
  local other
  for other in $(others); do getent hosts "$other" >/dev/null || return 1; done
}

# 0 if the file names a cluster that this node has been in.
was_in_a_cluster() { grep -q '^uuid: *[0-]*[1-9a-f]' "$state" 2>/dev/null; }

# `.installing` stays if this is interrupted: partially initialized data is not used. `.new` stays until the data is a cluster's,
# so that an interrupted bootstrap is repeated at the next start. A transfer from another node empties the directory except for
# Galera's own files: if it is interrupted, this node must not bootstrap, which `.joining` records while the directory is re-created.
if [[ -e $data/.installing || ! -d $data/mysql ]]; then
  [[ -e $data/.installing || ! -e $state ]] || touch "$data/.joining"
  touch "$data/.installing"
  find "$data" -mindepth 1 -maxdepth 1 ! -name .installing ! -name .joining ! -name lost+found -exec rm -rf {} +
  said_of mariadb-install-db "$defaults" --datadir="$data" --auth-root-authentication-method=normal --skip-test-db --skip-log-error >/dev/null
  if [[ -e $data/.joining ]]; then rm "$data/.installing"; else mv "$data/.installing" "$data/.new"; fi
elif was_in_a_cluster; then
  rm -f "$data/.new" "$data/.joining"
fi
is_new=no
[[ ! -e $data/.new ]] || is_new=yes

founds() {
  ((replicas == 1)) && return 0
  # An operator who names the bootstrapping node asserts that there is no other, which may not respond yet.
  [[ -z $found_from ]] || { [[ $POD_NAME == "$found_from" ]]; return; }
  any_answers && return 1
  # A node that has never been in a cluster may have that state too.
  was_in_a_cluster && grep -q '^safe_to_bootstrap: 1' "$state" 2>/dev/null && return 0
  [[ $is_new == yes && $POD_NAME == "$name-0" ]]
}

if founds; then
  say "$POD_NAME founds the cluster"
  [[ -e $state ]] && sed -i 's/^safe_to_bootstrap: 0/safe_to_bootstrap: 1/' "$state"
  options+=(--wsrep-new-cluster)
else
  # Galera skips, until it is restarted, a name without an address at its start, and a bootstrapping node resolves none.
  # A node with data may form a cluster with a subset.
  patience=60
  [[ $is_new == no && ! -e $data/.joining ]] || patience=300
  until any_answers || all_have_addresses || ((SECONDS >= patience)); do sleep 1; done
  # From here on another node's data replaces its own.
  rm -f "$data/.new"
  say "$POD_NAME joins the cluster"
fi

# After a crash the file lacks the position of the data; without it the others would send everything again.
if [[ -e $state ]] && grep -q '^seqno: *-1' "$state"; then
  recovered=$(said_of mariadbd "$defaults" --wsrep-recover --log-error=/dev/stderr --init-file=)
  position=$(sed -n 's/.*Recovered position:\{0,1\} \([-0-9a-f]*:-\{0,1\}[0-9]*\).*/\1/p' <<<"$recovered" | tail -n 1)
  if [[ -n $position ]]; then
    say "its data go up to $position"
    options+=("--wsrep-start-position=$position")
  fi
fi

# "11.8" of "11.8.9-MariaDB".
minor() { [[ $1 =~ ^[0-9]+\.[0-9]+ ]] && printf '%s' "${BASH_REMATCH[0]}"; }

# Without certificates the client of 11.4 and later would still require TLS.
as_monitor=(--defaults-file=/etc/mysql/healthcheck.cnf{{ if not (include "kolla-pod.tls" .) }} --skip-ssl{{ end }})
ask() { timeout 10 mariadb "$@" --batch --skip-column-names 2>/dev/null; }

# A newer MariaDB runs on the data of an older one; mariadb-upgrade then fits the system tables, of this node only: each node
# does it for itself. It waits until no node runs the older one, to which there is no way back, and records the version in the
# data directory, so that it is done once. `$$` is mariadbd.
upgrade() {
  local other version
  until [[ $(ask "$defaults" --user=mysql --execute="SHOW STATUS LIKE 'wsrep_ready'") == *ON ]]; do
    kill -0 $$ 2>/dev/null || return 0
    sleep 2
  done
  mariadb-upgrade "$defaults" --user=mysql --check-if-upgrade-is-needed >/dev/null 2>&1 || return 0
  version=$(minor "$(ask "$defaults" --user=mysql --execute='SELECT VERSION()')") || return 1
  say "waiting with mariadb-upgrade until all nodes run $version"
  for other in $(others); do
    until [[ $(minor "$(ask "${as_monitor[@]}" --host="$other" --execute='SELECT VERSION()')") == "$version" ]]; do
      kill -0 $$ 2>/dev/null || return 0
      sleep 2
    done
  done
  said_of mariadb-upgrade "$defaults" --user=mysql >/dev/null || { say 'mariadb-upgrade is repeated at the next start'; return 0; }
  say "mariadb-upgrade has fitted the system tables to $version"
}
upgrade &

exec mariadbd "$defaults" "${options[@]}"
