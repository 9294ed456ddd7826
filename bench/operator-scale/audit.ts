import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The fields used of an entry of the audit log. */
interface Entry {
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** The requests of one user, counted by an API server. */
export interface Audit {
  /** Flags of the API server. */
  readonly flags: Readonly<Record<string, string>>;
  /** Numbers of requests so far: by client, verb and resource. A watch counts when it starts. */
  counts(): Promise<Requests>;
}

export type Requests = ReadonlyMap<string, number>;

/** @param directory for policy and log @param user the only one whose requests are counted */
export async function openAudit(directory: string, user: string): Promise<Audit> {
  const [policy, log] = [join(directory, 'audit-policy.json'), join(directory, 'audit.log')];
  const rules = [{ level: 'Metadata', users: [user] }, { level: 'None' }];
  await writeFile(
    policy,
    JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules }),
  );
  await writeFile(log, '');
  return {
    // By default the log starts anew at 100 MB, which 1,000 services reach.
    flags: { 'audit-policy-file': policy, 'audit-log-path': log, 'audit-log-maxsize': '10000' },
    counts: async () => {
      const counts = new Map<string, number>();
      for (const line of (await readFile(log, 'utf8')).split('\n')) {
        if (line === '') continue;
        const entry = JSON.parse(line) as Entry;
        // A long-running request has two entries.
        if ((entry.stage === 'ResponseStarted') !== (entry.verb === 'watch')) continue;
        const text = textOf(entry);
        counts.set(text, (counts.get(text) ?? 0) + 1);
      }
      return counts;
    },
  };
}

function textOf({ verb, userAgent = '', objectRef: { resource = 'others', subresource } = {} }: Entry): string {
  const client = userAgent.startsWith('Helm/') ? 'Helm' : 'operator';
  return `${client}: ${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

export function sumOf(requests: Requests): number {
  return [...requests.values()].reduce((sum, one) => sum + one, 0);
}

/** The requests between two counts, without those that did not occur. */
export function between(before: Requests, after: Requests): Requests {
  return new Map(
    [...after].flatMap(([text, count]) => {
      const more = count - (before.get(text) ?? 0);
      return more === 0 ? [] : [[text, more] as const];
    }),
  );
}
