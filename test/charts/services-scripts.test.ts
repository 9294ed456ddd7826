import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { NEEDS_ROOT } from '../contract/extend-start/needs-root.ts';
import { SETTINGS } from '../contract/extend-start/settings.ts';
import { filesOf, mainOf, podOf, SERVICE_CHARTS, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

/** Images that inherit their parent's script. */
const BASE: Readonly<Record<string, string>> = { 'neutron-openvswitch-agent': 'neutron-base' };
/** A script shared by images of OVN and Open vSwitch; it does nothing in the latter. */
const NOT_OF_OPENVSWITCH = '/run/ovn';

/** Images whose script writes into volumes, by chart. */
const WITH_VOLUMES: Readonly<Record<string, readonly string[]>> = {
  neutron: ['openvswitch-db-server'],
  'nova-compute': ['nova-compute'],
};

/** Images whose script needs root to start the service, in some distribution. */
const ASKS_FOR_ROOT = new Set(
  NEEDS_ROOT.filter(({ variables }) => variables.includes('')).map(({ script }) => script.split('/').at(-2) ?? ''),
);

describe(
  'scripts that an image runs before its service find their requirements',
  { skip: (await canRunHelm()) ?? false },
  () => {
    for (const chart of SERVICE_CHARTS)
      test(`${chart}: its directories are volumes, and a Pod without root does not need root`, async () => {
        await using helm = await rendering(chart);
        const seen: string[] = [];
        const writing: string[] = [];
        for (const workload of workloadsOf(await helm.render())) {
          const { image, env = [], volumeMounts = [] } = mainOf(workload);
          if (env.some(({ name }) => name === 'KOLLA_SKIP_EXTEND_START')) continue;
          const name = image.replace(/^.*\/|:.*$/g, '');
          const script = BASE[name] ?? name;
          seen.push(script);
          const isRoot = podOf(workload).securityContext.runAsUser === 0;
          assert.ok(isRoot || !ASKS_FOR_ROOT.has(script), `${name} asks for root: set KOLLA_SKIP_EXTEND_START`);
          const mounted = new Set(volumeMounts.map(({ mountPath }) => mountPath));
          const wanted = Object.keys(SETTINGS[script]?.volumes ?? {}).filter((path) => path !== NOT_OF_OPENVSWITCH);
          assert.deepEqual(
            wanted.filter((path) => !mounted.has(path)),
            [],
            name,
          );
          if (wanted.length > 0) writing.push(script);
        }
        // The dashboard's Pods skip their script.
        assert.equal(seen.length === 0, chart === 'horizon');
        assert.deepEqual(writing, WITH_VOLUMES[chart] ?? []);
      });

    for (const chart of SERVICE_CHARTS)
      test(`${chart}: each directory of its configuration below /var/lib is a volume`, async () => {
        await using helm = await rendering(chart);
        const rendered = await helm.render();
        const paths: string[] = [];
        for (const workload of workloadsOf(rendered)) {
          const mounts = (mainOf(workload).volumeMounts ?? []).map(({ mountPath }) => mountPath);
          const texts = [...filesOf(rendered, workload)].filter(([name]) => /\.(?:conf|ini|py)$/.test(name));
          for (const [name, text] of texts)
            for (const [path] of text.matchAll(/\/var\/lib\/[\w/-]+/g)) {
              paths.push(path);
              assert.ok(
                mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)),
                `${workload.metadata.name}: ${path} of ${name}`,
              );
            }
        }
        assert.equal(paths.length === 0, chart === 'placement', paths.join(' '));
      });
  },
);
