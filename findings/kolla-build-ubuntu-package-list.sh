#!/bin/sh
# kolla-build 23.0.0 (and 22), a template override for the image base on Ubuntu.
# Guess: the list base_ubuntu_package_pre_packages is extended by base_ubuntu_package_pre_packages_append, as base_apt_packages is by
# base_apt_packages_append: the name of the list and `_append`.
# Seen: that name is ignored without a word. kolla-build puts the image's name before the name that the template gives for the list, which
# here begins with it already, so the variable is called base_base_ubuntu_package_pre_packages_append.
# Output seen:
#   base_apt_packages_append: added
#   base_ubuntu_package_pre_packages_append: not added
#   base_base_ubuntu_package_pre_packages_append: added
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kolla==23.0.0 docker==7.2.0 setuptools==84.2.1
export HOME="$dir"
for name in base_apt_packages_append base_ubuntu_package_pre_packages_append base_base_ubuntu_package_pre_packages_append; do
  printf "{%% extends parent_template %%}\n{%% set %s = ['added-package'] %%}\n" "$name" > override.j2
  rm -rf work
  mkdir work
  venv/bin/kolla-build --template-only --base ubuntu --work-dir "$dir/work" --template-override "$dir/override.j2" '^base$' > log 2>&1 || { cat log; exit 1; }
  if grep -q added-package work/docker/base/Dockerfile; then echo "$name: added"; else echo "$name: not added"; fi
done > out
cat out
cat > want <<'END'
base_apt_packages_append: added
base_ubuntu_package_pre_packages_append: not added
base_base_ubuntu_package_pre_packages_append: added
END
cmp out want
