"""Prints as JSON the health checks that kolla-ansible declares: [container's variable, words], rendered with its defaults.

Words: the folder with ansible's roles and group_vars. A variable without a default becomes its own last word in capitals.
"""

import glob
import json
import re
import sys

import jinja2
import jinja2.meta
import yaml

ansible = sys.argv[1]
SUFFIX = "_healthcheck_test"
# What an inventory and the facts of a host would say; `password` stands for passwords.yml.
HOST = {"api_interface_address": "ADDRESS", "kolla_base_distro": "debian"}
YES = ("1", "true", "yes", "on", "y", "t")

env = jinja2.Environment()
env.filters["bool"] = lambda value: str(value).strip().lower() in YES
env.filters["put_address_in_context"] = lambda address, context: address


def read(file):
    with open(file, encoding="utf-8") as stream:
        return yaml.safe_load(stream) or {}


def rendered(text, variables):
    """Ansible's way: a variable's value may be a template itself."""
    if not isinstance(text, str) or "{" not in text:
        return text
    names = jinja2.meta.find_undeclared_variables(env.parse(text))
    known = {name: rendered(variables[name], variables) for name in names if name in variables}
    secret = {name: re.sub(".*_", "", name).upper() for name in names if re.search("_(password|stats_port)$", name)}
    return env.from_string(text).render(**secret, **known)


shared = {}
for file in sorted(glob.glob(f"{ansible}/group_vars/all/*.yml")):
    shared.update(read(file))
found = []
for file in sorted(glob.glob(f"{ansible}/roles/*/defaults/main.yml")):
    defaults = read(file)
    variables = {**shared, **defaults, **HOST}
    for name, (form, *words) in ((n, v) for n, v in defaults.items() if n.endswith(SUFFIX)):
        if form != "CMD-SHELL":
            raise SystemExit(f"{name} is {form}")
        found.append([name.removesuffix(SUFFIX), rendered(words[0], variables)])
print(json.dumps(found))
