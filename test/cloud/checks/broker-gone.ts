import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { isReady } from '../../aio/openstack.ts';
import { podsOf } from '../install.ts';
import { settingsOf } from '../pod-settings.ts';
import type { Stage } from '../stage.ts';

const BROKER = 'rabbitmq';

/**
 * Without the broker each Pod whose readiness is a connection to it becomes not Ready and reports the reason; the others stay Ready.
 * With the broker back, all are Ready again.
 * @param whileGone called with the names of the Pods that are not Ready
 */
export async function assertReadinessFollowsBroker(
  stage: Stage,
  whileGone: (pods: readonly string[]) => Promise<void> = async () => {},
): Promise<string> {
  const all = (await podsOf(stage)).filter(({ metadata }) => !metadata.name.startsWith(BROKER));
  const dependent: string[] = [];
  for (const pod of all)
    if (/connected \S+ 5672(?! \d)/.test(await settingsOf(stage, pod))) dependent.push(pod.metadata.name);
  assert.ok(dependent.length > 0);
  // Without its Pod, whose log files would go with it.
  const control = async (word: string) => await stage.kubectl(['exec', `${BROKER}-0`, '--', 'rabbitmqctl', word]);
  await control('stop_app');
  await until('the Pods connected to the broker to be not Ready', async (saw) => {
    const late = (await podsOf(stage)).filter((pod) => dependent.includes(pod.metadata.name) && isReady(pod));
    saw(late.map(({ metadata }) => metadata.name));
    return late.length === 0 || undefined;
  });
  const now = (await podsOf(stage)).filter(({ metadata }) => !metadata.name.startsWith(BROKER));
  for (const pod of now.filter(({ metadata }) => dependent.includes(metadata.name)))
    assert.match(
      // Not /readyz?verbose, which a Pod on the host's network withholds from every client.
      await stage.kubectl(['logs', pod.metadata.name, '--container=kolla-sidecar', '--tail=20']),
      /ready is unhealthy: .*(no (established )?|\d+ of \d+ )connections? to .*5672/,
    );
  const lost = now.filter(({ metadata }) => !dependent.includes(metadata.name)).filter((pod) => !isReady(pod));
  assert.deepEqual(
    lost.map(({ metadata }) => metadata.name),
    [],
  );
  await whileGone(dependent);
  await control('start_app');
  await until('all Pods to be Ready again', async (saw) => {
    const late = (await podsOf(stage)).filter((pod) => !isReady(pod));
    saw(late.map(({ metadata }) => metadata.name));
    return late.length === 0 || undefined;
  });
  return `${dependent.length} Pods not Ready without RabbitMQ, ${now.length - dependent.length} unaffected`;
}
