import { LOST, type Contender } from './contender.ts';
import { evidenceOf, line } from './evidence.ts';
import type { Fault } from './faults.ts';
import { overlapsIn, readJournal } from './journal.ts';
import type { Lane } from './lane.ts';

/** A violated invariant, with its diagnostics. */
export class Wrong extends Error {
  override name = 'Wrong';
}

export interface Takeover {
  readonly fault: Fault;
  readonly holder: Contender;
  readonly successor: Contender;
  /** Summary of the holder's writes at the time of the takeover. */
  readonly atTakeover: string;
  readonly now: string;
}

/** How far a lane's journal has been judged. */
interface Judged {
  readonly n: number;
  readonly who: string | undefined;
  readonly token: number;
}

const judged = new WeakMap<Lane, Judged>();

export interface Judgement {
  /** Number of judged journal rows. */
  readonly rows: number;
  /** False if the holder had lost its lease before the fault, as happens with leases of 2 s on a busy machine. */
  readonly isTakeover: boolean;
}

/** @throws Wrong */
export async function judge(lane: Lane, takeover: Takeover): Promise<Judgement> {
  const { fault, holder, successor, atTakeover, now } = takeover;
  const code = holder.code ?? -1;
  const last = judged.get(lane) ?? { n: 0, who: undefined, token: 0 };
  const rows = await readJournal(lane.arena.sound()[0]!, lane.database, last.n);
  const overlaps = overlapsIn(rows, last.who);
  const tokens = [last.token, ...rows.flatMap(({ token }) => token ?? [])];
  const wrongs = [
    overlaps.length > 0 && `${overlaps.length} rows of a migrator whose turn was over, such as ${line(overlaps[0]!)}`,
    tokens.some((token, i) => i > 0 && token <= tokens[i - 1]!) && `tokens do not grow: ${tokens.join()}`,
    atTakeover !== now && `it wrote after it was taken over: ${atTakeover} then, ${now} now`,
    ![LOST, ...fault.codes].includes(code) && `it ended with ${code} and not ${fault.codes.join(' or ')}`,
  ].filter((text) => text !== false);
  if (wrongs.length > 0)
    throw new Wrong(
      `${fault.name}: ${holder.name} -> ${successor.name}: ${wrongs.join('; ')}${evidenceOf(takeover, rows)}`,
    );
  const { n, who } = rows.at(-1) ?? last;
  judged.set(lane, { n, who, token: tokens.at(-1)! });
  return { rows: rows.length, isTakeover: fault.codes.includes(code) };
}
