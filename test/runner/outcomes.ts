import { relative } from 'node:path';

/** What a run saw of one test. */
export interface Outcome {
  /** The test file that was run, from the top of the repository, also where the test is written in a module of it. */
  readonly file: string;
  /** With the names of all that it stands in, joined by ` > `. */
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, or what it failed by: messages alone, from the outermost error to the first cause. */
  readonly reason?: string;
  /** Holds tests, of which nothing is known: a describe() that was skipped or failed by itself, a file that was not run. */
  readonly isSuite?: true;
}

/** What is read of the events of `run()` of node:test. */
export interface ReportedEvent {
  readonly type: string;
  readonly data: {
    readonly file?: string | undefined;
    readonly entryFile?: string | undefined;
    readonly name?: string;
    readonly nesting?: number;
    readonly skip?: string | boolean | undefined;
    readonly todo?: string | boolean | undefined;
    readonly details?: { readonly type?: string | undefined; readonly error?: unknown };
  };
}

/** Gathers the outcomes of a run, whose events come by see(), those of one file in their order. */
export class Outcomes {
  readonly #seen: Outcome[] = [];
  /** By file, the names from the outermost to the one that began last. */
  readonly #open = new Map<string, string[]>();
  readonly #root: string;

  constructor(root: string = process.cwd()) {
    this.#root = root;
  }

  get all(): readonly Outcome[] {
    return this.#seen;
  }

  see({ type, data }: ReportedEvent): void {
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') return;
    const { name = '', nesting = 0 } = data;
    const file = relative(this.#root, data.entryFile ?? data.file ?? '');
    const names = [...(this.#open.get(file) ?? []).slice(0, nesting), name];
    this.#open.set(file, names);
    const judged = type === 'test:start' ? undefined : resultOf(type, data);
    if (judged !== undefined) this.#seen.push({ file, name: names.join(' > '), ...judged });
  }
}

/** Of files that were not run, or not to their end: skipped, so that nothing in them is taken for gone. */
export function notRun(files: readonly string[]): Outcome[] {
  return files.map((file) => ({ file, name: file, result: 'skipped', reason: 'no time was left', isSuite: true }));
}

/** Undefined for a describe() that says no more than its tests. */
function resultOf(
  type: string,
  { skip, todo, details }: ReportedEvent['data'],
): Omit<Outcome, 'file' | 'name'> | undefined {
  const suite = details?.type === 'suite' ? ({ isSuite: true } as const) : {};
  // Neither a skip nor a todo is an outcome of the product, whatever else the event says.
  for (const [word, told] of Object.entries({ skip, todo }))
    if (told !== undefined && told !== false)
      return { ...suite, result: 'skipped', reason: typeof told === 'string' && told !== '' ? told : word };
  if (type === 'test:pass') return details?.type === 'suite' ? undefined : { result: 'passed' };
  // Of what holds tests that failed there is nothing more to tell.
  const isByTests = failureOf(details?.error) === 'subtestsFailed';
  if (isByTests) return details?.type === 'suite' ? undefined : { result: 'failed' };
  return { ...suite, result: 'failed', reason: messagesOf(details?.error) };
}

/** Node's own wrapper says what its cause says. What an `await using` adds of its own stands beside what it came after. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (failureOf(error) !== undefined && cause !== undefined) return messagesOf(cause);
  const parts =
    error.name === 'SuppressedError' && 'error' in error && 'suppressed' in error
      ? [error.suppressed, error.error]
      : [error.message, ...(cause === undefined ? [] : [cause])];
  return parts.map((part) => (typeof part === 'string' ? part : messagesOf(part))).join('\nby: ');
}

function failureOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'failureType' in error ? error.failureType : undefined;
}
