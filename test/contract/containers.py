"""Prints as JSON the containers that kolla-ansible deploys: [name, image, command], rendered with its defaults.

Arguments: the directory with ansible's roles and group_vars, and the roles. Containers without a config.json, or with a
condition in their command, are left out.
"""

import json
import os
import re
import sys

from ansible_values import read, rendered, shared

ansible, *roles = sys.argv[1:]
# Registries are left out of image names.
HOST = {"docker_image_url": "", "kolla_base_distro": "debian"}


def command_of(role, service, variables):
    """Of the whole template only that line can be rendered without an inventory."""
    file = f"{ansible}/roles/{role}/templates/{service}.json.j2"
    if not os.path.exists(file):
        return None
    with open(file, encoding="utf-8") as stream:
        line = re.search(r'"command": "(.*)",', stream.read())
    return None if line is None or "{%" in line[1] else rendered(line[1], variables)


common = shared(ansible)
found = []
for role in roles:
    defaults = read(f"{ansible}/roles/{role}/defaults/main.yml")
    variables = {**common, **defaults, **HOST}
    for service, facts in defaults.get(f"{role.replace('-', '_')}_services", {}).items():
        image = re.fullmatch(r"{{ (\w+)_image_full }}", facts.get("image", ""))
        command = command_of(role, service, variables)
        if image is None or command is None:
            continue
        name = rendered(facts["container_name"], variables)
        found.append([name, rendered(variables[f"{image[1]}_image"], variables), command])
print(json.dumps(found))
