import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { events, line as event, scriptedApi, type Handler } from '../../kube/support.ts';

/** Starts an API server with one finished Job. @returns the environment that names its kubeconfig */
export function clusterWithJob(directory: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const metadata = { name: 'keystone-db-sync', resourceVersion: '7' };
  return clusterWith({ metadata, status: { conditions: [{ type: 'Complete', status: 'True' }] } }, directory, stack);
}

/** Like clusterWithJob, with this object. */
export async function clusterWith(
  object: object,
  directory: string,
  stack: AsyncDisposableStack,
): Promise<NodeJS.ProcessEnv> {
  const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '7' } });
  return await clusterAnswering(events(event('ADDED', object), bookmark), directory, stack);
}

/** Like clusterWithJob, with this response to every request. */
export async function clusterAnswering(
  answer: Handler,
  directory: string,
  stack: AsyncDisposableStack,
): Promise<NodeJS.ProcessEnv> {
  const api = stack.use(await scriptedApi(answer));
  const file = join(directory, 'kubeconfig');
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'openstack' } }],
    clusters: [
      { name: 'here', cluster: { server: api.url, 'certificate-authority': join(api.accountDirectory, 'ca.crt') } },
    ],
    users: [{ name: 'me', user: { token: 'token' } }],
  };
  // The file is JSON, which is also YAML.
  await writeFile(file, JSON.stringify(config));
  return { KUBECONFIG: file };
}
