import type { ExitCode } from '../core/errors.ts';
import type { PodFile } from './file.ts';
import type { Live } from './live.ts';
import type { Level, LineFormat, Log } from '../core/log.ts';
import type { Option, Values } from './option.ts';
import type { Terminal } from '../core/terminal.ts';

/** The context of a run, passed to every command in addition to its options. */
export interface Context {
  /** Aborted by SIGTERM or SIGINT; its reason is a SignalError. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Writes results to stdout. Everything else goes to the log. */
  readonly stdout: (text: string) => void;
  readonly terminal: Terminal;
  /** Live region of a terminal on stderr, for tables that update in place. */
  readonly live?: Live | undefined;
  /** The caller's environment, to pass to a child process. Options are read from tables, never from here. */
  readonly inherited: NodeJS.ProcessEnv;
  /** The words that give another of our programs the same common options. */
  readonly commonWords?: readonly string[];
  /** Leaves a result in the kubelet's termination message; that of an error is left in any case. */
  readonly lastWord?: (text: string) => void;
  /** kolla-pod.yaml, if there is one, for sections that are not options. */
  readonly podFile?: PodFile | undefined;
}

/** A command line that help and docs show and that a test runs. */
export interface Example {
  /** The line as a user types it, starting with the helper's name. */
  readonly line: string;
  readonly does: string;
}

export interface Operand {
  /** Its name in usage, in capitals: `HOST:PORT`. */
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** The valid values; completion offers them. */
  readonly values?: readonly string[];
  /** This operand takes all remaining arguments. */
  readonly many?: true;
}

export interface Note {
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

export interface Command<O extends readonly Option[] = readonly Option[]> {
  /** One line for command lists. */
  readonly summary: string;
  /** One more paragraph for the command's own help and page. */
  readonly description?: string;
  readonly operands: readonly Operand[];
  /** Tables in help and the manual page, such as the grammar of a value. */
  readonly notes?: readonly Note[];
  /** Name in usage for a command line after `--`, if one is accepted. */
  readonly child?: string;
  readonly options: O;
  readonly examples: readonly [Example, Example, ...Example[]];
  /**
   * Run by a person on a workstation: its log is text without a terminal, too. By default as the helper. The log of a Pod
   * is JSON, which log collectors parse.
   */
  readonly isForPeople?: boolean;
  run(input: Input<O>, context: Context): Promise<ExitCode>;
}

export interface Input<O extends readonly Option[] = readonly Option[]> {
  readonly operands: readonly string[];
  /** The arguments after `--`. */
  readonly child: readonly string[];
  readonly options: Values<O>;
}

/** One of the binary's names. */
export interface Helper {
  readonly name: string;
  readonly summary: string;
  /** Runs if the first argument is not a command. */
  readonly main?: Command;
  readonly commands: Readonly<Record<string, Command>>;
  /** The helper runs in a service's container and must not write to that container's termination log. */
  readonly isGuest?: true;
  /** Its commands are run by people, unless one says otherwise. */
  readonly isForPeople?: true;
  /** Default format and destination of log lines: those of the tool that this helper replaces. */
  readonly lines?: { readonly format: LineFormat; readonly to: (level: Level) => 'stdout' | 'stderr' };
  /** Compatible with another tool, so common options and our exit codes do not apply. */
  readonly takesNoOptions?: true;
  /** Commands of this helper that only the other binary has. Their sections of kolla-pod.yaml are valid here too. */
  readonly elsewhere?: readonly string[];
  /** The binary's other names, if this helper is its main entry. */
  readonly others?: readonly Helper[];
}

/** Keeps the literal types of a table, so that `run` sees each option's type, and hides them from callers. */
export function command<const O extends readonly Option[]>(definition: Command<O>): Command {
  return definition;
}

/** The helper's command with that name. Only own properties count: `constructor` is not a command. */
export function commandOf(helper: Helper, name: string): Command | undefined {
  return Object.hasOwn(helper.commands, name) ? helper.commands[name] : undefined;
}

/** All commands of a helper by name. The name '' is the helper without a command. */
export function commandsOf(helper: Helper): [name: string, command: Command][] {
  return [...(helper.main ? [['', helper.main] as [string, Command]] : []), ...Object.entries(helper.commands)];
}

/** The helper's section in kolla-pod.yaml. */
export function sectionOf(helper: Pick<Helper, 'name'>): string {
  return helper.name.replace(/^kolla-/, '');
}
