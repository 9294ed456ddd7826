import { BANNERS, read } from './numbered.ts';
import type { Truth } from './truth.ts';

/** The outcome of one run. */
export interface Row {
  readonly fault: string;
  /** Number of events that were written completely. */
  readonly written: number;
  /** Number of documents on the server. */
  readonly inIndex: number;
  /** Number of distinct events among them. */
  readonly distinct: number;
  readonly deadLettered: number;
  /** Events that are neither in the index nor in the dead letters. */
  readonly lost: number;
  /** Documents and dead letters of an event, except for the first one. */
  readonly doubled: number;
  /** Documents that don't have exactly the lines of one event. */
  readonly torn: number;
  /** A few of the failures, for the error message. */
  readonly examples: readonly string[];
}

/** Maximum number of examples of each kind. */
const MOST_EXAMPLES = 5;

/**
 * Compares what was written with what the server has.
 * @param truths the truth of each writer; the last event of a killed writer may be complete, partial or missing
 * @param messages of all documents
 * @param deadLetters messages of the dead-lettered lines
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
  // Parts of lines without a number, which killed writers have left.
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

/** The header of the table, in Markdown. */
export function headOf(): string {
  const names = ['fault', 'written', 'in index', 'distinct', 'dead-lettered', 'lost', 'doubled', 'torn'];
  return `| ${names.join(' | ')} |\n|${names.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`;
}

export function rowOf(row: Row): string {
  return `| ${[row.fault, ...COLUMNS.map((name) => row[name].toLocaleString('en'))].join(' | ')} |`;
}
