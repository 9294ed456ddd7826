import { BANNERS, read } from './numbered.ts';
import type { Truth } from './truth.ts';

/** What became of the lines of one run. */
export interface Row {
  readonly fault: string;
  /** Events that were written whole. */
  readonly written: number;
  /** Documents in the server. */
  readonly inIndex: number;
  /** Different events among them. */
  readonly distinct: number;
  readonly deadLettered: number;
  /** Written, and neither in the index nor a dead letter. */
  readonly lost: number;
  /** Documents and dead letters beyond the first of an event. */
  readonly doubled: number;
  /** Documents that do not hold exactly the lines of one event. */
  readonly torn: number;
  /** Some of what is wrong, for the error. */
  readonly examples: readonly string[];
}

/** Of each kind. */
const MOST_EXAMPLES = 5;

/**
 * Judges a run by what was written and what the server holds.
 * @param truths one a writer; where one was killed, what it had begun may be there, a part of it, or nothing
 * @param messages of all documents
 * @param deadLetters messages of the lines that were put aside
 */
export function judge(
  fault: string,
  truths: readonly Truth[],
  messages: readonly string[],
  deadLetters: readonly string[] = [],
): Row {
  const count = new Map<number, number>();
  const wrong = { torn: [] as string[], doubled: [] as string[], lost: [] as string[] };
  const isUncertain = (n: number) => truths.some(({ whole, begun }) => n >= whole && n < begun);
  // Half a line without a number, which a writer that was killed may have left.
  let stumps = truths.filter(({ whole, begun }) => whole < begun).length;
  let written = 0;
  const events = messages.filter((message) => !Object.values(BANNERS).some((banner) => banner.endsWith(message)));
  for (const message of events) {
    const { n, isFirst, isWhole } = read(message);
    if (n !== undefined && isFirst) count.set(n, (count.get(n) ?? 0) + 1);
    if (isWhole || (n === undefined ? stumps-- > 0 : isUncertain(n))) continue;
    wrong.torn.push(`torn: ${JSON.stringify(message).slice(0, 600)}`);
  }
  const distinct = count.size;
  for (const letter of deadLetters) {
    const { n } = read(letter);
    if (n !== undefined) count.set(n, (count.get(n) ?? 0) + 1);
  }
  for (const [n, times] of count) if (times > 1) wrong.doubled.push(`event ${n}: ${times} times`);
  const doubled = [...count.values()].reduce((sum, times) => sum + times - 1, 0);
  for (const { from, whole } of truths) {
    written += whole - from;
    for (let n = from; n < whole; n++) {
      if (count.has(n)) continue;
      wrong.lost.push(`event ${n}: nowhere`);
    }
  }
  const examples = Object.values(wrong).flatMap((each) => each.slice(0, MOST_EXAMPLES));
  const [inIndex, deadLettered] = [events.length, deadLetters.length];
  return {
    fault,
    written,
    inIndex,
    distinct,
    deadLettered,
    lost: wrong.lost.length,
    doubled,
    torn: wrong.torn.length,
    examples,
  };
}

const COLUMNS = ['written', 'inIndex', 'distinct', 'deadLettered', 'lost', 'doubled', 'torn'] as const;

/** The table's head, in Markdown. */
export function headOf(): string {
  const names = ['fault', 'written', 'in index', 'distinct', 'dead-lettered', 'lost', 'doubled', 'torn'];
  return `| ${names.join(' | ')} |\n|${names.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`;
}

export function rowOf(row: Row): string {
  return `| ${[row.fault, ...COLUMNS.map((name) => row[name].toLocaleString('en'))].join(' | ')} |`;
}
