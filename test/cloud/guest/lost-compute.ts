import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { messageOf } from '../../../src/core/errors.ts';
import { until } from '../../support/until.ts';
import { stateOf } from '../client.ts';
import { hostOf, otherThan } from '../operations/server-moves.ts';
import type { GuestOperation } from './operation.ts';
import { podOn } from './pod-on.ts';
import { agentsAlive, consoleHas, consoleOf, temporaryGuest, type GuestWorld } from './world.ts';

const COMPUTE_LABEL = 'openstack-compute-node';
/** The first version of Nova's API by which a service is declared down. */
const FORCED_DOWN = ['--os-compute-api-version', '2.53'];

/** From the next version on, an evacuated server is stopped. */
const STARTED = ['--os-compute-api-version', '2.94'];

/**
 * A node that is emptied of its Pods keeps its guest. Then the guest is killed, as by a loss of power, and evacuated; and the
 * node comes back without it.
 */
export const lostCompute: GuestOperation = {
  title: 'a compute node without Pods keeps its guest; lost, the guest is evacuated, and is not there when it returns',
  async run(world) {
    const { client, stage } = world;
    await using guest = await temporaryGuest(world, 'evacuated');
    const [from, done] = [await hostOf(client, guest.id), [] as string[]];
    const [qemu] = await processesOf(guest.id);
    assert.ok(qemu, 'the guest has no process');
    await stage.node.kubectl(['label', 'node', from, `${COMPUTE_LABEL}-`]);
    try {
      await until(`the Pods of ${from} to be gone`, async (saw) => {
        const left = await stage.kubectl(['get', 'pods', `--field-selector=spec.nodeName=${from}`, '--output=name']);
        saw(left);
        return left.trim() === '' || undefined;
      });
      assert.deepEqual(await processesOf(guest.id), [qemu], 'the guest ended with the Pods of its node');
      done.push(`${from} without Pods: the guest's process is the same`);
      process.kill(qemu, 'SIGKILL');
      await client.openstack('compute', 'service', 'set', '--down', ...FORCED_DOWN, from, 'nova-compute');
      await client.openstack('server', 'evacuate', ...STARTED, guest.id);
      await until(`the guest to be on ${otherThan(from)}`, async () => {
        return (await hostOf(client, guest.id)) === otherThan(from) || undefined;
      });
      await stateOf(client, 'nova', `/servers/${guest.id}`, 'ACTIVE');
      await consoleHas(client, guest.id, / ready$/m);
      const [evacuated, ...others] = await processesOf(guest.id);
      assert.ok(evacuated !== undefined && others.length === 0);
      done.push(`evacuated to ${otherThan(from)}`);
    } finally {
      await stage.node.kubectl(['label', 'node', from, `${COMPUTE_LABEL}=enabled`]);
      // Not before it has started, and removed what it had of the evacuated guest.
      await until(`Nova to let ${from} be up`, async (saw) => {
        const set = ['compute', 'service', 'set', '--up', ...FORCED_DOWN, from, 'nova-compute'];
        return await client.openstack(...set).catch((error: unknown) => saw(messageOf(error)));
      });
      await agentsAlive(client);
    }
    await isGoneFrom(world, from, guest.id);
    assert.equal(
      (await consoleOf(client, guest.id)).match(/ init /g)?.length,
      1,
      'the evacuated guest has started again',
    );
    done.push(`${from} is back without it`);
    return done.join('; ');
  },
};

/** The pids of a guest's QEMU on this machine, which has all nodes. */
async function processesOf(server: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // One that has ended meanwhile is no guest's: ENOENT, or ESRCH.
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      return words[0]?.includes('qemu-system') === true && words.includes(server) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Nova removes what it had of a guest that was evacuated when it starts. */
async function isGoneFrom({ stage }: GuestWorld, node: string, server: string): Promise<void> {
  await until(`libvirt of ${node} to know nothing of the guest`, async (saw) => {
    const pod = await podOn(stage, node, 'nova-compute', 'libvirt');
    const domains = await stage.kubectl(['exec', pod, '--', 'virsh', 'list', '--all', '--uuid']).catch(String);
    saw(domains);
    return domains.trim() === '' || !domains.includes(server) || undefined;
  });
}
