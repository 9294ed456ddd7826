import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileLimit } from '../support/file-limit.ts';
import { CLIENT_POD, type Account } from './client.ts';
import { kubeBinary } from '../cluster/kubernetes/index.ts';
import { writeScript } from '../cluster/site.ts';
import { NAMESPACE, type Stage } from './stage.ts';

const DIRECTORY = fileURLToPath(new URL('../../dist/cloud/', import.meta.url));
const HORIZON_PORT = 8080;

let staying = false;

/** Whether all steps are over, so that a signal ends the cloud instead of interrupting a step. */
export function isStaying(): boolean {
  return staying;
}

/** Prints how to use the cloud, and resolves on SIGINT or SIGTERM. */
export async function stay(stage: Stage, admin: Account): Promise<void> {
  fileLimit(Infinity);
  await mkdir(DIRECTORY, { recursive: true });
  const kubectl = `${await kubeBinary()} kubectl --kubeconfig ${stage.node.kubeconfig} --namespace ${NAMESPACE}`;
  await writeScript(DIRECTORY, 'kubectl', kubectl);
  await writeScript(DIRECTORY, 'openstack', clientCommand(kubectl, admin));
  const settings = settingsOf(admin);
  await writeFile(join(DIRECTORY, 'openrc'), settings.map((line) => `export ${line}\n`).join(''), { mode: 0o600 });
  const horizon = await stage.reach('horizon', HORIZON_PORT).catch(() => undefined);
  console.log(`
The cloud stays until Ctrl-C.
  dist/cloud/openstack server list    the client, as admin, in its Pod
  dist/cloud/kubectl get pods         the cluster
  dist/cloud/openrc                   the same account, for a shell in a Pod: its addresses are those of Services
  http://127.0.0.1:${horizon ?? '(horizon is not installed)'}/             Horizon; user admin, password in openrc
  dist/cloud/kubectl port-forward POD 9808    then http://127.0.0.1:9808/ is the Pod's status page`);
  staying = true;
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  clearInterval(alive);
}

/** The command of OpenStack's client in its Pod. */
export function clientCommand(kubectl: string, account: Account): string {
  return `${kubectl} exec --stdin ${CLIENT_POD} -- env ${settingsOf(account).join(' ')} openstack`;
}

function settingsOf(account: Account): string[] {
  return Object.entries(account).map(([name, value]) => `${name}=${value}`);
}
