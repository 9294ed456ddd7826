/** An option in the service's configuration. */
export interface Place {
  readonly section: string;
  readonly key: string;
}

/** One command line of a service's own tool. Its program is searched on the PATH; no shell is involved. */
export interface Step {
  readonly argv: readonly [string, ...string[]];
  /** An absolute working directory, if not ours. */
  readonly directory?: string;
  /** Exit codes for "partially done, call again"; the step ends with 0. */
  readonly again?: readonly number[];
  /** The meaning of its other exit codes, for messages. */
  readonly codes?: Readonly<Record<number, string>>;
}

/** A value that a command reads from its environment, because no file has it, or because arguments are visible. */
export interface ToolVariable {
  /** The command's name for it. A file named by NAME_FILE may contain it instead. */
  readonly name: string;
  /** Alternative names, in this order. */
  readonly otherwise?: readonly string[];
  readonly default?: string;
  readonly secret?: true;
  /** Required for the command. */
  readonly required?: true;
}

/** The tool's own listing. Never logged: it may contain passwords. */
export interface Listing {
  readonly argv: readonly [string, ...string[]];
  /** A regular expression for one item of its output, with named groups. */
  readonly line: string;
  /** Identifies ours: the groups that must have these values. */
  readonly is: Readonly<Record<string, string>>;
  /** Excludes others. */
  readonly not?: Readonly<Record<string, string>>;
  /** The group whose URL (without account and query) also identifies ours, whatever its name. */
  readonly sameUrl?: string;
  /** The groups that must match these options of the service's configuration. */
  readonly holds: Readonly<Record<string, Place>>;
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
  /** Each is repeatable: after a crash, or a concurrent run. */
  readonly steps: readonly [Step, ...Step[]];
  /** Site-specific values, with defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly variables?: readonly ToolVariable[];
  /** Variables that name a Fernet key directory, required but not used by the command: it gets a temporary one. */
  readonly throwawayKeys?: readonly string[];
  /** How completion is detected: by the tool's own listing, or else by our record. */
  readonly done:
    | { readonly listed: Listing; /** If it exists and differs. */ readonly update: readonly [Step, ...Step[]] }
    | {
        /** Once per release, or once. Repeated when recorded values change. */
        readonly once: 'release' | 'ever';
        /** A table of the first database that is empty until then: a tool may exit with 0 without effect. */
        readonly fills?: string;
      };
}
