/**
 * What each image's scripts need in addition to the common input: the volumes of a plan, their modes if `directories`
 * of config.json sets one, environment, and files of the image. Programs other than Kolla's and coreutils' are stubs.
 */
import type { Tree } from '../throw-away-root.ts';

export interface Setting {
  /**
   * Path -> mode; owned by the service's user and the group kolla, as created by kolla-init in a volume with fsGroup; `own` if
   * `directories` of config.json assigns it to the user.
   */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Tree;
}

export const stub = (then = '') => ({ text: `#!/bin/bash\necho "ran: \${0##*/} $*" >&2\n${then}\n`, mode: 0o755 });

const SSH_KEYGEN = stub('while [[ $# -gt 0 ]]; do if [[ $1 == -f ]]; then : > "$2"; fi; shift; done');
const OVSDB_TOOL = stub('if [[ $1 == create ]]; then : > "$2"; else echo no; fi');
const SITE_PACKAGES = '/var/lib/kolla/venv/lib/python3/site-packages';

/** Programs on the PATH of every image. */
const PROGRAMS = [
  'aodh-dbsync',
  'barbican-db-manage',
  'blazar-db-manage',
  'ceilometer-upgrade',
  'cinder-manage',
  'cloudkitty-dbsync',
  'cloudkitty-storage-init',
  'cyborg-dbsync',
  'designate-manage',
  'glance-manage',
  'gnocchi-upgrade',
  'heat-manage',
  'ironic-dbsync',
  'keystone-manage',
  'kolla_proxysql_config_sync',
  'kolla_security_reset',
  'magnum-db-manage',
  'manila-manage',
  'mariadb',
  'mariadb-admin',
  'mariadb-install-db',
  'mariadb-upgrade',
  'masakari-manage',
  'mistral-db-manage',
  'dd',
  'envsubst',
  'mcopy',
  'mdir',
  'mkfs.msdos',
  'mmd',
  'modprobe',
  'neutron-db-manage',
  'nova-manage',
  'nova-status',
  'octavia-db-manage',
  'openstack',
  'placement-manage',
  'tacker-db-manage',
  'trove-manage',
  'watcher-db-manage',
  'alembic',
];

/** Programs with side effects, or that are called by absolute path. */
export const COMMON: Tree = {
  ...Object.fromEntries(PROGRAMS.map((name) => [`usr/local/bin/${name}`, stub()])),
  'usr/local/bin/ssh-keygen': SSH_KEYGEN,
  'usr/local/bin/ovsdb-tool': OVSDB_TOOL,
  'usr/local/bin/service': stub('exit 0'),
};

/** Debian's neutron images have iptables, and so its alternatives. */
const NEUTRON: Tree = { 'usr/bin/update-alternatives': stub('[[ $1 == --display ]]') };

const OPENVSWITCH = { '/run/openvswitch': '755', '/var/lib/openvswitch': '755', '/run/ovn': '755' };

export const SETTINGS: Readonly<Record<string, Setting>> = {
  'cinder-volume': { volumes: { '/var/lib/cinder': '2775', '/etc/iscsi': '2775' } },
  cron: {
    volumes: { '/etc/cron.daily': '755', '/etc/cron.hourly': '755' },
    env: { KOLLA_LOGROTATE_SCHEDULE: 'hourly' },
    files: { 'etc/cron.daily/logrotate': '' },
  },
  dnsmasq: { volumes: { '/run/ironic': '755' } },
  etcd: { volumes: { '/var/lib/etcd': '755' } },
  fluentd: { volumes: { '/var/lib/fluentd': '755' } },
  'haproxy-ssh': { volumes: { '/etc/ssh': '755', '/var/lib/haproxy': '755', '/etc/letsencrypt': '755' } },
  horizon: {
    volumes: {
      '/var/lib/kolla': '755',
      [`${SITE_PACKAGES}/openstack_dashboard/local`]: '755',
      '/etc/openstack-dashboard': '755',
    },
    files: {
      'etc/openstack-dashboard/local_settings': '',
      'var/lib/kolla/venv/bin/python': stub(),
      [`${SITE_PACKAGES.slice(1)}/openstack_dashboard/local/__init__.py`]: '',
    },
  },
  'ironic-base': { volumes: { '/var/lib/ironic-metrics': '2775 own' } },
  'ironic-api': { volumes: { '/var/lib/ironic-metrics': '2775 own' } },
  'ironic-pxe': {
    volumes: { '/var/lib/ironic-metrics': '2775 own', '/var/lib/ironic': '755' },
    env: {
      TFTPBOOT_PATH: '/var/lib/ironic/tftpboot',
      HTTPBOOT_PATH: '/var/lib/ironic/httpboot',
      KOLLA_BASE_ARCH: 'x86_64',
    },
    files: {
      'map-file-template': '',
      'usr/lib/PXELINUX/pxelinux.0': '',
      'usr/lib/syslinux/modules/bios/chain.c32': '',
      'usr/lib/syslinux/modules/bios/ldlinux.c32': '',
      'usr/lib/shim/shimx64.efi.signed': '',
      'usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed': '',
      'usr/lib/ipxe/undionly.kpxe': '',
      'usr/lib/ipxe/ipxe.efi': '',
      'usr/lib/ipxe/snponly.efi': '',
    },
  },
  'ironic-pxe-filter': { volumes: { '/var/lib/ironic-metrics': '2775 own', '/etc/dnsmasq/dhcp-hostsdir': '755' } },
  httpd: { files: { 'etc/default/locale': 'LANG=C.UTF-8\n' } },
  iscsid: { volumes: { '/etc/iscsi': '755' } },
  'keystone-fernet': { volumes: { '/etc/keystone/fernet-keys': '750' } },
  'keystone-ssh': { volumes: { '/etc/ssh': '755', '/var/lib/keystone': '755' } },
  'letsencrypt-base': { volumes: { '/etc/letsencrypt': '755' } },
  'mariadb-server': {
    volumes: { '/var/lib/mysql': '755' },
    env: { DB_ROOT_PASSWORD: 'x', DB_HOST: 'h', DB_PORT: '3306' },
    files: {
      'usr/local/bin/mariadbd-safe': stub(
        `: > /var/lib/mysql/mariadb.pid
exec '${process.execPath}' -e 'require("net").createServer().listen("/var/lib/mysql/mysql.sock")' > /dev/null 2>&1`,
      ),
    },
  },
  'neutron-base': { files: NEUTRON },
  'neutron-dhcp-agent': { files: NEUTRON },
  'neutron-l3-agent': { files: NEUTRON },
  'neutron-metadata-agent': { files: NEUTRON },
  'neutron-server': { files: NEUTRON, env: { NEUTRON_DB_EXPAND: '' } },
  'nova-compute': { volumes: { '/var/lib/nova': '755' } },
  'nova-ssh': { volumes: { '/etc/ssh': '755', '/var/lib/nova': '755' } },
  'opensearch-dashboards': {
    files: { 'usr/share/opensearch-dashboards/bin/opensearch-dashboards-plugin': stub('echo securityDashboards') },
    env: { OPENSEARCH_DASHBOARDS_SECURITY_PLUGIN: 'False' },
  },
  'openvswitch-db-server': { volumes: OPENVSWITCH },
  'ovn-base': { volumes: OPENVSWITCH },
  'ovn-controller': { volumes: OPENVSWITCH },
  'ovn-nb-db-server': { volumes: OPENVSWITCH },
  'ovn-northd': { volumes: OPENVSWITCH },
  'ovn-sb-db-relay': { volumes: OPENVSWITCH, env: { RELAY_ID: '1' } },
  'ovn-sb-db-server': { volumes: OPENVSWITCH },
  'ovsdpdk-db': { volumes: OPENVSWITCH },
  'ovsdpdk-vswitchd': { volumes: OPENVSWITCH },
  proxysql: { volumes: { '/var/lib/proxysql': '755' } },
  rabbitmq: { volumes: { '/var/lib/rabbitmq': '755' }, env: { RABBITMQ_CLUSTER_COOKIE: 'x' } },
  'skyline-apiserver': {
    volumes: { '/var/lib/skyline': '755' },
    files: { [`${SITE_PACKAGES.slice(1)}/skyline_apiserver/db/alembic/env.py`]: '' },
  },
  'skyline-base': { volumes: { '/var/lib/skyline': '755' } },
  'ceilometer-notification': {
    volumes: { '/var/lib/ceilometer': '755' },
    env: { CEILOMETER_DATABASE_TYPE: 'gnocchi', CEILOMETER_UPGRADE_PARAMS: '--debug' },
  },
  'heat-api': { env: { HEAT_DOMAIN_ADMIN_PASSWORD: 'x' } },
  'valkey-sentinel': { env: { VALKEY_CONF: '', VALKEY_GEN_CONF: '' } },
};
