import { defined } from '../../core/defined.ts';
import { formatDuration } from '../../core/duration.ts';
import { isoTime } from '../../core/local-time.ts';
import { table } from '../../cli/table.ts';
import type { Terminal } from '../../core/terminal.ts';
import { dueAt, fingerprint, primaryOf, STAGED } from './ring.ts';
import type { KeyStore } from './store.ts';

interface Row {
  readonly name: string;
  readonly secret: string;
  readonly state: 'ready' | 'unstaged' | 'missing';
  readonly keys: readonly { readonly id: number; readonly fingerprint: string; readonly promoted?: string }[];
  readonly primary?: number;
  readonly changed?: string;
  /** When the next rotation is possible. */
  readonly due?: string;
}

const HEAD = ['KEYS', 'SECRET', 'ALL', 'PRIMARY', 'FOR', 'NEXT'];

/**
 * The state without the keys themselves.
 * @returns its text, and whether every repository has keys
 */
export async function statusOf(
  stores: readonly KeyStore[],
  settleMs: number,
  { terminal, output }: { readonly terminal: Terminal; readonly output: 'table' | 'json' },
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const rows: Row[] = [];
  for (const store of stores) rows.push(await rowOf(store, settleMs));
  const isWhole = rows.every(({ state }) => state !== 'missing');
  if (output === 'json') return { text: `${JSON.stringify({ repositories: rows })}\n`, isWhole };
  const now = Date.now();
  const cells = rows.map((row) => cellsOf(row, now));
  return { text: table(terminal, HEAD, cells), isWhole };
}

async function rowOf(store: KeyStore, settleMs: number): Promise<Row> {
  const { name } = store.repository;
  const secret = (await store.place()).replace('Secret ', '');
  const found = await store.read();
  const primary = found === undefined ? undefined : primaryOf(found.ring);
  if (found === undefined || primary === undefined) return { name, secret, state: 'missing', keys: [] };
  const { ring } = found;
  const keys = [...ring.keys].toSorted(([a], [b]) => a - b);
  return {
    name,
    secret,
    state: ring.keys.has(STAGED) ? 'ready' : 'unstaged',
    keys: keys.map(([id, key]) => {
      const time = ring.promoted.get(id);
      return {
        id,
        fingerprint: fingerprint(key),
        ...defined({ promoted: time === undefined ? undefined : isoTime(new Date(time)) }),
      };
    }),
    primary,
    changed: isoTime(new Date(ring.changedAt)),
    due: isoTime(new Date(dueAt(ring, { settleMs }))),
  };
}

function cellsOf({ name, secret, state, keys, primary, due = '' }: Row, now: number): string[] {
  if (state === 'missing') return [name, secret, 'none', '', '', ''];
  const since = keys.find(({ id }) => id === primary)?.promoted;
  const age = since === undefined ? 'unknown' : formatDuration(Math.max(0, now - Date.parse(since)));
  const left = Date.parse(due) - now;
  const all = `${keys.map(({ id }) => id).join(' ')}${state === 'ready' ? '' : ' (none staged)'}`;
  return [name, secret, all, String(primary), age, left > 0 ? `in ${formatDuration(left)}` : 'now'];
}
