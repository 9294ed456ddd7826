import { alembicDatabase, catalogued, queue, serviceAccount, upgradeCheck } from './common.ts';
import { api, DATABASE_PORT, idleWorker, worker } from './probe.ts';
import type { KollaService } from './service.ts';

const OVN_NORTHBOUND_PORT = 6641;
const OPEN_VSWITCH_PORT = 6640;

/** Networking. Without --subproject its tool migrates Neutron and every plugin that is installed. */
export const neutron: KollaService = {
  name: 'neutron',
  summary: 'Networking',
  configFile: '/etc/neutron/neutron.conf',
  user: 'neutron',
  stage: 'network',
  databases: [alembicDatabase('neutron', 'neutron/db/migration/alembic_migrations/versions')],
  migration: {
    phases: {
      all: [{ argv: ['neutron-db-manage', 'upgrade', 'head'] }],
      expand: [{ argv: ['neutron-db-manage', 'upgrade', '--expand'] }],
      contract: [{ argv: ['neutron-db-manage', 'upgrade', '--contract'] }],
    },
    upgradeCheck: upgradeCheck('neutron', {
      readsDatabase: true,
      files: ['/etc/neutron/neutron.conf', '/etc/neutron/plugins/ml2/ml2_conf.ini'],
    }),
  },
  identity: {
    users: [serviceAccount('neutron')],
    services: [catalogued('neutron', 'network', 'Networking', 9696)],
  },
  queue: queue('neutron'),
  probes: [
    api('neutron_server', 9696, '/healthcheck'),
    worker('neutron_rpc_server', 'neutron-rpc-server'),
    {
      ...worker('neutron_periodic_worker', 'neutron-periodic-workers', DATABASE_PORT),
      // With the plugin `router` the worker is connected to the broker from its start (2025.1 to 2026.2). Without that
      // plugin, as with OVN, it only has a database connection, which 2026.2 opens with its first task: up to 75 s
      // later.
      readiness: 'connected neutron-periodic-workers 5672 3306',
    },
    worker('neutron_ovn_maintenance_worker', 'neutron-ovn-maintenance-worker', OVN_NORTHBOUND_PORT),
    worker('neutron_dhcp_agent', 'neutron-dhcp-agent'),
    { ...worker('neutron_l3_agent', 'neutron-l3-agent'), declared: "healthcheck_port 'neutron-l3-agent ' 5672" },
    idleWorker('neutron_metadata_agent', 'neutron-metadata-agent', 20),
    worker('neutron_bgp_dragent', 'neutron-bgp-dragent'),
    {
      ...worker('neutron_openvswitch_agent', 'neutron-openvswitch-agent'),
      // Its loop logs every two seconds. In Neutron 28 it may hang for ever after the switch has restarted, while the process is
      // connected and reports itself alive.
      liveness: 'file-age /var/log/kolla/neutron/neutron-openvswitch-agent.log 5m',
    },
    worker('neutron_sriov_agent', 'neutron-sriov-nic-agent'),
    worker('neutron_ovn_metadata_agent', 'neutron-ovn-metadata-agent', OPEN_VSWITCH_PORT),
    worker('neutron_ovn_agent', 'neutron-ovn-agent', OPEN_VSWITCH_PORT),
    worker('neutron_ovn_vpn_agent', 'neutron-ovn-vpn-agent'),
    worker('ironic_neutron_agent', 'ironic-neutron-agent'),
  ],
  notes:
    'Stop its servers before contract if `neutron-db-manage has_offline_migrations` exits with 1 (its ' +
    'own tree has had no such step since Newton).',
};
