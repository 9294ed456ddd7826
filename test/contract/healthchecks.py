"""Prints as JSON kolla-ansible's health checks, rendered with its defaults: [container's variable, words, is enabled].

Arguments: the directory with ansible's roles and group_vars. A variable without a default becomes the last part of its name in
capitals.
"""

import glob
import json
import re
import sys

from ansible_values import env, read, rendered, shared

ansible = sys.argv[1]
SUFFIX = "_healthcheck_test"
# What an inventory and the facts of a host would provide; `password` stands for passwords.yml.
HOST = {"api_interface_address": "ADDRESS", "kolla_base_distro": "debian"}
YES = ("1", "true", "yes", "on", "y", "t")


def is_yes(value):
    return str(value).strip().lower() in YES


env.filters["bool"] = is_yes
env.filters["put_address_in_context"] = lambda address, context: address


def missing(names):
    return {name: re.sub(".*_", "", name).upper() for name in names if re.search("_(password|stats_port)$", name)}


common = shared(ansible)
found = []
for file in sorted(glob.glob(f"{ansible}/roles/*/defaults/main.yml")):
    defaults = read(file)
    variables = {**common, **defaults, **HOST}
    for name, (form, *words) in ((n, v) for n, v in defaults.items() if n.endswith(SUFFIX)):
        if form != "CMD-SHELL":
            raise SystemExit(f"{name} is {form}")
        container = name.removesuffix(SUFFIX)
        enabled = rendered(variables[f"{container}_enable_healthchecks"], variables)
        found.append([container, rendered(words[0], variables, missing), is_yes(enabled)])
print(json.dumps(found))
