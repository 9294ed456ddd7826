import { UsageError, messageOf } from '../../core/errors.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { ObjectDependency, ObjectKind } from '../dependency/dependency.ts';
import { objectWaiter } from '../dependency/objects.ts';
import { resourceOfWord } from '../dependency/resource-words.ts';
import { PLAIN } from '../shape/shape.ts';
import type { Resource } from '../dependency/sharing.ts';
import type { Effects, Report } from '../dependency/waiter.ts';
import { judgePresence } from './presence.ts';

/** Backoff for a missing definition, which may be created later, but rarely within seconds. */
const BACKOFF = { minMs: 1000, maxMs: 10_000 };

/** Any other resource in the API. The dependency defines its condition; the default is existence. */
export const any: ObjectKind = {
  form: 'object',
  word: 'RESOURCE.GROUP',
  aliases: [],
  what: 'an object',
  means: 'the object exists, or matches condition= and jsonpath=; any resource of the API server',
  by: 'name or labels',
  nameRule: 'any',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release'],
  canBeNegated: true,
  reads: ({ kind, name }) => [{ resource: resourceOfWord(kind).resource, by: 'watch', name }],
  make: (dependency, options, effects) =>
    objectWaiter(dependency, options, effects, async (report, signal) => {
      const resource = await discovered(dependency, effects, report, signal);
      const isSecret = resource.group === '' && resource.resource === 'secrets';
      if (isSecret) refuseContent(dependency);
      return { resource, shape: PLAIN, judge: judgePresence, ofMany: 'all', metadataOnly: isSecret, isAlone: isSecret };
    }),
};

/**
 * Rejects waits for the content of a Secret, which would be logged. Other names, such as `SECRETS/x` and
 * kubernetes-entrypoint's v1, lead to a Secret too.
 */
function refuseContent({ text, name, conditions, jsonpaths }: ObjectDependency): void {
  if (name === undefined || conditions.length > 0 || jsonpaths.length > 0)
    throw new UsageError(`wait '${text}': a Secret can only be waited for by name, to exist`);
}

/** Waits for a resource with a group, which may still be defined. One without a group is a typo: throws UsageError. */
async function discovered(
  { text, kind }: ObjectDependency,
  { kube }: Effects,
  report: Report,
  signal: AbortSignal,
): Promise<Resource> {
  const client = await kube();
  for (let attempt = 0; ; attempt++) {
    try {
      const found = await client.discover(kind, { signal });
      if (found !== undefined) return found;
      if (!kind.includes('.'))
        throw new UsageError(
          `wait '${text}': the API server has no resource '${kind}'; kubectl api-resources lists all. ` +
            'Write one that is defined later as RESOURCE.GROUP',
        );
      report(`the API server has no resource ${kind} yet`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UsageError) throw error;
      report(`API server: ${messageOf(error)}`);
      if (error instanceof ApiError) await pause(error.retryAfterMs, signal);
    }
    await pause(backoffMs(attempt, BACKOFF), signal);
  }
}
