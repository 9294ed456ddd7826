import { until } from '../../support/until.ts';
import { REGISTRY } from '../images.ts';
import type { Stage } from '../stage.ts';

/** The Deployment whose configuration a service's tool reads, and its options. */
const TOOLS: Readonly<Record<string, { readonly deployment: string; readonly options?: string }>> = {
  keystone: { deployment: 'keystone' },
  placement: { deployment: 'placement-api' },
  glance: { deployment: 'glance-api' },
  nova: { deployment: 'nova-api' },
  neutron: {
    deployment: 'neutron-server',
    options: '--config-file /etc/neutron/neutron.conf --config-file /etc/neutron/plugins/ml2/ml2_conf.ini',
  },
  cinder: { deployment: 'cinder-api' },
  heat: { deployment: 'heat-api' },
};
/** What a Pod that runs a tool has no use for. */
const OF_SERVERS = new Set(['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'ports', 'args']);

export interface UpgradeCheck {
  readonly service: string;
  /** 0 without findings, 1 with warnings, 2 with failures, 255 for an error. */
  readonly code: number;
  readonly output: string;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
}

interface PodSpec {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
}

/**
 * `SERVICE-status upgrade check` of each service by the image of a release that need not be the one that serves: a Pod of the
 * service's Deployment with that image, which reads the database as it is.
 */
export async function upgradeChecks(stage: Stage, release: string): Promise<UpgradeCheck[]> {
  return await Promise.all(Object.keys(TOOLS).map(async (service) => await check(stage, release, service)));
}

async function check(stage: Stage, release: string, service: string): Promise<UpgradeCheck> {
  const { deployment = '', options = '' } = TOOLS[service] ?? {};
  const text = await stage.kubectl(['get', `deployment/${deployment}`, '--output=json']);
  const { spec } = (JSON.parse(text) as { spec: { template: { spec: PodSpec } } }).spec.template;
  const [main] = spec.containers;
  if (main === undefined) throw new Error(`deployment/${deployment} has no container`);
  const own = Object.fromEntries(Object.entries(main).filter(([key]) => !OF_SERVERS.has(key)));
  const name = `check-${service}`;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      ...spec,
      topologySpreadConstraints: [],
      restartPolicy: 'Never',
      // Our files only: the waits are for the Jobs of the release that serves.
      initContainers: spec.initContainers
        .filter((container) => container.name !== 'kolla-sidecar')
        .map((container) => (container.name === 'kolla-init' ? withoutWaits(container) : container)),
      containers: [
        {
          ...own,
          image: `${REGISTRY}/${main.image.split('/').at(-1)?.split(':')[0]}:${release}`,
          command: ['bash', '-c', `${service}-status ${options} upgrade check; echo "code $?"`],
        },
      ],
    },
  };
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify(pod));
  try {
    await until(`${name} to end`, async (saw) => {
      const phase = await stage.kubectl(['get', `pod/${name}`, '--output=jsonpath={.status.phase}']);
      saw(phase);
      return ['Succeeded', 'Failed'].includes(phase) || undefined;
    });
    const output = await stage.kubectl(['logs', name, `--container=${main.name}`]);
    const code = Number(/^code (\d+)$/m.exec(output)?.[1] ?? Number.NaN);
    return { service, code, output };
  } finally {
    await stage.kubectl(['delete', `pod/${name}`, '--wait=true']);
  }
}

function withoutWaits(container: Container): Container {
  const { command = [] } = container;
  const kept = command.filter((word, index) => word !== '--wait' && command[index - 1] !== '--wait');
  return { ...container, command: kept };
}
