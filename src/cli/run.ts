import { existsSync, writeFileSync } from 'node:fs';
import { VERSION } from './version.ts';
import { COMMON_OPTIONS, DEFAULT_CONFIG_FILE } from './common-options.ts';
import { sectionOf, type Command, type Context, type Helper } from './command.ts';
import { ExitCode, KollaError, SignalError, UsageError, messageOf } from './errors.ts';
import { readFileOptions, type FileOptions } from './file.ts';
import { commandHelp, helperHelp, usageOf } from './help.ts';
import { createLog, type Log } from './log.ts';
import { suggestion } from './nearest.ts';
import type { Values } from './option.ts';
import { inputOf, resolveOptions, splitWords } from './parse.ts';
import { stopOnSignals } from './signals.ts';
import { terminalOf, type Terminal } from './terminal.ts';

/** From a helper's tables, its argv (without the program's name) and the environment to an exit code. */
export async function run(helper: Helper, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const streams = { out: terminalOf(process.stdout, env), err: terminalOf(process.stderr, env) };
  const reporter = new Reporter(helper.name, streams.err);
  using stop = stopOnSignals();
  try {
    const early = earlyAnswer(helper, argv, streams.out);
    if (early !== undefined) {
      process.stdout.write(early);
      return ExitCode.ok;
    }
    const { name, command, rest } = choose(helper, argv);
    const usage = usageOf(helper, name, command);
    const words = splitWords(rest, [...command.options, ...COMMON_OPTIONS], command.child !== undefined);
    const file = fileOptions(helper, name, command, words.flags.get('config')?.[0] ?? env['KOLLA_POD_CONFIG']);
    reporter.use(resolveOptions(COMMON_OPTIONS, words, env, file) as Values<typeof COMMON_OPTIONS>);
    const input = inputOf(command, words, resolveOptions(command.options, words, env, file), usage);
    const context: Context = {
      signal: stop.signal,
      log: reporter.log,
      stdout: (text) => void process.stdout.write(text),
      terminal: streams.out,
      inherited: env,
    };
    return await command.run(input, context);
  } catch (error) {
    return reporter.report(stop.signal.aborted && isAbort(error) ? stop.signal.reason : error);
  }
}

function earlyAnswer(helper: Helper, argv: readonly string[], terminal: Terminal): string | undefined {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (own.includes('--version')) return `${helper.name} ${VERSION}\n`;
  if (!own.includes('--help') && !own.includes('-h')) return undefined;
  const [name = ''] = own;
  const command = helper.commands[name];
  return command ? commandHelp(helper, name, command, terminal) : helperHelp(helper, terminal);
}

function choose(helper: Helper, argv: readonly string[]): { name: string; command: Command; rest: readonly string[] } {
  const [word, ...rest] = argv;
  const command = word === undefined ? undefined : helper.commands[word];
  if (word !== undefined && command) return { name: word, command, rest };
  if (helper.main) return { name: '', command: helper.main, rest: argv };
  const names = Object.keys(helper.commands);
  if (word === undefined) throw new UsageError(`a command is missing; there is ${names.join(', ')}`);
  throw new UsageError(`no command '${word}'${suggestion(word, names)}`);
}

function fileOptions(
  helper: Helper,
  name: string,
  command: Command,
  given: string | undefined,
): FileOptions | undefined {
  const file = given ?? (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : undefined);
  if (file === undefined) return undefined;
  const path = name === '' ? [sectionOf(helper)] : [sectionOf(helper), name];
  return readFileOptions(file, path, Object.keys(helper.commands), COMMON_OPTIONS, command.options);
}

function isAbort(error: unknown): boolean {
  return error instanceof SignalError || (error instanceof Error && error.name === 'AbortError');
}

/** Says once what ended the process: in the log, and where the kubelet picks it up. */
class Reporter {
  log: Log;
  readonly #helper: string;
  readonly #terminal: Terminal;
  #terminationLog: string | undefined;

  constructor(helper: string, terminal: Terminal) {
    this.#helper = helper;
    this.#terminal = terminal;
    this.log = this.#create('info', 'auto');
  }

  use(options: Values<typeof COMMON_OPTIONS>): void {
    this.#terminationLog = options.terminationLog;
    this.log = this.#create(options.logLevel, options.logFormat);
  }

  report(error: unknown): ExitCode {
    const known = error instanceof KollaError;
    const message = known ? error.message : `our bug, please report it: ${messageOf(error)}`;
    if (error instanceof SignalError) this.log.info(message);
    else this.log.error(message, known ? {} : { stack: error instanceof Error ? error.stack : undefined });
    this.#leaveLastWord(message);
    return known ? error.exitCode : ExitCode.bug;
  }

  #leaveLastWord(message: string): void {
    const file = this.#terminationLog;
    if (file === undefined || !existsSync(file)) return;
    try {
      writeFileSync(file, `${this.#helper}: ${message}\n`);
    } catch (error) {
      this.log.warn(`cannot write ${file}: ${messageOf(error)}`);
    }
  }

  #create(level: Values<typeof COMMON_OPTIONS>['logLevel'], format: 'auto' | 'json' | 'text'): Log {
    return createLog({
      helper: this.#helper,
      level,
      format: format === 'auto' ? (this.#terminal.isTerminal ? 'text' : 'json') : format,
      terminal: this.#terminal,
      write: (text) => void process.stderr.write(text),
      now: () => new Date(),
    });
  }
}
