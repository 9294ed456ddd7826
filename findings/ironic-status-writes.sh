#!/bin/sh
# ironic 39.0.0 (2026.2), `ironic-status upgrade check` with the boot interface ipxe, on an empty http_root.
# Guess: a check reads the database and the configuration, and writes nothing; what the conductor serves is written by the conductor.
# Seen: to check that hardware types and interfaces load, it makes them, and the ipxe interface then writes its boot.ipxe into http_root, also
# over one that is another: a check of the new release, run before the upgrade where the old conductor runs, replaces the boot script that the
# old one serves. The boot interface fake writes nothing.
# Output seen:
#   boot interface fake: exit 0, http_root empty
#   boot interface ipxe: exit 0, http_root boot.ipxe
#   another boot.ipxe there: exit 0, replaced
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ironic==39.0.0
mkdir http
configure() {
  cat > ironic.conf <<CONF
[DEFAULT]
state_path = $dir
enabled_hardware_types = fake-hardware
enabled_bios_interfaces = no-bios
enabled_boot_interfaces = $1
enabled_deploy_interfaces = fake
enabled_management_interfaces = fake
enabled_power_interfaces = fake
enabled_vendor_interfaces = no-vendor
[database]
connection = sqlite:///$dir/ironic.sqlite
[deploy]
http_root = $dir/http
http_url = http://192.0.2.1
CONF
}
check() {
  code=0
  venv/bin/ironic-status --config-file ironic.conf upgrade check > log 2>&1 || code=$?
  [ "$code" = 0 ] || cat log >&2
  printf '%s: exit %s, ' "$1" "$code"
}
configure fake
venv/bin/ironic-dbsync --config-file ironic.conf create_schema > log 2>&1 || { cat log; exit 1; }
{
  check 'boot interface fake'
  files=$(ls http)
  echo "http_root ${files:-empty}"
  configure ipxe
  check 'boot interface ipxe'
  echo "http_root $(ls http)"
  echo '# of another release' >> http/boot.ipxe
  check 'another boot.ipxe there'
  if grep -q 'of another release' http/boot.ipxe; then echo kept; else echo replaced; fi
} > out
cat out
printf '%s\n' 'boot interface fake: exit 0, http_root empty' 'boot interface ipxe: exit 0, http_root boot.ipxe' \
  'another boot.ipxe there: exit 0, replaced' > want
cmp out want
