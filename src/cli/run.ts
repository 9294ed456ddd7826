import { existsSync } from 'node:fs';
import { COMMON_OPTIONS, DEFAULT_CONFIG_FILE } from './common-options.ts';
import { commandOf, sectionOf, type Command, type Context, type Helper } from './command.ts';
import { ExitCode, SignalError, UsageError } from '../core/errors.ts';
import type { FileOptions } from './file.ts';
import { commandHelp, helperHelp, usageOf } from './help.ts';
import { explainFile } from './named-file.ts';
import { suggestion } from '../core/nearest.ts';
import type { Values } from './option.ts';
import { optionWords } from './option-words.ts';
import { createOutput, ignoreClosedStderr, type Output } from './output.ts';
import { inputOf, resolveOptions, splitWords } from './parse.ts';
import { Reporter } from './reporter.ts';
import { fileOptionsOf } from './section.ts';
import { stopOnSignals, type Stop } from './signals.ts';
import { terminalOf, type Terminal } from '../core/terminal.ts';
import { versionLine } from '../core/version.ts';

/** Runs a helper: from its tables, argv (without the program name) and environment to an exit code. */
export async function run(helper: Helper, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  ignoreClosedStderr();
  const reporter = new Reporter(helper, terminalOf(process.stderr, env), env);
  using stop = stopOnSignals();
  using output = createOutput(process.stdout, (error) => stop.abort(error));
  using _ = endOnBug(reporter);
  try {
    const code = await answer(helper, argv, env, { reporter, stop, output, terminal: terminalOf(process.stdout, env) });
    await output.finish();
    return code;
  } catch (error) {
    return reporter.report(stop.signal.aborted && isAbort(error) ? stop.signal.reason : error);
  }
}

interface Parts {
  readonly reporter: Reporter;
  readonly stop: Stop;
  readonly output: Output;
  readonly terminal: Terminal;
}

async function answer(
  helper: Helper,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { reporter, stop, output, terminal }: Parts,
): Promise<ExitCode> {
  const early = earlyAnswer(helper, argv, terminal);
  if (early !== undefined) {
    output.write(early);
    return ExitCode.ok;
  }
  if (argv.length === 0 && !helper.main) process.stderr.write(helperHelp(helper, terminalOf(process.stderr, env)));
  const { name, command, rest } = choose(helper, argv);
  reporter.runs(command);
  const words = splitWords(rest, [...command.options, ...COMMON_OPTIONS], command.child !== undefined);
  const config = words.flags.get('config')?.[0] ?? env['KOLLA_POD_CONFIG'];
  const file = await fileOptions(helper, name, command, config).catch((error: unknown) => {
    throw explainFile(error, COMMON_OPTIONS, { config });
  });
  const common = resolveOptions(COMMON_OPTIONS, words, env, file) as Values<typeof COMMON_OPTIONS>;
  reporter.use(common);
  const options = resolveOptions(command.options, words, env, file);
  const context: Context = {
    signal: stop.signal,
    log: reporter.log,
    stdout: (text) => output.write(text),
    terminal,
    live: reporter.live,
    lastWord: (text) => reporter.leaveLastWord(text),
    inherited: env,
    podFile: file,
    commonWords: optionWords(COMMON_OPTIONS, common),
  };
  const others = name === '' ? Object.keys(helper.commands) : [];
  const input = inputOf(command, words, options, usageOf(helper, name, command), others);
  try {
    return await command.run(input, context);
  } catch (error) {
    throw explainFile(error, command.options, options);
  }
}

function earlyAnswer(helper: Helper, argv: readonly string[], terminal: Terminal): string | undefined {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (own.includes('--version')) return versionLine(helper.name);
  if (isHelpCommand(helper, own)) return helpOn(helper, own.slice(1), terminal);
  const isWhole = own.includes('--help-all') && !helper.takesNoOptions;
  if (!isWhole && !own.includes('--help') && !own.includes('-h')) return undefined;
  const name = own.find((word) => !word.startsWith('-')) ?? '';
  const command = commandOf(helper, name);
  return command
    ? commandHelp(helper, name, command, terminal, { isWhole })
    : helperHelp(helper, terminal, { isWhole });
}

/** Handles `kolla-pod help` and `kolla-probe help tcp`. For a helper with a `main`, `help` may be an operand. */
function isHelpCommand(helper: Helper, argv: readonly string[]): boolean {
  return argv[0] === 'help' && !helper.main && commandOf(helper, 'help') === undefined;
}

/** `kolla-pod help probe tcp`: resolves a command through another helper. */
function helpOn(helper: Helper, [word, ...rest]: readonly string[], terminal: Terminal): string {
  if (word === undefined || word.startsWith('-')) return helperHelp(helper, terminal);
  const other = helper.others?.find((one) => one.name === word || sectionOf(one) === word);
  if (other !== undefined) return helpOn(other, rest, terminal);
  const command = commandOf(helper, word);
  if (command !== undefined) return commandHelp(helper, word, command, terminal);
  const names = [...(helper.others ?? []).map(sectionOf), ...Object.keys(helper.commands)];
  throw new UsageError(`unknown command '${word}'${suggestion(word, names)}`);
}

function choose(helper: Helper, argv: readonly string[]): { name: string; command: Command; rest: readonly string[] } {
  const [word, ...rest] = argv;
  const command = word === undefined ? undefined : commandOf(helper, word);
  if (word !== undefined && command) return { name: word, command, rest };
  if (helper.main) return { name: '', command: helper.main, rest: argv };
  const names = [...(helper.others ?? []).map(sectionOf), ...Object.keys(helper.commands)];
  if (word === undefined) throw new UsageError(`no command given; try ${helper.name} help`);
  if (word.startsWith('-')) throw new UsageError(`the command comes first, before ${word}; try ${names.join(', ')}`);
  throw new UsageError(`unknown command '${word}'${suggestion(word, names)}`);
}

async function fileOptions(
  helper: Helper,
  name: string,
  command: Command,
  given: string | undefined,
): Promise<FileOptions | undefined> {
  const file = given || (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : undefined);
  if (file === undefined) return undefined;
  return await fileOptionsOf(helper, name, command, file);
}

function isAbort(error: unknown): boolean {
  return error instanceof SignalError || (error instanceof Error && error.name === 'AbortError');
}

/** An uncaught exception is a bug. Node would exit with 1, which means "unhealthy" for a probe. */
function endOnBug(reporter: Reporter): Disposable {
  const end = (error: unknown) => {
    // eslint-disable-next-line unicorn/no-process-exit -- the state is unknown: nothing more may run
    process.exit(reporter.report(error));
  };
  process.on('uncaughtException', end);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) };
}
