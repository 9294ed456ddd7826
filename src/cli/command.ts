import type { ExitCode } from '../core/errors.ts';
import type { PodFile } from './file.ts';
import type { Live } from './live.ts';
import type { Level, LineFormat, Log } from '../core/log.ts';
import type { Option, Values } from './option.ts';
import type { Terminal } from '../core/terminal.ts';

/** What every command is given besides its options. */
export interface Context {
  /** Aborted by SIGTERM or SIGINT; its reason is a SignalError. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** For results; everything else goes to the log. */
  readonly stdout: (text: string) => void;
  readonly terminal: Terminal;
  /** Where a table may be drawn that changes in place: a terminal on stderr, with lines for a person. */
  readonly live?: Live | undefined;
  /** Our caller's environment, to hand to a child. Options are read from tables, never from here. */
  readonly inherited: NodeJS.ProcessEnv;
  /** kolla-pod.yaml, where there is one, for what it holds besides options. */
  readonly podFile?: PodFile | undefined;
}

/** A command line that help and docs show, and that a test runs. */
export interface Example {
  /** As a user types it, the helper's name first. */
  readonly line: string;
  readonly does: string;
}

export interface Operand {
  /** In capitals, as usage shows it: `HOST:PORT`. */
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** The only words that are valid; for completion too. */
  readonly values?: readonly string[];
  /** Takes all the words that are left. */
  readonly many?: true;
}

export interface Note {
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

export interface Command<O extends readonly Option[] = readonly Option[]> {
  /** One line, for lists. */
  readonly summary: string;
  /** A paragraph more, for the command's own help and page. */
  readonly description?: string;
  readonly operands: readonly Operand[];
  /** Tables for help and the manual page: the grammar of a value, for one. */
  readonly notes?: readonly Note[];
  /** Whether words after `--` are taken, as another program's command line. */
  readonly child?: string;
  readonly options: O;
  readonly examples: readonly [Example, Example, ...Example[]];
  run(input: Input<O>, context: Context): Promise<ExitCode>;
}

export interface Input<O extends readonly Option[] = readonly Option[]> {
  readonly operands: readonly string[];
  /** The words after `--`. */
  readonly child: readonly string[];
  readonly options: Values<O>;
}

/** One of the binary's names. */
export interface Helper {
  readonly name: string;
  readonly summary: string;
  /** What it does when the first word names no command. */
  readonly main?: Command;
  readonly commands: Readonly<Record<string, Command>>;
  /** Runs as a guest in a service's container, whose termination log is not for its words. */
  readonly isGuest?: true;
  /** The lines of its log where no format is asked for: those of the tool that it stands for, where that had put them. */
  readonly lines?: { readonly format: LineFormat; readonly to: (level: Level) => 'stdout' | 'stderr' };
  /** Its words are another tool's, exactly: the options of every command are not among them, nor our exit codes. */
  readonly takesNoOptions?: true;
  /** Commands of the same helper in another binary: their sections of kolla-pod.yaml are not ours to refuse. */
  readonly elsewhere?: readonly string[];
  /** The binary's other names, where this one stands for all. */
  readonly others?: readonly Helper[];
}

/** Keeps a table's literal types, so that `run` sees each option under its own type, and forgets them outside. */
export function command<const O extends readonly Option[]>(definition: Command<O>): Command {
  return definition;
}

/** The helper's command of that name. Own properties only: `constructor` is not a command. */
export function commandOf(helper: Helper, name: string): Command | undefined {
  return Object.hasOwn(helper.commands, name) ? helper.commands[name] : undefined;
}

/** Every command of a helper under its name; what it does without one under ''. */
export function commandsOf(helper: Helper): [name: string, command: Command][] {
  return [...(helper.main ? [['', helper.main] as [string, Command]] : []), ...Object.entries(helper.commands)];
}

/** The helper's section in kolla-pod.yaml. */
export function sectionOf(helper: Pick<Helper, 'name'>): string {
  return helper.name.replace(/^kolla-/, '');
}
