import { stillRunning, type Contender } from './contender.ts';
import type { JournalRow } from './journal.ts';
import type { Lane } from './lane.ts';

const EXCERPT = 40;
const LOG_TAIL = 6000;
const LAST_LINES = 4;

/** Diagnostics of a failed takeover: the holder's last lines, the journal's end and both logs. */
export function evidenceOf(
  { holder, successor }: { readonly holder: Contender; readonly successor: Contender },
  rows: readonly JournalRow[],
): string {
  const journal = rows.slice(-EXCERPT).map(line).join('\n');
  return `${lastLinesOf(holder)}\n── journal\n${journal}${logOf(holder)}${logOf(successor)}`;
}

/**
 * Diagnostics of a stalled lane: the logs of the last two contenders that started, of the last two that failed and of
 * those that wait, and their sessions on the nodes.
 * @param holder the contender whose exit is overdue, if any
 */
export async function stalledEvidence(lane: Lane, holder?: Contender): Promise<string> {
  const { began, failed, contenders } = lane;
  const last = [...began.slice(-2), ...failed.slice(-2)];
  const waiting = contenders().filter((one) => !last.includes(one));
  const ends = holder === undefined ? '' : stillRunning(holder);
  return [ends, ...(await sessionsIn(lane)), ...last.map(logOf), ...waiting.map(lastLinesOf)].join('');
}

/** The sessions in a lane's database, and those of root, on each usable node. */
async function sessionsIn({ arena, database }: Lane): Promise<string[]> {
  const sql = `SELECT ID, USER, HOST, COMMAND, TIME, STATE, LEFT(INFO, 150) AS INFO FROM information_schema.PROCESSLIST
    WHERE DB = ? OR USER = 'root' ORDER BY TIME DESC`;
  return await Promise.all(
    arena.sound().map(async (node) => {
      const rows = await node.query(sql, [database]).catch((error: unknown) => [String(error)]);
      return `\n── sessions on ${node.name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}`;
    }),
  );
}

function lastLinesOf(one: Contender): string {
  return `\n── ${one.name}\n${one.log().trim().split('\n').slice(-LAST_LINES).join('\n')}`;
}

function logOf(one: Contender): string {
  return `\n── ${one.name}, token ${one.token}, code ${one.code}\n${one.log().slice(-LOG_TAIL)}`;
}

/** A row of the journal, for a message. */
export function line({ n, who, what, node, token }: JournalRow): string {
  return `${n} ${who} ${what} ${node}${token === null ? '' : ` token ${token}`}`;
}
