import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../test/cluster/kubernetes/index.ts';
import { NAMESPACE } from './waited.ts';

/** Mounts a directory where a Pod has its ServiceAccount, for the command that follows. */
const MOUNTED =
  'mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io && ' +
  'cp -r "$1" /run/secrets/kubernetes.io/serviceaccount && shift && exec "$@"';

/** The files of a ServiceAccount that may watch Jobs, Pods and the endpoints of Services. */
export async function mountable(cluster: ControlPlane, directory: string): Promise<void> {
  const kubectl = (...words: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...words]);
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await kubectl('create', 'serviceaccount', 'waiter');
  const resources = 'jobs.batch,endpointslices.discovery.k8s.io,endpoints,services,pods';
  await kubectl('create', 'role', 'waiter', '--verb=get,list,watch', `--resource=${resources}`);
  await kubectl('create', 'rolebinding', 'waiter', '--role=waiter', `--serviceaccount=${NAMESPACE}:waiter`);
  const token = await kubectl('create', 'token', 'waiter');
  for (const [name, text] of [
    ['token', token.trim()],
    ['ca.crt', cluster.ca],
    ['namespace', NAMESPACE],
  ] as const)
    await writeFile(join(directory, name), text);
}

/**
 * A command line with that account, in a mount namespace (needs root), and its environment.
 * @param port the API server's on 127.0.0.1
 */
export function asInPod(account: string, port: number, command: readonly string[]) {
  const words: [string, string[]] = ['unshare', ['--mount', 'sh', '-ec', MOUNTED, 'sh', account, ...command]];
  const { PATH } = process.env;
  return { words, env: { PATH, KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) } };
}
