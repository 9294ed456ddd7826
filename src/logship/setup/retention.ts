import { at, holds, isObject, textAt, type JsonObject } from './json.ts';
import { MARK } from './mappings.ts';
import type { SetupSettings } from './settings.ts';
import type { Resource } from './resource.ts';

/**
 * The policy that removes what is older than `--keep`: Index Lifecycle Management on Elasticsearch, Index State
 * Management on OpenSearch. None without `--keep`, and none for a data stream of Elasticsearch, whose template says it.
 */
export function retentionOf(settings: SetupSettings): Resource | undefined {
  const { kind, keep, isDataStream, name } = settings;
  if (keep === undefined) return undefined;
  if (kind === 'opensearch') return ismPolicy(settings, keep);
  return isDataStream ? undefined : ilmPolicy(name, keep);
}

function ilmPolicy(name: string, keep: string): Resource {
  const policy = { _meta: { managed_by: MARK }, phases: { delete: { min_age: keep, actions: { delete: {} } } } };
  return {
    what: 'ILM policy',
    name,
    path: `/_ilm/policy/${encodeURIComponent(name)}`,
    body: { policy },
    current(reply) {
      const current = at(reply, name, 'policy');
      return isObject(current) ? { policy: current } : undefined;
    },
    isOurs: (current) => at(current, 'policy', '_meta', 'managed_by') === MARK,
    // Phases that somebody added by hand would go on moving or shrinking indices.
    isRight: (current) =>
      holds(current, { policy }) && Object.keys(at(current, 'policy', 'phases') ?? {}).join() === 'delete',
    needs: 'Index Lifecycle Management',
  };
}

function ismPolicy({ name, pattern, isDataStream }: SetupSettings, keep: string): Resource {
  const policy: JsonObject = {
    // It has no field for a mark of ours.
    description: `removes what is older than ${keep}; made by ${MARK}`,
    default_state: 'kept',
    states: [
      {
        name: 'kept',
        // A data stream's newest index can't be removed: it must become an older one first.
        actions: isDataStream ? [{ rollover: { min_index_age: '1d' } }] : [],
        transitions: [{ state_name: 'removed', conditions: { min_index_age: keep } }],
      },
      { name: 'removed', actions: [{ delete: {} }], transitions: [] },
    ],
    ism_template: [{ index_patterns: [pattern], priority: 100 }],
  };
  return {
    what: 'ISM policy',
    name,
    path: `/_plugins/_ism/policies/${encodeURIComponent(name)}`,
    body: { policy },
    current(reply) {
      const current = at(reply, 'policy');
      return isObject(current) ? { policy: current } : undefined;
    },
    isOurs: (current) => textAt(current, 'policy', 'description').includes(`made by ${MARK}`),
    isRight: (current) => holds(current, { policy }),
    overwrite: (reply) => `?if_seq_no=${textAt(reply, '_seq_no')}&if_primary_term=${textAt(reply, '_primary_term')}`,
    needs: 'Index State Management',
  };
}
