# Sourced by kolla_start, as root: the log directory belongs to openvswitch.
mkdir -p /var/log/kolla/openvswitch
chmod 755 /var/log/kolla/openvswitch
chown -R openvswitch:openvswitch /var/log/kolla/openvswitch
