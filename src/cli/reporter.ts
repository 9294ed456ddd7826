import { existsSync, writeFileSync } from 'node:fs';
import { COMMON_OPTIONS } from './common-options.ts';
import type { Command, Helper } from './command.ts';
import { ChildError, ExitCode, KollaError, SignalError, messageOf, reasonOf } from '../core/errors.ts';
import { firstBytes, lastBytes } from './first-bytes.ts';
import { LiveRegion, type Live } from './live.ts';
import { createLog, LEVELS, type Log } from '../core/log.ts';
import { ignoreErrors, OutputClosedError } from './output.ts';
import type { Values } from './option.ts';
import type { Terminal } from '../core/terminal.ts';

/** The kubelet keeps only the end of a longer message, but the cause is named at the start; a program's, at the end. */
const LAST_WORD_BYTES = 4096;

type CommonValues = Values<typeof COMMON_OPTIONS>;

/** Reports the reason for the exit once: in the log, and in the kubelet's termination message. */
export class Reporter {
  log: Log;
  readonly #helper: Helper;
  readonly #terminal: Terminal;
  readonly #region: LiveRegion | undefined;
  #isText = false;
  #isForPeople: boolean;
  /** Level and format from the environment. */
  readonly #given: readonly [CommonValues['logLevel'], CommonValues['logFormat']];
  #terminationLog: string | undefined;

  /** The environment decides until the options are parsed, since parsing itself may fail. */
  constructor(helper: Helper, terminal: Terminal, env: NodeJS.ProcessEnv) {
    this.#helper = helper;
    this.#terminal = terminal;
    this.#isForPeople = helper.isForPeople === true;
    // TERM=dumb means that the cursor cannot be moved.
    if (terminal.isTerminal && env['TERM'] !== 'dumb') this.#region = new LiveRegion(process.stderr, terminal);
    this.#terminationLog = env['KOLLA_POD_TERMINATION_LOG'] || '/dev/termination-log';
    const level = LEVELS.find((known) => known === env['KOLLA_POD_LOG_LEVEL']) ?? 'info';
    const format = (['json', 'text'] as const).find((known) => known === env['KOLLA_POD_LOG_FORMAT']) ?? 'auto';
    this.#given = [level, format];
    this.log = this.#create(level, format);
  }

  /** Before its options are parsed. */
  runs({ isForPeople = this.#isForPeople }: Pick<Command, 'isForPeople'>): void {
    this.#isForPeople = isForPeople;
    this.log = this.#create(...this.#given);
  }

  use(options: CommonValues): void {
    this.#terminationLog = options.terminationLog;
    this.log = this.#create(options.logLevel, options.logFormat);
  }

  /** The exit code for any thrown value. Only bugs are logged with a stack trace. */
  report(error: unknown): ExitCode {
    if (error instanceof OutputClosedError) return error.exitCode;
    const known = error instanceof KollaError;
    const message = known ? error.message : `our bug, please report it: ${messageOf(error)}`;
    if (error instanceof SignalError) this.log.info(message);
    else this.log.error(message, known ? {} : { stack: error instanceof Error ? error.stack : undefined });
    const last = error instanceof ChildError ? error.lastLine : '';
    // The log has the line above; the termination message is all that the Pod's status shows.
    if (last === '' || message.endsWith(last)) this.leaveLastWord(message);
    else this.#leave(`${message}; its last line: ${last}`, lastBytes);
    return known ? error.exitCode : ExitCode.bug;
  }

  /** Writes it as the kubelet's termination message, if there is a file for it. */
  leaveLastWord(message: string): void {
    this.#leave(message, firstBytes);
  }

  #leave(message: string, cut: typeof firstBytes): void {
    const file = this.#terminationLog;
    if (this.#helper.isGuest || file === undefined || !existsSync(file)) return;
    try {
      writeFileSync(file, `${cut(`${this.#helper.name}: ${message}`, LAST_WORD_BYTES - 1)}\n`);
    } catch (error) {
      this.log.warn(`cannot write ${file}: ${reasonOf(error)}`);
    }
  }

  /** The live region below the log; undefined without a terminal. */
  get live(): Live | undefined {
    return this.#isText ? this.#region : undefined;
  }

  #create(level: CommonValues['logLevel'], format: CommonValues['logFormat']): Log {
    const { name, lines } = this.#helper;
    const own = format === 'auto' ? lines : undefined;
    // The reader of stdout may already have exited.
    if (own !== undefined) ignoreErrors(process.stdout);
    this.#isText =
      own === undefined && (format === 'auto' ? this.#terminal.isTerminal || this.#isForPeople : format === 'text');
    return createLog({
      helper: name,
      level,
      format: own?.format ?? (this.#isText ? 'text' : 'json'),
      terminal: this.#terminal,
      write: (text, at) => {
        if (own?.to(at) === 'stdout') process.stdout.write(text);
        else if (this.#region === undefined) process.stderr.write(text);
        else this.#region.write(text);
      },
      now: () => new Date(),
    });
  }
}
