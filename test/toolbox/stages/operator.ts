import { join } from 'node:path';
import type { Handler } from '../../kube/support.ts';
import { clusterAnswering } from './cluster.ts';
import { says, type SetStage, type Stages } from './stage.ts';

const NO_CLUSTER = { code: 65, env: { HOME: '/nonexistent' } };

export const OPERATOR: Stages = {
  'kolla-operator': () => Promise.resolve({ ...NO_CLUSTER, stderr: /no cluster is named: .*--kubeconfig/ }),
  'kolla-operator --controllers service --charts dist/charts -n openstack --kubeconfig ~/.kube/config': (directory) =>
    Promise.resolve({
      code: 65,
      replace: { '~/.kube/config': join(directory, 'missing') },
      stderr: /missing.*(?:ENOENT|no such file)/s,
    }),
  'kolla-operator rbac -n openstack': says(/^kind: Role\n[^]*openstackservices\/status[^]*^kind: RoleBinding$/m),
  'kolla-operator rbac -n openstack --service-account operator -o json': says(/"name": "operator"/),
  'kolla-pod status -n openstack': cloud(
    /^cloud: - -> 2026\.1, Upgrading, 0\/1 services ready\n[^]*^keystone +- +Progressing/m,
    1,
  ),
  'kolla-pod status --context kind-kind': async (directory, stack) => ({
    ...(await cloud(/^cloud: /, 1)(directory, stack)),
    replace: { 'kind-kind': 'here' },
  }),
  'kolla-pod status -o json': cloud(/"openstacks": \[\n[^]*"name": "keystone"/, 1),
  'kolla-pod upgrade 2026.1 --dry-run -n openstack': cloud(/^1\. keystone: helm upgrade to 2026\.1/, 0),
  'kolla-pod upgrade 2026.1 --watch -n openstack': async (directory, stack) => ({
    env: await clusterAnswering(answer, directory, stack),
    stderr: /release 2026\.1 -> 2026\.1[^]*Ready/,
  }),
};

function cloud(stdout: RegExp, code: number): SetStage {
  return async (directory, stack) => ({ env: await clusterAnswering(answer, directory, stack), stdout, code });
}

const metadata = { name: 'cloud', namespace: 'openstack', uid: 'u', generation: 1, resourceVersion: '7' };
const ready = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
];
const spec = { release: '2026.1', services: { keystone: {} } };

/** A cloud whose upgrade is watched to its end. */
const answer: Handler = (request, response) => {
  const isWatch = request.url?.includes('watch=true') === true;
  const status = {
    observedGeneration: 1,
    phase: isWatch ? 'Ready' : 'Upgrading',
    progress: '0/1',
    conditions: isWatch ? ready : [],
  };
  const object = { metadata, spec, status };
  const isList = /openstacks(?:\?|$)/.test(request.url ?? '');
  const body = isWatch
    ? { type: 'ADDED', object }
    : request.url?.includes('openstackservices') === true
      ? { items: [] }
      : isList
        ? { items: [object] }
        : object;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(`${JSON.stringify(body)}\n`);
  if (!isWatch) response.end();
};
