/** An option in the service's configuration. */
export interface ConfigOption {
  readonly section: string;
  readonly key: string;
}

/** One command line of a service's own tool. Its program is looked up in PATH; no shell is involved. */
export interface Step {
  readonly argv: readonly [string, ...string[]];
  /** Working directory, as an absolute path; the default is that of this process. */
  readonly directory?: string;
  /** Exit codes that mean "partially done, call again". The step ends when the tool exits with 0. */
  readonly again?: readonly number[];
  /** The meaning of other exit codes, for messages. */
  readonly codes?: Readonly<Record<number, string>>;
  /** What the command does once its schema is complete. */
  readonly afterwards?: Afterwards;
}

/**
 * Work of a migration that no start of the service depends on. If it fails, the step still counts as done, with a warning,
 * because the exit code may stay the same for ever.
 */
export interface Afterwards {
  /** What is done: a noun phrase. */
  readonly what: string;
  /** A regular expression of the line that the command prints before it. */
  readonly begins: string;
  /** A regular expression of a line about a part that failed, although the command may exit with 0. */
  readonly fails: string;
  /** How to do it later. */
  readonly later: string;
}

/**
 * A value that a command reads from its environment, because no file contains it, or because arguments are visible to
 * other users.
 */
export interface ToolVariable {
  /** The variable's name. NAME_FILE may name a file with the value instead. */
  readonly name: string;
  /** Alternative variables, in this order. */
  readonly otherwise?: readonly string[];
  readonly default?: string;
  readonly secret?: true;
  /** An http or https URL, which the command itself does not check. */
  readonly url?: true;
  /** The command fails without it. */
  readonly required?: true;
}

/** The tool's listing of objects. Never logged: it may contain passwords. */
export interface Listing {
  readonly argv: readonly [string, ...string[]];
  /** A regular expression that matches one item of the output, with named groups. */
  readonly line: string;
  /** Values of groups that identify our item. */
  readonly is: Readonly<Record<string, string>>;
  /** Values of groups that exclude an item. */
  readonly not?: Readonly<Record<string, string>>;
  /** A group that contains a URL. An item with our URL (ignoring account and query) is ours, whatever its name. */
  readonly sameUrl?: string;
  /** Groups that must match these options of the service's configuration. */
  readonly holds: Readonly<Record<string, ConfigOption>>;
}

/**
 * A task of the service's own tool before its first start, besides the schema. In its command lines and in `is`,
 * `{name}` is a setting, and in `update` also a group of the listing; other braces are the tool's.
 */
export interface ToolTask {
  /** Short, unique within its service; also used in the record. */
  readonly name: string;
  /** What it creates. */
  readonly summary: string;
  /** Command lines that may be repeated after a crash or by a concurrent run. */
  readonly steps: readonly [Step, ...Step[]];
  /** Site-specific values, with defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly variables?: readonly ToolVariable[];
  /** Variables for a Fernet key directory that the command requires but does not use: it gets a temporary one. */
  readonly throwawayKeys?: readonly string[];
  /** How completion is detected: by the tool's own listing, or else by our record. */
  readonly done:
    | {
        readonly listed: Listing;
        /** Runs if the item exists and differs. */ readonly update: readonly [Step, ...Step[]];
      }
    | {
        /** Runs once per release, or only once. It is repeated when recorded values change. */
        readonly once: 'release' | 'ever';
        /**
         * A table of the first database that the task fills. While it is empty, the task is not done: a tool may exit
         * with 0 without effect.
         */
        readonly fills?: string;
      };
}
