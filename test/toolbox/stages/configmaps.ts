import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SetStage, Stages } from './stage.ts';

export const CONFIGMAPS: Stages = {
  // Because there is no cluster, the output is checked instead of applied.
  'kolla-pod configmaps /etc/kolla/keystone -n openstack | kubectl apply --server-side -f -': directoryOf(
    'keystone',
    /^kind: Secret\nmetadata:\n {2}name: keystone-keystone\.conf-/m,
    { 'kubectl apply --server-side -f -': 'cat' },
  ),
  'kolla-pod configmaps /etc/kolla/keystone --mounts': directoryOf('keystone', /^volumes:\n {2}- name: config-files/),
  'kolla-pod configmaps /etc/kolla/keystone --explain': directoryOf(
    'keystone',
    /^keystone\.conf +Secret .*line 2: a URL with user info/m,
  ),
  "kolla-pod configmaps /etc/kolla/nova-api --reload live --bundle service --secret 'vendordata.json'": directoryOf(
    'nova-api',
    /^kind: Secret\nmetadata:\n {2}name: nova-api$/m,
  ),
};

function directoryOf(service: string, stdout: RegExp, more: Readonly<Record<string, string>> = {}): SetStage {
  return async (directory) => {
    const at = join(directory, service);
    await mkdir(at);
    const files = {
      'keystone.conf': '[database]\nconnection = mysql://keystone:hidden@db/keystone\n',
      'vendordata.json': '{}',
      'config.json': '{"command": "true"}',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(at, name), text);
    return { replace: { [`/etc/kolla/${service}`]: at, ...more }, stdout };
  };
}
