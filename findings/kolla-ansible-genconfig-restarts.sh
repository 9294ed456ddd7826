#!/bin/sh
# kolla-ansible 22.2.0, `kolla-ansible genconfig` ("Generate configuration files for services. No container changes!").
# Guess: no container is touched; the handlers of the roles, which restart a container whose files changed, are for other actions.
# Seen: the handlers of prometheus-node-exporters have no such condition, so that two containers are recreated or restarted; without a
# container engine the command fails there. An action plugin stands for the module kolla_container here, and records what it is asked.
# Output seen:
#   Generate configuration files for services. No container changes!
#   recreate_or_restart_container prometheus_cadvisor
#   recreate_or_restart_container prometheus_node_exporter
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kolla-ansible==22.2.0 ansible-core==2.19.14
export HOME="$dir" PATH="$dir/venv/bin:$PATH" LC_ALL=C.UTF-8 CALLS="$dir/calls" ANSIBLE_ACTION_PLUGINS="$dir/plugins"
mkdir plugins etc
cat > plugins/kolla_container.py <<'END'
import os
from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        with open(os.environ["CALLS"], "a") as calls:
            calls.write("%s %s\n" % (self._task.args["action"], self._task.args["name"]))
        return {"changed": False}
END
cp venv/share/kolla-ansible/etc_examples/kolla/passwords.yml etc/
kolla-genpwd --passwords etc/passwords.yml
printf '%s\n' 'kolla_internal_vip_address: 192.0.2.10' 'network_interface: lo' 'enable_prometheus: true' > etc/globals.yml
kolla-ansible genconfig --configdir "$dir/etc" --inventory venv/share/kolla-ansible/ansible/inventory/all-in-one \
  --tags prometheus-node-exporters -e node_config_directory="$dir/services" -e ansible_become=false \
  -e config_owner_user="$(id -un)" -e config_owner_group="$(id -gn)" -e ansible_python_interpreter="$dir/venv/bin/python3" \
  > log 2>&1 || { tail -n 30 log; exit 1; }
kolla-ansible help genconfig | grep -o 'Generate configuration files for services. No container changes!' > out
sort calls >> out
cat out
cat > want <<'END'
Generate configuration files for services. No container changes!
recreate_or_restart_container prometheus_cadvisor
recreate_or_restart_container prometheus_node_exporter
END
cmp out want
