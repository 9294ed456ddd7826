import type { Log } from '../../../core/log.ts';
import { isMapping } from '../../../core/mapping.ts';
import type { Broker } from '../broker.ts';

/** Policies of users, and those of operators, which take precedence. */
const KINDS = ['policies', 'operator-policies'] as const;

/** Removes the keys of mirrored queues from all policies, and policies that have no other keys. */
export async function removeMirroring(broker: Broker, log: Log): Promise<void> {
  for (const kind of KINDS)
    for (const policy of await broker.list(`/${kind}`)) {
      const { vhost, name, definition, pattern, priority, 'apply-to': applyTo } = policy;
      if (!isMapping(definition)) continue;
      const others = Object.entries(definition).filter(([key]) => !key.startsWith('ha-'));
      if (others.length === Object.keys(definition).length) continue;
      const path = `/${kind}/${encodeURIComponent(String(vhost))}/${encodeURIComponent(String(name))}`;
      const what = `policy ${String(name)} of virtual host ${String(vhost)}`;
      if (others.length === 0) await broker.remove(path, `delete ${what}`);
      else
        await broker.put(
          path,
          { pattern, priority, definition: Object.fromEntries(others), 'apply-to': applyTo },
          `update ${what}`,
        );
      log.info(`${what}: mirrored queues ${others.length === 0 ? 'were all it was for: deleted' : 'removed'}`);
    }
}
