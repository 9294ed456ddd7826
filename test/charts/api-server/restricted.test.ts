/** The charts' own check of `restricted`, before anything is installed, against the admission of a real API server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canRunHelm } from '../../../tools/helm.ts';
import { canRunControlPlane } from '../../cluster/kubernetes/index.ts';
import { namespaceName, sharedControlPlane, type SharedControlPlane } from '../../servers/index.ts';
import { podsIn } from '../pods.ts';
import { ADMITTED, rendering, type Rendering } from '../support.ts';

const SMALL = fileURLToPath(new URL('../fixtures/small', import.meta.url));
const NAMESPACE = namespaceName('agreed');
const reason = (await canRunHelm()) ?? (await canRunControlPlane());

const other = (securityContext: object | undefined, more: object = {}) => ({
  extraContainers: [{ name: 'other', image: 'other', ...(securityContext && { securityContext }), ...more }],
});
const init = (securityContext: object) => ({ extraInitContainers: [{ name: 'first', securityContext }] });
const volume = (source: object) => ({ volumes: { data: { mountPath: '/data', source } } });
const inPod = (podSecurityContext: object) => ({ podSecurityContext });
const inMain = (securityContext: object) => ({ securityContext });
const sysctl = (name: string) => inPod({ sysctls: [{ name, value: '1' }] });
const httpGet = { path: '/', port: 8000 };

/** Values of workloads.api, and what the message says of them; undefined if they are admitted. */
const CASES: readonly (readonly [values: object, said?: string])[] = [
  [{}],
  [other(undefined), 'other: securityContext.allowPrivilegeEscalation is missing (admitted: false)'],
  [other(undefined), 'other: securityContext.capabilities.drop is missing (admitted: ALL)'],
  [other(ADMITTED)],
  [other({ ...ADMITTED, capabilities: { drop: ['KILL', 'ALL'], add: ['NET_BIND_SERVICE'] } })],
  [other({ ...ADMITTED, capabilities: { drop: [] } }), 'other: securityContext.capabilities.drop is missing'],
  [other({ ...ADMITTED, capabilities: { drop: ['ALL'], add: ['SYS_TIME'] } }), 'capabilities.add is SYS_TIME'],
  [other({ ...ADMITTED, seccompProfile: null, runAsNonRoot: null })],
  [other({ ...ADMITTED, seccompProfile: { type: 'Unconfined' } }), 'other: securityContext.seccompProfile.type is'],
  [other({ ...ADMITTED, privileged: true, allowPrivilegeEscalation: true }), 'securityContext.privileged is true'],
  [other({ ...ADMITTED, runAsUser: 0 }), 'other: securityContext.runAsUser is 0 (admitted: any but 0)'],
  [other({ ...ADMITTED, procMount: 'Unmasked' }), 'other: securityContext.procMount is Unmasked'],
  [other({ ...ADMITTED, seLinuxOptions: { type: 'spc_t' } }), 'other: securityContext.seLinuxOptions.type is spc_t'],
  [other(ADMITTED, { ports: [{ containerPort: 81, hostPort: 81 }] }), 'other: ports.hostPort is 81 (admitted: 0)'],
  [other(ADMITTED, { livenessProbe: { httpGet } })],
  [other(ADMITTED, { livenessProbe: { httpGet: { ...httpGet, host: '10.0.0.1' } } }), 'livenessProbe.httpGet.host is'],
  [other(ADMITTED, { readinessProbe: { tcpSocket: { port: 1, host: 'a' } } }), 'readinessProbe.tcpSocket.host is a'],
  [
    other(ADMITTED, { lifecycle: { preStop: { httpGet: { ...httpGet, host: '10.0.0.1' } } } }),
    'other: lifecycle.preStop.httpGet.host is 10.0.0.1 (admitted: none)',
  ],
  [init({ capabilities: { drop: ['ALL'] } }), 'first: securityContext.allowPrivilegeEscalation is missing'],
  [init(ADMITTED)],
  [inMain({ capabilities: null }), 'small-api: securityContext.capabilities.drop is missing'],
  [inMain({ allowPrivilegeEscalation: null }), 'small-api: securityContext.allowPrivilegeEscalation is missing'],
  [inMain({ runAsNonRoot: false }), 'small-api: securityContext.runAsNonRoot is false (admitted: true)'],
  [inMain({ windowsOptions: { hostProcess: true } }), 'windowsOptions.hostProcess is true'],
  [inPod({ runAsNonRoot: null }), 'kolla-init: securityContext.runAsNonRoot is missing'],
  [
    { ...inPod({ runAsNonRoot: false }), ...inMain({ runAsNonRoot: true }) },
    'the Pod: securityContext.runAsNonRoot is',
  ],
  [inPod({ runAsUser: 0 }), 'the Pod: securityContext.runAsUser is 0'],
  [inPod({ seccompProfile: null }), 'small-api: securityContext.seccompProfile.type is missing'],
  [inPod({ seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } })],
  [inPod({ appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } })],
  [inPod({ appArmorProfile: { type: 'Unconfined' } }), 'the Pod: securityContext.appArmorProfile.type is Unconfined'],
  [inPod({ seLinuxOptions: { type: 'spc_t' } }), 'the Pod: securityContext.seLinuxOptions.type is spc_t'],
  [inPod({ seLinuxOptions: { user: 'u', role: 'r' } }), 'the Pod: securityContext.seLinuxOptions.role is r'],
  [inPod({ seLinuxOptions: { level: 's0:c1,c2' } })],
  ...['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'].map(
    (type) => [inPod({ seLinuxOptions: { type } })] as const,
  ),
  ...[
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.ip_local_reserved_ports',
    'net.ipv4.ip_unprivileged_port_start',
    'net.ipv4.ping_group_range',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_rmem',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.tcp_wmem',
  ].map((name) => [sysctl(name)] as const),
  [sysctl('net.core.somaxconn'), 'the Pod: securityContext.sysctls.name is net.core.somaxconn'],
  [volume({ nfs: { server: 'nfs', path: '/' } }), 'the Pod: volumes.data is nfs (admitted: configMap, csi, '],
  [volume({ iscsi: { targetPortal: 'a:1', iqn: 'iqn.2000-01.a:b', lun: 0 } }), 'the Pod: volumes.data is iscsi'],
  [{ podSpec: { volumes: [{ name: 'data', hostPath: { path: '/' } }] } }, 'the Pod: volumes.data is hostPath'],
  [volume({ configMap: { name: 'a' } })],
  [volume({ csi: { driver: 'a' } })],
  [volume({ ephemeral: { volumeClaimTemplate: { spec: claim() } } })],
  [volume({ image: { reference: 'a' } })],
  [volume({ persistentVolumeClaim: { claimName: 'a' } })],
  [volume({ secret: { secretName: 'a' } })],
  [{ podSpec: { hostPID: true } }, 'the Pod: hostPID is true (admitted: false)'],
  [{ spec: { template: { spec: { hostIPC: true } } } }, 'the Pod: hostIPC is true'],
  [{ container: { securityContext: { privileged: true } } }, 'small-api: securityContext.privileged is true'],
  [{ annotations: { 'container.apparmor.security.beta.kubernetes.io/small-api': 'localhost/a' } }],
  [
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/small-api': 'unconfined' } },
    'the Pod: annotations.container.apparmor.security.beta.kubernetes.io/small-api is unconfined',
  ],
];

function claim() {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
}

describe('a Pod that restricted does not admit is not rendered', { skip: reason ?? false, concurrency: 4 }, () => {
  let cluster: SharedControlPlane;
  let small: Rendering;
  before(async () => {
    small = await rendering('small', SMALL);
    cluster = await sharedControlPlane();
    await cluster.createNamespace(NAMESPACE);
    await cluster.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
    await cluster.kubectl(['create', 'serviceaccount', 'small-api', '--namespace', NAMESPACE]);
  });
  after(async () => {
    await small?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  for (const [api, said] of CASES)
    test(`${JSON.stringify(api)} is ${said === undefined ? 'admitted' : 'refused by both'}`, async () => {
      const complaint = await small.complaint({ workloads: { api } });
      if (said === undefined) assert.equal(complaint, undefined);
      else {
        const parts = [
          'small: workloads.api is not admitted under `restricted`: ',
          said,
          '; change that, or say why by',
        ];
        for (const part of parts) assert.ok(complaint?.includes(part), `${part} is not in: ${complaint}`);
      }
      const exempt = { ...api, restricted: { exempt: 'to ask the API server' } };
      const pods = podsIn(await small.render({ workloads: { api: exempt } }));
      const pod = pods.find(({ of }) => of.endsWith('/small-api'));
      const object = { ...pod?.object, metadata: { ...pod?.object.metadata, namespace: NAMESPACE } };
      const answer = cluster.kubectl(['create', '--dry-run=server', '--filename=-'], JSON.stringify(object));
      await (said === undefined ? answer : assert.rejects(answer, /violates PodSecurity "restricted|is invalid/));
    });
});
