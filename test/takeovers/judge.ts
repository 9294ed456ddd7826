import type { Contender } from './contender.ts';
import type { Fault } from './faults.ts';
import { overlapsIn, readJournal, type JournalRow } from './journal.ts';
import type { Lane } from './lane.ts';

/** What must not be, with all that is needed to see why. */
export class Wrong extends Error {
  override name = 'Wrong';
}

export interface Takeover {
  readonly fault: Fault;
  readonly holder: Contender;
  readonly successor: Contender;
  /** Of all that the holder wrote, when it was taken over. */
  readonly atTakeover: string;
  readonly now: string;
}

/** How far each lane's journal has been judged. */
const judged = new WeakMap<Lane, JournalRow>();
const EXCERPT = 40;
const LOG_TAIL = 6000;

/** @throws Wrong */
export async function judge(lane: Lane, takeover: Takeover): Promise<void> {
  const { fault, holder, successor, atTakeover, now } = takeover;
  const last = judged.get(lane);
  const rows = await readJournal(lane.arena.sound()[0]!, lane.database, last?.n);
  const begun = last === undefined ? undefined : lane.began.findLast(({ name }) => name === last.who)?.name;
  const overlaps = overlapsIn(rows, begun);
  const tokens = lane.began.map(({ token }) => token ?? 0);
  const [before = 0, after = 0] = [holder.token, successor.token];
  const wrongs = [
    overlaps.length > 0 ? `${overlaps.length} rows of somebody whose turn was over, such as ${line(overlaps[0]!)}` : '',
    after > before && tokens.every((token, i) => token > (tokens[i - 1] ?? 0))
      ? ''
      : `tokens do not grow: ${tokens.slice(-5).join()}`,
    atTakeover === now ? '' : `it wrote after it was taken over: ${atTakeover} then, ${now} now`,
    fault.codes.includes(holder.code ?? -1) ? '' : `it ended with ${holder.code} and not ${fault.codes.join(' or ')}`,
  ].filter((text) => text !== '');
  if (wrongs.length > 0)
    throw new Wrong(
      `${fault.name}: ${holder.name} -> ${successor.name}: ${wrongs.join('; ')}${evidence(takeover, rows)}`,
    );
  if (rows.length > 0) judged.set(lane, rows.at(-1)!);
}

function evidence({ holder, successor }: Takeover, rows: readonly JournalRow[]): string {
  const log = (one: Contender) =>
    `\n── ${one.name}, token ${one.token}, code ${one.code}\n${one.log().slice(-LOG_TAIL)}`;
  return `\n── journal\n${rows.slice(-EXCERPT).map(line).join('\n')}${log(holder)}${log(successor)}`;
}

function line({ n, who, what, node }: JournalRow): string {
  return `${n} ${who} ${what} ${node}`;
}
