/** k8s/security's seccomp profile on the shared node, applied to working helpers and to forbidden system calls. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { must } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { IMAGE, type Stage } from './keystone-pod.ts';

const PROFILE = fileURLToPath(new URL('../../k8s/security/seccomp-helpers.json', import.meta.url));
const NAME = 'security';
const DIRECTORY = '/var/lib/kubelet/seccomp/kolla-pod';
const LOCALHOST = { type: 'Localhost', localhostProfile: 'kolla-pod/helpers.json' };

const CONFIG = {
  'config.json': JSON.stringify({
    command: 'true',
    config_files: [
      { source: '/var/lib/kolla/config_files/a.conf', dest: '/etc/keystone/a.conf', owner: 'keystone', perm: '0600' },
    ],
  }),
  'a.conf': '[a]\nb = c\n',
  'kolla-pod.yaml': JSON.stringify({
    sidecar: { component: ['probe', 'config-watch', 'waits', 'log-ship'] },
    checks: { api: { run: 'http http://127.0.0.1:5000/', for: ['readiness'], period: '1s' } },
    init: {
      root: '/kolla',
      wait: ['file:/var/lib/kolla/config_files/config.json'],
      watch: { root: '/kolla', 'on-change': ['exec:true'] },
    },
    'log-ship': { to: ['stdout'], root: '/var/log/kolla' },
  }),
};

/** A Pod with a service and helpers, under the profile. */
function pod(): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const helper = { image: IMAGE, securityContext: { ...securityContext, seccompProfile: LOCALHOST } };
  const mounts = [
    { name: 'config', mountPath: '/var/lib/kolla/config_files', readOnly: true },
    { name: 'config', mountPath: '/etc/kolla-pod', readOnly: true },
    { name: 'kolla', mountPath: '/kolla/etc', subPath: 'etc' },
    { name: 'kolla', mountPath: '/kolla/run', subPath: 'run' },
    { name: 'kolla', mountPath: '/run/kolla', subPath: 'run/kolla' },
    { name: 'logs', mountPath: '/var/log/kolla' },
  ];
  const script =
    'mkdir -p /var/log/kolla/keystone; echo "the line" >> /var/log/kolla/keystone/x.log; exec python3 -m http.server 5000 --directory /tmp';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'guarded' },
    spec: {
      terminationGracePeriodSeconds: 5,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 42_425,
        runAsGroup: 42_425,
        fsGroup: 42_400,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [
        { name: 'config', configMap: { name: 'guarded' } },
        { name: 'kolla', emptyDir: { medium: 'Memory' } },
        { name: 'logs', emptyDir: {} },
      ],
      initContainers: [
        { name: 'kolla-init', ...helper, command: ['kolla-init', '--root', '/kolla'], volumeMounts: mounts },
        { name: 'kolla-sidecar', ...helper, restartPolicy: 'Always', command: ['kolla-sidecar'], volumeMounts: mounts },
      ],
      containers: [
        {
          name: 'web',
          image: IMAGE,
          command: ['bash', '-c', script],
          securityContext,
          readinessProbe: { httpGet: { path: '/readyz', port: 9808 }, periodSeconds: 1 },
          volumeMounts: [{ name: 'logs', mountPath: '/var/log/kolla' }],
        },
      ],
    },
  };
}

/** @param stage called when a test runs */
export function securityTests(stage: () => Pick<Stage, 'node'>): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', NAME, ...args], input);

  test('kolla-init and every component of kolla-sidecar work under the seccomp profile in a restricted namespace', async () => {
    const { node } = stage();
    const text = await readFile(PROFILE, 'utf8');
    await must(...node.inside('sh', ['-c', `mkdir -p ${DIRECTORY} && cat > ${DIRECTORY}/helpers.json`], 'node'), {
      input: text,
    });
    await node.kubectl(['create', 'namespace', NAME]);
    await node.kubectl(['label', 'namespace', NAME, 'pod-security.kubernetes.io/enforce=restricted']);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'guarded' }, data: CONFIG };
    await kubectl(['create', '--filename=-'], JSON.stringify(map));
    await kubectl(['create', '--filename=-'], JSON.stringify(pod()));
    await until('guarded to be Ready', async (saw) => {
      // Errors of the container runtime are reported only here.
      saw(await kubectl(['describe', 'pod/guarded']));
      const ready = '--output=jsonpath={.status.conditions[?(@.type=="Ready")].status}';
      return (await kubectl(['get', 'pod/guarded', ready])) === 'True' || undefined;
    });
    const inSidecar = (...words: string[]) => kubectl(['exec', 'guarded', '--container=kolla-sidecar', '--', ...words]);
    assert.match(await inSidecar('cat', '/proc/1/status'), /^Seccomp:\s+2$/m);
    assert.equal(await inSidecar('cat', '/kolla/etc/keystone/a.conf'), '[a]\nb = c\n');
    await until(
      'the line to be shipped',
      async () => /the line/.test(await kubectl(['logs', 'guarded', '--container=kolla-sidecar'])) || undefined,
    );
    const changed = { data: { 'a.conf': '[a]\nb = d\n' } };
    await kubectl(['patch', 'configmap', 'guarded', '--type=merge', `--patch=${JSON.stringify(changed)}`]);
    await until(
      'the change to be installed',
      async () => /b = d/.test(await inSidecar('cat', '/kolla/etc/keystone/a.conf')) || undefined,
    );
  });

  test('the profile blocks new namespaces, mounts, tracing, kernel keyrings and raw sockets', async () => {
    const tries = {
      unshare: 'libc.unshare(0x10000000)',
      mount: 'libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)',
      ptrace: 'libc.ptrace(16, 1, 0, 0)',
      keyctl: 'libc.syscall(250, 0, 0)',
      bpf: 'libc.syscall(321, 0, 0, 0)',
      io_uring: 'libc.syscall(425, 1, 0)',
      packet: 'libc.socket(17, 3, 0)',
      vsock: 'libc.socket(40, 1, 0)',
    };
    const script = Object.entries(tries)
      .map(([name, call]) => `print("${name}", ${call}, ctypes.get_errno())`)
      .join('\n');
    const python = `import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint("inet", libc.socket(2, 1, 0) > 0, 0)\n${script}`;
    const said = await kubectl(['exec', 'guarded', '--container=kolla-sidecar', '--', 'python3', '-c', python]);
    const rows = Object.keys(tries).map((name) => `${name} -1 38`);
    assert.deepEqual(said.trim().split('\n'), ['inet True 0', ...rows]);
  });
}
