# Keys are in a volume here; on Kubernetes kolla-bootstrap keeps them in Secrets.
set -eu
keystone-manage fernet_setup --keystone-user keystone --keystone-group keystone
keystone-manage credential_setup --keystone-user keystone --keystone-group keystone
exec kolla-bootstrap keystone --only database --only schema --only tool --release 2025.2
