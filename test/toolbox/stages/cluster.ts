import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { events, line as event, scriptedApi, status, type Handler } from '../../kube/support.ts';

/** Starts an API server with one finished Job. @returns the environment that names its kubeconfig */
export function clusterWithJob(directory: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const metadata = { name: 'keystone-db-sync', resourceVersion: '7' };
  return clusterWith({ metadata, status: { conditions: [{ type: 'Complete', status: 'True' }] } }, directory, stack);
}

/** Like clusterWithJob, with this object, and without Leases. */
export async function clusterWith(
  object: object,
  directory: string,
  stack: AsyncDisposableStack,
): Promise<NodeJS.ProcessEnv> {
  const watched = events(event('ADDED', object), event('BOOKMARK', { metadata: { resourceVersion: '7' } }));
  // A Lease that is read would be that of a migration.
  const answer: Handler = (request, response) =>
    (request.url?.includes('/leases/') === true ? status(404) : watched)(request, response);
  return await clusterAnswering(answer, directory, stack);
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
