/**
 * A user's machine, for which kolla-pod is a directory and no checkout:
 *
 *   the node's network, an empty home, PATH with helm, kubectl and given programs
 *   a mount namespace in which the checkout is an empty directory
 */
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';
import { helmBinary } from '../../tools/helm.ts';
import { run } from '../../tools/process.ts';
import { kubeBinary, type KubeNode } from './kubernetes/index.ts';

/** Hides the checkout, then runs the command in `$1`, with both streams in one. */
const SCRIPT = `mount -t tmpfs -o mode=755 tmpfs '${ROOT}'; exec bash --norc -euo pipefail -c "$1" 2>&1`;
const SYSTEM = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A shell on the user's machine. */
export interface Site {
  /** Runs a command to its end; the output has both streams in the order of their lines. */
  execute(command: string): Promise<{ readonly code: number; readonly output: string }>;
  /** Adds a program, which is a command that further arguments are appended to. */
  add(name: string, command: string): Promise<void>;
  /** The command that the site's kubectl is. */
  readonly kubectl: string;
}

interface SiteOptions {
  readonly node: KubeNode;
  /** Private: the home and the programs are made in it. */
  readonly own: string;
  /** Where the commands run. */
  readonly cwd: string;
  /** The namespace that kubectl uses without --namespace. Default: kubectl's own. */
  readonly namespace?: string;
  /** A directory of further programs. */
  readonly path?: string;
}

export async function siteOf({ node, own, cwd, namespace, path }: SiteOptions): Promise<Site> {
  const [bin, home] = [join(own, 'bin'), join(own, 'home')];
  for (const place of [bin, home]) await mkdir(place);
  const kubeconfig = join(own, 'kubeconfig');
  // From the nodes' network the API server has another address.
  const text = (await readFile(node.kubeconfig, 'utf8')).replaceAll(node.server, node.innerServer);
  await writeFile(kubeconfig, text, { mode: 0o600 });
  const inNamespace = namespace === undefined ? '' : ` --namespace ${namespace}`;
  const kubectl = `${await kubeBinary()} kubectl --kubeconfig ${kubeconfig}${inNamespace}`;
  const add = async (name: string, command: string) => await writeScript(bin, name, command);
  await add('kubectl', kubectl);
  await symlink(await helmBinary(), join(bin, 'helm'));
  const places = [bin, ...(path === undefined ? [] : [path]), SYSTEM];
  const env = { PATH: places.join(':'), HOME: home, KUBECONFIG: kubeconfig, LANG: 'C.UTF-8' };
  return {
    kubectl,
    add,
    execute: async (command) => {
      const words = ['--mount', 'sh', '-ec', SCRIPT, 'sh', command];
      const { code, stdout, stderr } = await run(...node.inside('unshare', words), { cwd, env });
      return { code, output: stdout + stderr };
    },
  };
}

/** Writes a program that runs a command with further arguments. */
export async function writeScript(directory: string, name: string, command: string): Promise<void> {
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(file, 0o700);
}
