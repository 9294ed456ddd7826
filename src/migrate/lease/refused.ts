import { NotPermittedError } from '../../core/errors.ts';
import { ApiError } from '../../kube/api-error.ts';
import { rolesFor, rolesYaml, type Verb } from '../../kube/rbac.ts';
import { placeOf, subjectOf, userIn } from '../../kube/role.ts';
import { grantsOn, LEASE_VERBS } from './grants.ts';
import type { LeaseSite } from './site.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** The error for the administrator who can fix it. It contains all missing verbs and the Role to apply. */
async function notPermitted(site: LeaseSite, error: ApiError, signal: AbortSignal): Promise<NotPermittedError> {
  const { ref } = site;
  const user = userIn(error.message);
  const verbs = (await missingVerbs(site, signal)).join(', ') || verbIn(error) || 'use';
  const subject = subjectOf(user);
  const name = subject.kind === 'ServiceAccount' ? `${ref.name}-${subject.name}` : ref.name;
  const role = rolesFor(grantsOn(ref), subject, { role: name, clusterRole: name });
  return new NotPermittedError(
    `${user ?? 'this user'} may not ${verbs} Lease ${ref.name} ${placeOf(ref)}, ${site.purpose ?? 'which is the lock; --lock row does not need it'}; ` +
      `to allow it, apply this with kubectl apply -f -:\n${rolesYaml(role)}`,
    { cause: error },
  );
}

/** By default every user may query its own permissions. If that is denied, only the denied verb is known. */
async function missingVerbs({ client, ref }: LeaseSite, signal: AbortSignal): Promise<Verb[]> {
  const { group, resource, namespace, name } = ref;
  const ask = async (verb: Verb) => {
    const of = verb === 'create' ? {} : { name };
    const spec = { resourceAttributes: { group, resource, namespace, verb, ...of } };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
    const answer = await client.request<{ status?: { allowed?: boolean } }>('POST', REVIEWS, review, { signal });
    return answer.status?.allowed === false ? [verb] : [];
  };
  try {
    return (await Promise.all([...LEASE_VERBS, 'create' as const].map(ask))).flat();
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

function verbIn({ message }: ApiError): string | undefined {
  return / cannot (\w+) resource/.exec(message)?.[1];
}

/** Maximum time for which an API server that has just started denies everything, until it has loaded its Roles. */
const START_MS = 10_000;

/**
 * Distinguishes real denials from those of an API server that has just started. The function returns if the error is
 * another one or should be retried, and throws NotPermittedError for a real denial.
 */
export function refusals(site: LeaseSite): (error: unknown, signal: AbortSignal) => Promise<void> {
  let since: number | undefined;
  let isUp = false;
  return async (error, signal) => {
    if (!(error instanceof ApiError) || error.status !== 403) return;
    since ??= performance.now();
    if (isUp || performance.now() - since > START_MS) throw await notPermitted(site, error, signal);
    // Every user may read /version, unless the server has not loaded its Roles yet. After it could be read, the denied
    // request is retried once more, because its denial may have come just before.
    isUp = await answers(site, signal);
  };
}

async function answers({ client }: LeaseSite, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get('/version', { signal });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
