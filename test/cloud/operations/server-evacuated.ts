import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { stateOf } from '../client.ts';
import { temporaryServer, type Operation } from './operation.ts';
import { hostOf, otherThan } from './server-moves.ts';

const LABEL = 'openstack-compute-node';

interface ComputeService {
  readonly host: string;
  readonly state: string;
  readonly forced_down: boolean;
}

interface Migration {
  readonly status: string;
}

export const serverEvacuated: Operation = {
  title: 'server evacuated from a compute node that is gone, which then returns',
  async run(world) {
    const { client, stage } = world;
    await using server = await temporaryServer(world, 'evacuated');
    const [gone, pod] = [
      await hostOf(client, server.id),
      '--selector=app.kubernetes.io/name=nova-compute,app.kubernetes.io/component=compute',
    ];
    await stage.node.kubectl(['label', 'node', gone, `${LABEL}-`]);
    const onNode = ['get', 'pods', pod, `--field-selector=spec.nodeName=${gone}`, '--output=name'];
    await until(`nova-compute to leave ${gone}`, async (saw) => {
      const left = await stage.kubectl(onNode);
      saw(left);
      return left === '' || undefined;
    });
    // As a fencing tool does once the node is off; Nova itself would wait for a minute without reports.
    await client.openstack('compute', 'service', 'set', '--down', gone, 'nova-compute');
    // The client's own --wait expects ACTIVE, but since API version 2.95 the server stays off: its user decides.
    await client.openstack('server', 'evacuate', server.id);
    await until(`${server.id} to leave ${gone}`, async (saw) => {
      const host = await hostOf(client, server.id);
      saw(host);
      return host !== gone || undefined;
    });
    await stateOf(client, 'nova', `/servers/${server.id}`, 'SHUTOFF');
    await client.openstack('server', 'start', server.id);
    await stateOf(client, 'nova', `/servers/${server.id}`, 'ACTIVE');
    const now = await hostOf(client, server.id);
    assert.equal(now, otherThan(gone));
    await stage.node.kubectl(['label', 'node', gone, `${LABEL}=enabled`]);
    // The returning nova-compute completes the records of the evacuated servers; before that, Nova does not accept --up.
    await until(`the evacuation's record of ${server.id} to be completed`, async (saw) => {
      const path = `/os-migrations?migration_type=evacuation&instance_uuid=${server.id}`;
      const reply = await client.get<{ migrations: Migration[] }>('nova', path);
      saw(reply);
      const records = reply?.migrations ?? [];
      return (records.length > 0 && records.every(({ status }) => status === 'completed')) || undefined;
    });
    await client.openstack('compute', 'service', 'set', '--up', gone, 'nova-compute');
    await until(`nova-compute on ${gone} to be up`, async (saw) => {
      const reply = await client.get<{ services: ComputeService[] }>('nova', `/os-services?host=${gone}`);
      saw(reply);
      return reply?.services.every(({ state, forced_down: down }) => state === 'up' && !down) || undefined;
    });
    return `${gone} → ${now}`;
  },
};
