import { relative } from 'node:path';

/** The outcome of one test. */
export interface Outcome {
  /** The test file that was run, from the repository's root, even if the test is defined in an imported module. */
  readonly file: string;
  /** The name, including those of its enclosing suites, joined with ` > `. */
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** The reason for a skip or failure: only messages, from the outermost error to the root cause. */
  readonly reason?: string;
  /** A suite of unknown tests: a describe() that was skipped or failed itself, or a file that was not run. */
  readonly isSuite?: true;
}

/** The fields that are used of node:test's `run()` events. */
export interface ReportedEvent {
  readonly type: string;
  readonly data: {
    readonly file?: string | undefined;
    readonly entryFile?: string | undefined;
    readonly name?: string;
    readonly message?: string;
    readonly nesting?: number;
    readonly skip?: string | boolean | undefined;
    readonly todo?: string | boolean | undefined;
    readonly details?: { readonly type?: string | undefined; readonly error?: unknown };
  };
}

/** Of a file that ended by itself, its last lines say why: those of the watchdog (test/support/file-limit.ts) come last. */
const LAST_LINES = 12;

/** Collects the outcomes of a run from its events, which arrive in order within each file. */
export class Outcomes {
  readonly #seen: Outcome[] = [];
  /** For each file the names of the open suites and tests, starting with the outermost. */
  readonly #open = new Map<string, string[]>();
  /** What each file has printed on stderr, its end. */
  readonly #said = new Map<string, string[]>();
  readonly #root: string;

  constructor(root: string = process.cwd()) {
    this.#root = root;
  }

  get all(): readonly Outcome[] {
    return this.#seen;
  }

  see({ type, data }: ReportedEvent): void {
    const file = relative(this.#root, data.entryFile ?? data.file ?? '');
    if (type === 'test:stderr') {
      const lines = [...(this.#said.get(file) ?? []), ...(data.message ?? '').trimEnd().split('\n')];
      this.#said.set(file, lines.slice(-LAST_LINES));
    }
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') return;
    const { name = '', nesting = 0 } = data;
    const names = [...(this.#open.get(file) ?? []).slice(0, nesting), name];
    this.#open.set(file, names);
    const judged = type === 'test:start' ? undefined : resultOf(type, data);
    if (judged === undefined) return;
    const end = endOf(data.details?.error);
    const said = end === undefined ? [] : [judged.reason, end, ...(this.#said.get(file) ?? [])];
    this.#seen.push({
      file,
      name: names.join(' > '),
      ...judged,
      ...(end !== undefined && { reason: said.join('\n') }),
    });
  }
}

/** The outcome of a file that was not run or was interrupted. */
export function notRun(file: string): Outcome {
  return { file, name: file, result: 'skipped', reason: 'no time was left', isSuite: true };
}

/** How a file's process ended that failed without a failed test; undefined for any other error. */
function endOf(error: unknown): string | undefined {
  if (failureOf(error) !== 'testCodeFailure' || typeof error !== 'object' || error === null) return undefined;
  if ('signal' in error && typeof error.signal === 'string') return `ended by ${error.signal}`;
  return 'exitCode' in error && typeof error.exitCode === 'number' ? `exit code ${error.exitCode}` : undefined;
}

/** Undefined for a describe() that adds nothing to its tests. */
function resultOf(
  type: string,
  { skip, todo, details }: ReportedEvent['data'],
): Omit<Outcome, 'file' | 'name'> | undefined {
  const suite = details?.type === 'suite' ? ({ isSuite: true } as const) : {};
  // A skip or todo takes precedence over the event's pass or fail.
  for (const [word, told] of Object.entries({ skip, todo }))
    if (told !== undefined && told !== false)
      return { ...suite, result: 'skipped', reason: typeof told === 'string' && told !== '' ? told : word };
  if (type === 'test:pass') return details?.type === 'suite' ? undefined : { result: 'passed' };
  // A suite whose tests have failed has no failure of its own.
  const isByTests = failureOf(details?.error) === 'subtestsFailed';
  if (isByTests) return details?.type === 'suite' ? undefined : { result: 'failed' };
  return { ...suite, result: 'failed', reason: messagesOf(details?.error) };
}

/** Node's wrapper repeats its cause's message. Errors of an `await using` are listed next to the original one. */
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
