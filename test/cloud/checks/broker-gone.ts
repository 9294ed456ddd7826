import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { isReady, type PodState } from '../../aio/openstack.ts';
import { podsOf } from '../install.ts';
import { settingsOf } from '../pod-settings.ts';
import type { Stage } from '../stage.ts';

const BROKER = 'rabbitmq';

interface Described extends PodState {
  readonly spec: {
    readonly containers: readonly { readonly readinessProbe?: { readonly httpGet?: { readonly port: number } } }[];
  };
}

/**
 * Without the broker each Pod whose readiness is a connection to it becomes not Ready and reports the reason; the others stay Ready.
 * With the broker back, all are Ready again.
 */
export async function assertReadinessFollowsBroker(stage: Stage): Promise<string> {
  const all = ((await podsOf(stage)) as Described[]).filter(({ metadata }) => !metadata.name.startsWith(BROKER));
  const dependent: string[] = [];
  for (const pod of all)
    if (/connected \S+ 5672(?! \d)/.test(await settingsOf(stage, pod))) dependent.push(pod.metadata.name);
  assert.ok(dependent.length > 0);
  await stage.kubectl(['scale', `statefulset/${BROKER}`, '--replicas=0']);
  await until('the Pods connected to the broker to be not Ready', async (saw) => {
    const late = (await podsOf(stage)).filter((pod) => dependent.includes(pod.metadata.name) && isReady(pod));
    saw(late.map(({ metadata }) => metadata.name));
    return late.length === 0 || undefined;
  });
  const now = (await podsOf(stage)) as Described[];
  for (const pod of now.filter(({ metadata }) => dependent.includes(metadata.name)))
    assert.match(
      await readinessOf(stage, pod),
      /(no (established )?|\d+ of \d+ )connections? to .*5672/,
      pod.metadata.name,
    );
  const lost = now.filter(({ metadata }) => !dependent.includes(metadata.name)).filter((pod) => !isReady(pod));
  assert.deepEqual(
    lost.map(({ metadata }) => metadata.name),
    [],
  );
  await stage.kubectl(['scale', `statefulset/${BROKER}`, '--replicas=1']);
  await until('all Pods to be Ready again', async (saw) => {
    const late = (await podsOf(stage)).filter((pod) => !isReady(pod));
    saw(late.map(({ metadata }) => metadata.name));
    return late.length === 0 || undefined;
  });
  return `${dependent.length} Pods not Ready without RabbitMQ, ${now.length - dependent.length} unaffected`;
}

/** The sidecar's readiness with its checks and reasons, which the sidecar sends only to clients in its own Pod. */
async function readinessOf(stage: Stage, { metadata, spec }: Described): Promise<string> {
  const port = spec.containers.flatMap(({ readinessProbe }) => readinessProbe?.httpGet?.port ?? [])[0];
  if (port === undefined) return '';
  const script = `exec 3<> /dev/tcp/127.0.0.1/${port}; printf 'GET /readyz?verbose HTTP/1.0\\r\\nHost: 127.0.0.1:${port}\\r\\n\\r\\n' >&3; cat <&3`;
  return await stage.kubectl(['exec', metadata.name, '--', 'bash', '-c', script]);
}
