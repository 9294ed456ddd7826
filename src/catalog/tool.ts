/** An option in the service's configuration. */
export interface Place {
  readonly section: string;
  readonly key: string;
}

/** One command line of a service's own tool. Its first word is found on the PATH; no shell reads it. */
export interface Step {
  readonly argv: readonly [string, ...string[]];
  /** Where it runs, if not where we do: absolute. */
  readonly directory?: string;
  /** Exit codes that mean "some done, call again"; the step ends with 0. */
  readonly again?: readonly number[];
  /** What its other exit codes mean, for the message when it ends with one. */
  readonly codes?: Readonly<Record<number, string>>;
}

/** A value that a command takes from its environment, because no file has it, or because an argv would show it. */
export interface ToolVariable {
  /** As the command calls it. A file may have it instead, which NAME_FILE names. */
  readonly name: string;
  /** Where else to look for it, in this order: the names by which others have the same. */
  readonly otherwise?: readonly string[];
  readonly default?: string;
  readonly secret?: true;
  /** Without it the command is not run. */
  readonly required?: true;
}

/** How the tool itself shows what it has made. It is never logged: it may hold passwords. */
export interface Listing {
  readonly argv: readonly [string, ...string[]];
  /** A regular expression for a line of its output that is one such thing, with named groups for its values. */
  readonly line: string;
  /** Which of them is ours: the groups that must have these values. */
  readonly is: Readonly<Record<string, string>>;
  /** Which are not ours in any case. */
  readonly not?: Readonly<Record<string, string>>;
  /** The group whose URL (but for account and query) tells ours as well, whatever name it was created under. */
  readonly sameUrl?: string;
  /** The groups that must have the value of these options of the service's configuration. */
  readonly holds: Readonly<Record<string, Place>>;
}

/**
 * Something that the service's own tool does before its first start, beside the schema. In the words of its command lines
 * and in `is`, `{name}` stands for a setting, and in `update` for a group of the listing's line as well; other words in
 * braces are the tool's.
 */
export interface ToolTask {
  /** Short, of its own in its service; the record has it too. */
  readonly name: string;
  /** What it makes. */
  readonly summary: string;
  /** Each may be run again: after a crash, or where another process has done it. */
  readonly steps: readonly [Step, ...Step[]];
  /** What differs from site to site, with its usual value. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly variables?: readonly ToolVariable[];
  /** Variables that name a directory of Fernet keys, which the command wants to see and encrypts nothing with: it gets one of its own. */
  readonly throwawayKeys?: readonly string[];
  /** How one sees that it is done: by the tool's own listing, or by our record where no tool shows it. */
  readonly done:
    | { readonly listed: Listing; /** Where it is there and differs. */ readonly update: readonly [Step, ...Step[]] }
    | {
        /** For every release again, or once. With other values than those recorded it is done again. */
        readonly once: 'release' | 'ever';
        /** A table of the first database that is empty until then: a tool may end with 0 without having done it. */
        readonly fills?: string;
      };
}
