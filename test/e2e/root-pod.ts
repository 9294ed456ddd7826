import { makeAuthority } from '../cluster/authority.ts';
import type { KubeNode } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';

const CONFIG_FILES = '/var/lib/kolla/config_files';
const LOGS = '/var/log/kolla/keystone';

const CONFIG = {
  command: 'sleep 3600',
  config_files: [
    { source: `${CONFIG_FILES}/keystone.conf`, dest: '/etc/keystone/keystone.conf', owner: 'keystone', perm: '0600' },
  ],
  permissions: [{ path: LOGS, owner: 'keystone:keystone', recurse: true }],
};

/**
 * Prints the outcome of each step on a line. The output of the image's CA bundle update is dropped: it needs `find`.
 */
const SCRIPT = `
export KOLLA_CONFIG_STRATEGY=COPY_ALWAYS
stat --format 'volume %a' ${CONFIG_FILES}
readlink ${CONFIG_FILES}/keystone.conf ${CONFIG_FILES}/ca-certificates
mkdir ${LOGS}
kolla_set_configs; echo "kolla_set_configs $?"
stat --format '%n %a %U' /etc/keystone/keystone.conf ${LOGS}
kolla_copy_cacerts > /dev/null 2>&1
stat --format '%n %a' /usr/local/share/ca-certificates/kolla-customca-*
chroot --userspec=keystone:keystone --groups=kolla / sh -c 'mv ${LOGS} ${LOGS}.old && ln -s /etc ${LOGS}'
kolla_set_configs; echo "kolla_set_configs $?"
stat --format '%n %U' /etc /etc/passwd`;

/**
 * Runs Kolla's own commands as root in a Pod, on a volume filled by the kubelet from a ConfigMap and a Secret of mode
 * 0400; then again after the service's user replaced its log directory with a link to /etc.
 * @returns the Pod's log, once it has exited
 */
export async function runRootPod(node: KubeNode, namespace: string, image: string): Promise<string> {
  const kubectl = (args: readonly string[], input?: string) => node.kubectl(['--namespace', namespace, ...args], input);
  await node.kubectl(['create', 'namespace', namespace]);
  const configMap = { 'config.json': JSON.stringify(CONFIG), 'keystone.conf': '[DEFAULT]\ndebug = true\n' };
  const secret = { 'root.crt': makeAuthority('a deployment').certificate };
  const volume = {
    name: 'config',
    projected: {
      defaultMode: 0o400,
      sources: [
        { configMap: { name: 'config' } },
        { secret: { name: 'ca', items: [{ key: 'root.crt', path: 'ca-certificates/root.crt' }] } },
      ],
    },
  };
  const container = {
    name: 'main',
    image,
    command: ['bash', '-c', SCRIPT],
    volumeMounts: [{ name: 'config', mountPath: CONFIG_FILES }],
  };
  const objects = [
    { kind: 'ConfigMap', metadata: { name: 'config' }, data: configMap },
    { kind: 'Secret', metadata: { name: 'ca' }, stringData: secret },
    {
      kind: 'Pod',
      metadata: { name: 'root' },
      spec: { restartPolicy: 'Never', containers: [container], volumes: [volume] },
    },
  ];
  await until('the default ServiceAccount', async () => {
    return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
  });
  const items = objects.map((object) => ({ apiVersion: 'v1', ...object }));
  await kubectl(['create', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/root', '--timeout=-1s']);
  return await kubectl(['logs', 'root']);
}
