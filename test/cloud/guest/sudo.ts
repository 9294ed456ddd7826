/** sudo's settings, as in Kolla's images of Neutron and Nova. */
export const SUDOERS = `Defaults: %kolla setenv
Defaults secure_path="/var/lib/kolla/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
root ALL=(ALL) ALL
%kolla ALL=(root) NOPASSWD: /usr/local/bin/kolla_set_configs
%kolla ALL=(root) NOPASSWD: /usr/local/bin/kolla_copy_cacerts
neutron ALL=(root) NOPASSWD: /var/lib/kolla/venv/bin/neutron-rootwrap /etc/neutron/rootwrap.conf *
neutron ALL=(root) NOPASSWD: /var/lib/kolla/venv/bin/neutron-rootwrap-daemon /etc/neutron/rootwrap.conf
nova ALL=(root) NOPASSWD: /var/lib/kolla/venv/bin/nova-rootwrap /etc/nova/rootwrap.conf *
`;

/** No password is ever asked, because of NOPASSWD, and accounts have no expiry: there is no /etc/shadow. */
export const PAM = `auth required pam_deny.so
account required pam_permit.so
password required pam_deny.so
session required pam_permit.so
`;
