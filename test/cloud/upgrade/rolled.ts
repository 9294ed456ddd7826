/**
 * What lies below OpenStack, three nodes each, replaced node by node under the load:
 *
 *   MariaDB of Debian's first suite -> helm upgrade to security's package, node by node -> mariadb-upgrade on each
 *   RabbitMQ, one version in Debian -> a changed template, node by node
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { infrastructureImages } from '../../cluster/infrastructure-image.ts';
import { podBinary } from '../../cluster/pod-binary.ts';
import { REGISTRY } from '../images.ts';
import { runChart } from '../install.ts';
import { CONTROL_NODE, type Stage } from '../stage.ts';
import { withoutPassword } from './schemas.ts';

const NODES = [0, 1, 2] as const;
const FIRST_TAG = 'before';

/** Values of all charts, in the form of a globals file. */
export const THREE_NODES: object = {
  mariadb: { workloads: { mariadb: { replicas: NODES.length } } },
  rabbitmq: { workloads: { rabbitmq: { replicas: NODES.length } } },
};

/** Imports the image that MariaDB is upgraded from. @returns values with which its chart takes it */
export async function importFirstMariadb(stage: Stage): Promise<object> {
  const file = join(stage.directory, 'mariadb-before.tar');
  const { binary } = await podBinary();
  await infrastructureImages(file, { 'mariadb-before': `${REGISTRY}/mariadb-server:${FIRST_TAG}` }, binary);
  await stage.node.importImage(file, [CONTROL_NODE]);
  return { image: { tag: FIRST_TAG } };
}

/** @param files values without those of importFirstMariadb  @returns the versions, for the timeline */
export async function rollMariadb(stage: Stage, files: readonly string[], password: string): Promise<string> {
  const before = await versionsOf(stage);
  await runChart(stage, 'upgrade', 'mariadb', stage.release, files);
  const login = ['env', `MYSQL_PWD=${password}`, 'mariadb-upgrade', '--user=root'];
  for (const index of NODES) {
    const words = ['exec', `mariadb-${index}`, '--container=mariadb', '--', ...login];
    await withoutPassword(password, stage.kubectl(words));
  }
  const after = await versionsOf(stage);
  assert.equal(after.length, 1, after.join(', '));
  return `${before.join(', ')} -> ${after.join(', ')}`;
}

export async function rollRabbitmq(stage: Stage): Promise<void> {
  await stage.kubectl(['rollout', 'restart', 'statefulset/rabbitmq']);
  await stage.kubectl(['rollout', 'status', 'statefulset/rabbitmq']);
}

/** The different versions of the nodes. */
async function versionsOf(stage: Stage): Promise<string[]> {
  const all = await Promise.all(
    NODES.map(async (index) => {
      const out = await stage.kubectl([
        'exec',
        `mariadb-${index}`,
        '--container=mariadb',
        '--',
        'mariadbd',
        '--version',
      ]);
      return /Ver (\S+)/.exec(out)?.[1] ?? out.trim();
    }),
  );
  return [...new Set(all)];
}
