/**
 * Whether a tool has left the schema where it should, read from the database and not from the tool's exit code:
 *
 *   revisions in the tool's script directory (revisions.ts) + those in the version table (versions.ts) -> standing
 *
 * What can't be proven is a standing too: a tool without version table, without scripts, a table that can't be read.
 */
import type { Log } from '../../core/log.ts';
import { reasonOf } from '../../mysql/index.ts';
import type { Database } from '../plan/plan.ts';
import { reach, type Reached } from '../server/reach.ts';
import { headsOf, impliedBy, readRevisions, type Revisions } from './revisions.ts';
import type { Versions } from '../plan/tables.ts';
import { readVersions } from './versions.ts';

export interface Standing {
  readonly is: 'head' | 'behind' | 'newer' | 'unproven';
  /** For people: the table, its revisions, and what they mean. */
  readonly text: string;
}

/** Time for a server that has just served the tool. */
const REACH_MS = 10_000;

/**
 * The standing of each version table after the tool has run.
 * @param programs the tool's programs, one of which has the scripts next to it
 * @param session of the first database
 */
export async function standingsOf(
  { versions: { tables, isExpand }, target, galeraDonor }: { readonly versions: Versions } & Database,
  programs: readonly string[],
  session: Reached,
  { env, signal, log }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal; readonly log: Log },
): Promise<Standing[]> {
  if (tables.length === 0) return [{ is: 'unproven', text: 'the tool has no version table that is known' }];
  const standings: Standing[] = [];
  for (const { other, table, scripts } of tables) {
    const { database } = other ?? target;
    const place = `${database}.${table}`;
    try {
      const revisions = scripts === undefined ? undefined : await firstRevisions(programs, scripts, env);
      if (revisions === undefined) {
        const why =
          scripts === undefined ? 'its revisions are not known' : `no ${scripts} next to ${programs[0] ?? ''}`;
        standings.push({ is: 'unproven', text: `${place}: ${why}` });
        continue;
      }
      const options = { timeoutMs: REACH_MS, signal, log, galeraDonor, database };
      await using own = other === undefined ? undefined : await reach(other, options);
      const versions = await readVersions(own ?? session, database, table);
      standings.push(judge(place, revisions, versions ?? [], isExpand));
    } catch (error) {
      standings.push({ is: 'unproven', text: `${place}: ${reasonOf(error)}` });
    }
  }
  return standings;
}

async function firstRevisions(
  programs: readonly string[],
  scripts: string,
  env: NodeJS.ProcessEnv,
): Promise<Revisions | undefined> {
  for (const program of programs) {
    const found = await readRevisions(program, scripts, env);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * @param versions the revisions in the version table
 * @param isExpand whether only the `expand` branch must have been applied
 */
export function judge(place: string, revisions: Revisions, versions: readonly string[], isExpand: boolean): Standing {
  const at = versions.length === 0 ? 'has no revision' : `is at ${versions.join(', ')}`;
  const unknown = versions.filter((version) => !revisions.before.has(version));
  if (unknown.length > 0)
    return {
      is: 'newer',
      text: `${place} ${at}, which this release's tool does not know: a newer release has migrated it`,
    };
  const implied = impliedBy(revisions, versions);
  const wanted = isExpand ? [...revisions.expand] : [...revisions.before.keys()];
  if (wanted.every((revision) => implied.has(revision)))
    return { is: 'head', text: `${place} ${at}, ${isExpand ? 'with all that this phase adds' : 'the head'}` };
  const wantedAlone = new Map([...revisions.before].filter(([revision]) => wanted.includes(revision)));
  const heads = headsOf(wantedAlone).filter((head) => !implied.has(head));
  return { is: 'behind', text: `${place} ${at}, not at the head ${heads.join(', ')}` };
}
