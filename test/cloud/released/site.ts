/**
 * A site's machine, for which kolla-pod is a directory and no checkout:
 *
 *   the nodes' network, an empty home, PATH with helm, skopeo, kubectl and the client
 *   a mount namespace in which the checkout is an empty directory
 */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../build/bundle.ts';
import { helmBinary } from '../../../tools/helm.ts';
import { run } from '../../../tools/process.ts';
import { kubeBinary } from '../../cluster/kubernetes/index.ts';
import { skopeoFor } from '../../cluster/registry.ts';
import type { Account } from '../client.ts';
import { NAMESPACE, type Stage } from '../stage.ts';
import { clientCommand, writeScript } from '../stay.ts';
import type { Execute } from './transcript.ts';

/** Hides the checkout, then runs the command in `$1`, with both streams in one. */
const SCRIPT = `mount -t tmpfs -o mode=755 tmpfs '${ROOT}'; exec bash --norc -euo pipefail -c "$1" 2>&1`;
const SYSTEM = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A shell on the site's machine. */
export interface Site {
  readonly execute: Execute;
  /** Adds the program `openstack`, which is the client in its Pod. */
  addClient(admin: Account): Promise<void>;
}

/** @param directory where the commands run */
export async function siteOf(stage: Stage, directory: string): Promise<Site> {
  const { node, directory: own } = stage;
  const [bin, home] = [join(own, 'bin'), join(own, 'home')];
  for (const place of [bin, home]) await mkdir(place);
  const kubeconfig = join(own, 'kubeconfig');
  // From the nodes' network the API server has another address.
  const text = (await readFile(node.kubeconfig, 'utf8')).replaceAll(node.server, node.innerServer);
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const kubectl = `${await kubeBinary()} kubectl --kubeconfig ${kubeconfig} --namespace ${NAMESPACE}`;
  await writeScript(bin, 'kubectl', kubectl);
  await symlink(await helmBinary(), join(bin, 'helm'));
  const skopeo = await skopeoFor(own, []);
  const env = { PATH: `${bin}:${dirname(skopeo)}:${SYSTEM}`, HOME: home, KUBECONFIG: kubeconfig, LANG: 'C.UTF-8' };
  return {
    execute: async (command) => {
      const words = ['--mount', 'sh', '-ec', SCRIPT, 'sh', command];
      const { code, stdout, stderr } = await run(...node.inside('unshare', words), { cwd: directory, env });
      return { code, output: stdout + stderr };
    },
    addClient: async (admin) => await writeScript(bin, 'openstack', clientCommand(kubectl, admin)),
  };
}
