"""Values of kolla-ansible's variables without an inventory, for scripts that print its deployments."""

import glob

import jinja2
import jinja2.meta
import yaml

env = jinja2.Environment()


def read(file):
    with open(file, encoding="utf-8") as stream:
        return yaml.safe_load(stream) or {}


def shared(ansible):
    """Variables of all roles."""
    variables = {}
    # Up to release 20 a single file.
    for file in sorted(glob.glob(f"{ansible}/group_vars/all.yml") + glob.glob(f"{ansible}/group_vars/all/*.yml")):
        variables.update(read(file))
    return variables


def rendered(text, variables, missing=lambda names: {}):
    """As in Ansible, a variable's value may be a template itself. `missing` gives values for names that have none."""
    if not isinstance(text, str) or "{" not in text:
        return text
    names = jinja2.meta.find_undeclared_variables(env.parse(text))
    known = {name: rendered(variables[name], variables, missing) for name in names if name in variables}
    return env.from_string(text).render(**{**missing(names), **known})
