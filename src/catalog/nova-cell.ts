import { alembicDatabase, CELL0, CELLS, ONLINE, queue } from './common.ts';
import { api, listener, worker, type Probe } from './probe.ts';
import type { KollaService } from './service.ts';

const SHARED =
  'another cell has the same database or transport URL, which Nova does not allow: see `nova-manage ' +
  'cell_v2 list_cells`';

/**
 * nova-compute has two broker connections while it waits for a conductor. It opens the third with its RPC server, and
 * then accepts work.
 */
function compute(container: string): Probe {
  const probe = worker(container, 'nova-compute');
  return { ...probe, readiness: `${probe.readiness} --at-least 3` };
}

/** Compute, one cell: run where nova.conf has that cell's database, as on the cell's conductor. */
export const novaCell: KollaService = {
  name: 'nova-cell',
  summary: 'Compute: one cell',
  configFile: '/etc/nova/nova.conf',
  user: 'nova',
  stage: 'compute',
  charts: ['nova-cell', 'nova-compute'],
  databases: [alembicDatabase('nova', 'nova/db/main/migrations/versions')],
  migration: {
    phases: {
      all: [
        { argv: ['nova-manage', 'db', 'sync', '--local_cell'] },
        { argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE },
      ],
      expand: [{ argv: ['nova-manage', 'db', 'sync', '--local_cell'] }],
      online: [{ argv: ['nova-manage', 'db', 'online_data_migrations'], ...ONLINE }],
    },
  },
  queue: queue('nova'),
  tool: [
    {
      name: 'cell',
      summary: "this cell's mapping, with the URLs of [database] connection and [DEFAULT] transport_url",
      steps: [
        {
          argv: ['nova-manage', 'cell_v2', 'create_cell', '--name', '{cell}'],
          codes: { 1: 'transport_url or connection is not set', 2: SHARED },
        },
      ],
      settings: { cell: 'cell1' },
      done: {
        listed: {
          ...CELLS,
          is: { name: '{cell}' },
          not: { uuid: CELL0 },
          sameUrl: 'database',
          holds: {
            database: { section: 'database', key: 'connection' },
            transport: { section: 'DEFAULT', key: 'transport_url' },
          },
        },
        update: [
          {
            argv: ['nova-manage', 'cell_v2', 'update_cell', '--cell_uuid', '{uuid}'],
            codes: { 1: 'the cell was removed meanwhile', 3: SHARED },
          },
        ],
      },
    },
  ],
  probes: [
    worker('nova_conductor', 'nova-conductor'),
    compute('nova_compute'),
    compute('nova_compute_ironic'),
    {
      container: 'nova_libvirt',
      declared: 'virsh version --daemon',
      liveness: 'process libvirtd',
      readiness: 'socket /run/libvirt/libvirt-sock --process libvirtd',
    },
    listener('nova_ssh', 'sshd', 8022),
    api('nova_novncproxy', 6080, '/vnc_lite.html'),
    api('nova_spicehtml5proxy', 6082, '/spice_auto.html'),
  ],
  notes:
    'Migrate once per cell, after nova, and roll its conductors before the API; the mapping also needs ' +
    '[api_database] connection. After a changed mapping, restart the services that read it. Hosts are discovered by ' +
    '`nova-manage cell_v2 discover_hosts` once they run.',
};
