import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { KubeNode } from '../cluster/kubernetes/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const CONFIG_FILES = '/var/lib/kolla/config_files';

/** A service that sleeps, with one entry of each kind: own directory, image directory, shared directory, logs, data. */
const CONFIG = {
  command: 'sleep 3600',
  config_files: [
    { source: `${CONFIG_FILES}/keystone.conf`, dest: '/etc/keystone/keystone.conf', owner: 'keystone', perm: '0600' },
    { source: `${CONFIG_FILES}/audit_map.conf`, dest: '/etc/pycadf/audit_map.conf', owner: 'keystone', perm: '0600' },
    // Paths in the in-memory volume, above and next to a volume of the service.
    { source: `${CONFIG_FILES}/keystone.conf`, dest: '/var/lib/planned/conf/a.conf', owner: 'keystone', perm: '0600' },
    {
      source: `${CONFIG_FILES}/keystone.conf`,
      dest: '/var/lib/planned/a/conf/b.conf',
      owner: 'keystone',
      perm: '0600',
    },
    { source: `${CONFIG_FILES}/hello.sh`, dest: '/usr/local/bin/hello.sh', owner: 'root', perm: '0755' },
  ],
  directories: [{ path: '/var/log/kolla/keystone', owner: 'keystone:keystone', perm: '0750' }],
  permissions: [
    { path: '/var/lib/keystone', owner: 'keystone:keystone' },
    { path: '/var/lib/planned/a/deep', owner: 'keystone:keystone', perm: '0700' },
  ],
};

/**
 * Runs a Pod exactly as `kolla-init plan` prints it, adding only the image and the ConfigMap it names.
 * @returns once the Pod is Ready
 */
export async function runPlannedPod(node: KubeNode, namespace: string, image: string): Promise<void> {
  const kubectl = (args: readonly string[], input?: string) => node.kubectl(['--namespace', namespace, ...args], input);
  await node.kubectl(['create', 'namespace', namespace]);
  await node.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
  await using directory = await privateDirectory('planned');
  await writeFile(join(directory.path, 'config.json'), JSON.stringify(CONFIG));
  await writeFile(join(directory.path, 'keystone.conf'), '[DEFAULT]\ndebug = true\n');
  await writeFile(join(directory.path, 'audit_map.conf'), '[DEFAULT]\n');
  await writeFile(join(directory.path, 'hello.sh'), '#!/bin/sh\necho hello\n');
  await kubectl(['create', 'configmap', 'planned', `--from-file=${directory.path}`]);
  const config = join(directory.path, 'config.json');
  const { code, stdout, stderr } = await runHelper('kolla-init', ['plan', config, '--name', 'planned']);
  if (code !== 0) throw new Error(stderr);
  const planned = load(stdout.replaceAll('image: IMAGE', `image: ${image}`)) as object;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'planned' }, ...planned };
  await until('the default ServiceAccount', async () => {
    return (await kubectl(['get', 'serviceaccount', '--output=name'])).includes('default') || undefined;
  });
  await kubectl(['create', '--filename=-'], JSON.stringify(pod));
  await kubectl(['wait', '--for=condition=Ready', 'pod/planned', '--timeout=-1s']);
}
