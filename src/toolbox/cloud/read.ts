import { messageOf, NotPermittedError, UnavailableError } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { collectionPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import { ownSet, type Kind, type OpenStack, type OpenStackService } from '../../operator/api/objects.ts';

/** The objects of kolla-operator in a namespace. */
export interface Cloud {
  readonly openstacks: readonly OpenStack[];
  readonly services: ReadonlyMap<string, OpenStackService>;
}

/** @throws UnavailableError if the CRDs are not installed, or the API server does not answer; NotPermittedError */
export async function readCloud(client: KubeClient, signal: AbortSignal): Promise<Cloud> {
  const list = async <T>(kind: Kind): Promise<readonly T[]> => {
    try {
      const { items } = await client.get<{ items: readonly T[] }>(collectionPath(ownSet(kind, client.namespace)), {
        signal,
      });
      return items;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw refused(client, error, signal);
      throw new UnavailableError(
        `the API server does not know ${kind}: in the release's directory, kubectl apply --server-side -f operator/crds`,
      );
    }
  };
  const [openstacks, services] = await Promise.all([
    list<OpenStack>('OpenStack'),
    list<OpenStackService>('OpenStackService'),
  ]);
  return { openstacks, services: new Map(services.map((service) => [service.metadata.name, service])) };
}

/** Why a request has failed, for users. @throws the signal's reason */
export function refused({ server }: KubeClient, cause: unknown, signal: AbortSignal): Error {
  signal.throwIfAborted();
  const message = messageOf(cause);
  if (!(cause instanceof ApiError))
    return new UnavailableError(`no response from the API server at ${server}: ${message}`, { cause });
  return cause.status === 403
    ? new NotPermittedError(message, { cause })
    : new UnavailableError(`the API server at ${server} refuses: ${message}`, { cause });
}
