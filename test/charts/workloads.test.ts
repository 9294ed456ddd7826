import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { CHECKS } from '../../src/probe/checks/index.ts';
import { KINDS } from '../../src/wait/index.ts';
import { VERSION } from '../../src/core/version.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { ADMITTED, rendering, type KubeObject, type Rendered, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const skip = (await canRunHelm()) ?? false;

describe('workloads', { skip }, () => {
  let small: Rendering;
  before(async () => {
    small = await rendering('small', SMALL);
  });
  after(async () => await small?.[Symbol.asyncDispose]());

  const api = async (values: object, others: object = {}) => {
    const rendered = await small.render({ ...others, workloads: { api: values, worker: { enabled: false } } });
    const workload = rendered.all.find(
      ({ kind, metadata }) => /Deployment|Set$/.test(kind) && metadata.name === 'small-api',
    );
    assert.ok(workload);
    return { rendered, workload, pod: workload['spec'].template.spec as KubeObject };
  };
  const podYaml = (rendered: Rendered) =>
    load(rendered.one('ConfigMap', 'small-api-kolla-pod')['data']['kolla-pod.yaml']) as KubeObject;

  test('probes are httpGet requests to the sidecar, which has the checks', async () => {
    const { rendered, pod } = await api({});
    assert.deepEqual(podYaml(rendered)['checks'], {
      ready: { run: 'http http://127.0.0.1:8000/', for: ['readiness'], period: '5s', timeout: '3s' },
      alive: { run: 'tcp 127.0.0.1:8000', for: ['liveness', 'startup'], period: '5s', timeout: '3s' },
    });
    const [container] = pod['containers'];
    assert.deepEqual(
      ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => container[probe].httpGet),
      ['/startupz', '/readyz', '/livez'].map((path) => ({ path, port: 9808 })),
    );
    assert.equal(pod['shareProcessNamespace'], undefined);
  });

  test('mode: exec runs kolla-probe in the container, without a sidecar', async () => {
    const { pod } = await api({ probes: { mode: 'exec' } });
    assert.deepEqual(pod['containers'][0].readinessProbe.exec.command, [
      'kolla-probe',
      'http',
      'http://127.0.0.1:8000/',
    ]);
    assert.deepEqual(
      pod['initContainers'].map(({ name }: KubeObject['metadata']) => name),
      ['kolla-init'],
    );
  });

  test('a Deployment with a volume for one node stops its Pod before the next; without one it rolls', async () => {
    const strategyOf = async (persistent: object | null) => {
      const volumes = persistent && {
        volumes: { data: { mountPath: '/data', persistent: { size: '1Gi', ...persistent } } },
      };
      return (await api({ ...volumes })).workload['spec'].strategy.type;
    };
    assert.equal(await strategyOf(null), 'RollingUpdate');
    assert.equal(await strategyOf({}), 'Recreate');
    assert.equal(await strategyOf({ accessModes: ['ReadWriteOnce'] }), 'Recreate');
    assert.equal(await strategyOf({ accessModes: ['ReadWriteMany'] }), 'RollingUpdate');
    const { workload } = await api({ strategy: { type: 'Recreate' } });
    assert.deepEqual(workload['spec'].strategy, { type: 'Recreate' });
  });

  test('a check of processes sets shareProcessNamespace', async () => {
    for (const readiness of ['process nova-conductor', 'connected nova 5672', 'socket /run/x --process ovs'])
      assert.equal((await api({ probes: { readiness } })).pod['shareProcessNamespace'], true, readiness);
  });

  test('copied: an init container installs the binary, and all commands are found in its volume', async () => {
    const { pod } = await api({}, { kollaPod: { delivery: 'copied' } });
    const [install, init, sidecar] = pod['initContainers'];
    assert.deepEqual(
      [install.image, install.args],
      [`kolla/kolla-pod:${VERSION}`, ['install', '--core', '/opt/kolla-pod']],
    );
    assert.equal(init.command[0], '/opt/kolla-pod/bin/kolla-init');
    assert.deepEqual(sidecar.command, ['/opt/kolla-pod/bin/kolla-sidecar']);
    assert.deepEqual(pod['containers'][0].args, ['/opt/kolla-pod/bin/kolla_start']);
    for (const container of [init, sidecar, ...pod['containers']]) {
      assert.ok(isMounted(container, '/opt/kolla-pod'));
      const path = container.env.find(({ name }: KubeObject['metadata']) => name === 'PATH').value;
      // rootless-bin precedes bin, and both precede the image's commands.
      const ours = ['rootless-bin', 'bin'].map((directory) => `/opt/kolla-pod/${directory}`).join(':');
      assert.ok(path.startsWith(`${ours}:/`), path);
    }
  });

  test('copied: Pods whose helpers need no more get only kolla-core', async () => {
    const exec = { mode: 'exec', readiness: 'http http://127.0.0.1:8000/', liveness: 'listen 8000' };
    const installed = async (workload: object, more: object = {}) => {
      const alone = { bootstrap: { enabled: false }, needs: ['tcp://db:3306'], kollaPod: { delivery: 'copied' } };
      const { pod } = await api({ needs: [], probes: exec, ...workload }, { ...alone, ...more });
      return pod['initContainers'][0].args;
    };
    assert.deepEqual(await installed({}), ['install', '--core', '/opt/kolla-pod']);
    const all = ['install', '/opt/kolla-pod'];
    for (const { word } of CHECKS)
      assert.ok((await installed({ probes: { ...exec, readiness: `${word} x` } })).includes('--core'), word);
    assert.ok((await installed({ probes: { ...exec, mode: 'resident' } })).includes('--core'));
    assert.deepEqual(await installed({ probes: { ...exec, liveness: 'command -- kolla-db-sync status nova' } }), all);
    for (const words of ['https://127.0.0.1/', '--status 401 https://127.0.0.1/'])
      assert.ok((await installed({ probes: { ...exec, readiness: `http ${words}` } })).includes('--core'), words);
    // Of waits for API objects the chart knows the Roles of these words.
    const waits = KINDS.flatMap(({ word, aliases, form }) =>
      form === 'object' ? [`${word}/db`] : [word, ...aliases].map((each) => `${each}://db:3306`),
    );
    for (const wait of waits) assert.ok((await installed({ needs: [wait] })).includes('--core'), wait);
    assert.ok((await installed({}, { logs: { enabled: true, url: 'http://logs:9200' } })).includes('--core'));
    const mine = { name: 'mine', image: 'x', securityContext: ADMITTED };
    assert.ok((await installed({ extraContainers: [mine] })).includes('--core'));
    const mounts = { volumeMounts: [{ name: 'kolla-pod', mountPath: '/opt/kolla-pod' }] };
    for (const key of ['extraContainers', 'extraInitContainers'])
      assert.deepEqual(await installed({ [key]: [{ ...mine, ...mounts }] }), all, key);
    assert.deepEqual(await installed({ startCheck: ['kolla-bootstrap', 'rabbitmq-check'] }), all);
    // It waits for the bootstrap Job.
    assert.ok((await installed({}, { bootstrap: { enabled: true } })).includes('--core'));
  });

  test('all containers get the configured resources, so a ResourceQuota admits them', async () => {
    const resources = { requests: { memory: '64Mi' }, limits: { memory: '256Mi' } };
    const { pod } = await api({ resources, sidecar: { resources } }, { kollaPod: { delivery: 'copied', resources } });
    for (const container of [...pod['initContainers'], ...pod['containers']])
      assert.deepEqual(container.resources, resources, container.name);
  });

  test('imageVolume: the image itself is the volume', async () => {
    const { pod } = await api({}, { kollaPod: { delivery: 'imageVolume' } });
    const volume = pod['volumes'].find(({ name }: KubeObject['metadata']) => name === 'kolla-pod');
    assert.deepEqual(volume.image, { reference: `kolla/kolla-pod:${VERSION}`, pullPolicy: 'IfNotPresent' });
    assert.equal(pod['initContainers'][0].command[0], '/opt/kolla-pod/bin/kolla-init');
  });

  test('a role is a label of its Pods, selects nodes by their labels and tolerates their taints', async () => {
    const global = {
      labels: { compute: { 'node/for': 'compute' } },
      tolerations: { compute: [{ key: 'compute', operator: 'Exists' }] },
    };
    const { pod, workload } = await api({ role: 'compute', nodeSelector: { disk: 'ssd' } }, { global });
    assert.deepEqual(pod['nodeSelector'], { 'node/for': 'compute', disk: 'ssd' });
    assert.deepEqual(pod['tolerations'], [{ key: 'compute', operator: 'Exists' }]);
    assert.equal(workload['spec'].template.metadata.labels['kolla-pod/role'], 'compute');
    assert.equal((await api({}, { global })).pod['nodeSelector'], undefined);
  });

  test('labels and annotations of a workload are on its Pods; those used by selectors and waits cannot be removed', async () => {
    const labels = { team: 'a', 'app.kubernetes.io/component': 'mine' };
    const annotations = { 'prometheus.io/scrape': 'true', 'kolla-pod/release': 'mine' };
    const { workload, rendered } = await api({ labels, annotations });
    const { metadata } = workload['spec'].template;
    assert.equal(metadata.labels.team, 'a');
    assert.equal(metadata.labels['app.kubernetes.io/component'], 'api');
    assert.equal(metadata.annotations['prometheus.io/scrape'], 'true');
    assert.equal(metadata.annotations['kolla-pod/release'], '2025.2');
    const [job] = rendered.of('Job');
    assert.equal(job?.['spec'].template.metadata.labels.team, undefined);
  });

  test('replicas are spread, and two or more have a PodDisruptionBudget that keeps all but one', async () => {
    const one = await api({});
    assert.deepEqual(one.rendered.of('PodDisruptionBudget'), []);
    const three = await api({ replicas: 3 });
    const [budget] = three.rendered.of('PodDisruptionBudget');
    assert.equal(budget?.['spec'].maxUnavailable, 1);
    assert.deepEqual(budget?.['spec'].selector, three.workload['spec'].selector);
    assert.deepEqual(
      three.pod['topologySpreadConstraints'].map(({ topologyKey }: { topologyKey: string }) => topologyKey),
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
    );
    assert.deepEqual((await api({ replicas: 3, pdb: false })).rendered.of('PodDisruptionBudget'), []);
  });

  test("minAvailable replaces the default's maxUnavailable, since Kubernetes rejects both", async () => {
    const rendered = await small.render({ workloads: { api: { replicas: 3, pdb: { minAvailable: 2 } } } });
    const { spec } = rendered.one('PodDisruptionBudget', 'small-api');
    assert.deepEqual(Object.keys(spec).toSorted(), ['minAvailable', 'selector']);
  });

  test('the network policy admits the namespace to the ports, and all sources to the health port only', async () => {
    const { rendered } = await api({});
    const policy = rendered.one('NetworkPolicy', 'small-api')['spec'];
    assert.deepEqual(policy.ingress, [
      {
        ports: [
          { port: 8000, protocol: 'TCP' },
          { port: 8001, protocol: 'UDP' },
        ],
        from: [{ podSelector: {} }],
      },
      { ports: [{ port: 9808, protocol: 'TCP' }] },
    ]);
    assert.deepEqual(policy.policyTypes, ['Ingress']);
    const peers = await api({ ports: { http: 8000, cluster: { port: 4567, peersOnly: true } } });
    const { ingress, podSelector } = peers.rendered.one('NetworkPolicy', 'small-api')['spec'];
    assert.deepEqual(ingress.slice(0, 2), [
      policy.ingress[0],
      { ports: [{ port: 4567, protocol: 'TCP' }], from: [{ podSelector }] },
    ]);
    assert.ok(Object.keys(podSelector.matchLabels).length > 0);
    const from = [{ namespaceSelector: {} }];
    const other = await api({}, { networkPolicy: { from, egress: [{}] } });
    assert.deepEqual(other.rendered.one('NetworkPolicy', 'small-api')['spec'].ingress[0].from, [
      ...from,
      { podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'small', 'app.kubernetes.io/name': 'small' } } },
    ]);
    assert.deepEqual(other.rendered.one('NetworkPolicy', 'small-api')['spec'].policyTypes, ['Ingress', 'Egress']);
  });

  test('a StatefulSet has its own claims, and its headless Service names its Pods', async () => {
    const services = { small: { ports: ['http'] }, 'small-nodes': { headless: true, publishNotReadyAddresses: true } };
    const volumes = { data: { mountPath: '/var/lib/small', persistent: { size: '1Gi' } } };
    const { rendered, workload, pod } = await api(
      { kind: 'StatefulSet', services, volumes },
      { global: { storageClass: 'ceph' } },
    );
    assert.equal(workload['spec'].serviceName, 'small-nodes');
    assert.deepEqual(workload['spec'].volumeClaimTemplates, [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'ceph', resources: { requests: { storage: '1Gi' } } },
      },
    ]);
    assert.equal(rendered.one('Service', 'small-nodes')['spec'].clusterIP, 'None');
    const [init] = pod['initContainers'];
    assert.ok(
      isMounted(init, '/kolla/var/lib/small'),
      'kolla-init sets up the directory, whose owner is in config.json',
    );
  });

  test("a Deployment's persistent volume is a claim that survives an uninstall", async () => {
    const volumes = {
      data: { mountPath: '/var/lib/other', persistent: { size: '1Gi', accessModes: ['ReadWriteMany'] } },
    };
    const { rendered, pod } = await api({ volumes });
    const claim = rendered.one('PersistentVolumeClaim', 'small-api-data');
    assert.equal(claim.metadata.annotations?.['helm.sh/resource-policy'], 'keep');
    const volume = pod['volumes'].find(({ name }: KubeObject['metadata']) => name === 'data');
    assert.deepEqual(volume.persistentVolumeClaim, { claimName: 'small-api-data' });
    const [job] = rendered.of('Job');
    assert.doesNotMatch(JSON.stringify(job), /small-api-data/, 'a Job does not use the volumes of the service');
  });

  test('log shipping and a live configuration are components of one sidecar', async () => {
    const logs = { enabled: true, url: 'http://elasticsearch:9200', options: { schema: 'ecs' } };
    const { rendered, pod } = await api({}, { logs, config: { reload: 'live' } });
    const yaml = podYaml(rendered);
    assert.deepEqual(yaml['sidecar'].component, ['probe', 'config-watch', 'log-ship']);
    assert.deepEqual(yaml['init'], { watch: { root: '/kolla', 'on-change': ['signal:TERM'] } });
    assert.equal(yaml['log-ship'].schema, 'ecs');
    const sidecars = pod['initContainers'].filter(
      ({ restartPolicy }: { restartPolicy?: string }) => restartPolicy === 'Always',
    );
    assert.equal(sidecars.length, 1);
    for (const path of ['/var/log/kolla', '/kolla/etc', '/var/lib/kolla/config_files', '/etc/podinfo'])
      assert.ok(isMounted(sidecars[0], path), path);
  });

  test('a Pod that is not restricted has the reason in an annotation', async () => {
    const { workload, pod, rendered } = await api({
      hostNetwork: { reason: 'it forwards the packets of its node' },
      restricted: { exempt: 'it forwards the packets of its node' },
      securityContext: { capabilities: { add: ['NET_ADMIN'] } },
    });
    assert.equal(
      workload['spec'].template.metadata.annotations['kolla-pod/not-restricted'],
      'it forwards the packets of its node',
    );
    assert.deepEqual([pod['hostNetwork'], pod['dnsPolicy']], [true, 'ClusterFirstWithHostNet']);
    assert.equal(podYaml(rendered)['sidecar']['host-network'], true);
    assert.deepEqual(pod['containers'][0].securityContext.capabilities, { drop: ['ALL'], add: ['NET_ADMIN'] });
  });

  test('per-Pod values are overlays of kolla-pod.yaml, with their variables', async () => {
    const overlays = { ini: [{ file: '/etc/small/small.conf', key: 'my_ip', value: '$(POD_IP)' }] };
    const { rendered, pod } = await api({ overlays });
    assert.deepEqual(podYaml(rendered)['overlays'], overlays);
    const [init] = pod['initContainers'];
    assert.ok(isMounted(init, '/etc/kolla-pod'));
    assert.ok(init.env.some(({ name }: KubeObject['metadata']) => name === 'POD_IP'));
  });

  test('variables come from text, passwords, Secrets and the Pod', async () => {
    const env = {
      A: 'of {{ .Chart.Name }}',
      B: { password: 'rabbitmq_password' },
      C: { secret: 's', key: 'k' },
      D: { field: 'status.podIP' },
    };
    const { rendered, pod } = await api({ env });
    const [a, b, c, d] = pod['containers'][0].env;
    assert.deepEqual(
      [a.value, c.valueFrom.secretKeyRef, d.valueFrom.fieldRef.fieldPath],
      ['of small', { name: 's', key: 'k' }, 'status.podIP'],
    );
    const secret = rendered.one('Secret', b.valueFrom.secretKeyRef.name);
    assert.equal(Buffer.from(secret['data'].password, 'base64').toString(), 'of-rabbitmq-password');
  });

  test('a second release in a namespace has other names for all its objects', async () => {
    const namesOf = ({ all }: Rendered) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const one = namesOf(await small.render());
    const other = namesOf(await small.render({ name: 'other' }));
    assert.deepEqual(
      other.filter((name) => one.includes(name)),
      [],
    );
    assert.equal(other.length, one.length);
    assert.ok(
      other.every((name) => name.includes(' other-')),
      other.join(),
    );
  });

  test('fields unknown to the library are merged into workload, Pod and container', async () => {
    const { workload, pod } = await api({
      spec: { minReadySeconds: 7 },
      podSpec: { hostname: 'fixed' },
      container: { stdin: true },
      resources: { limits: { memory: '1Gi' } },
    });
    assert.equal(workload['spec'].minReadySeconds, 7);
    assert.equal(pod['hostname'], 'fixed');
    assert.deepEqual(
      [pod['containers'][0].stdin, pod['containers'][0].resources],
      [true, { limits: { memory: '1Gi' } }],
    );
  });

  test('null leaves out a field of the library, such as the replicas that an autoscaler sets', async () => {
    const { workload, pod } = await api({
      replicas: 2,
      spec: { replicas: null },
      podSpec: { automountServiceAccountToken: null },
      podSecurityContext: { runAsGroup: null },
      securityContext: { readOnlyRootFilesystem: null },
      container: { readinessProbe: null },
    });
    const [container] = pod['containers'];
    for (const [field, object] of [
      ['replicas', workload['spec']],
      ['automountServiceAccountToken', pod],
      ['runAsGroup', pod['securityContext']],
      ['readOnlyRootFilesystem', container.securityContext],
      ['readinessProbe', container],
    ])
      assert.ok(!(field in object), field);
  });
});

function isMounted({ volumeMounts }: { volumeMounts: { mountPath: string }[] }, path: string): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath === path);
}
