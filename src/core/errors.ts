/** Exit codes of our processes: those of sysexits(3) where one applies. Documented in docs/reference/errors.md. */
export const ExitCode = {
  ok: 0,
  no: 1,
  usage: 64,
  badConfig: 65,
  unavailable: 69,
  bug: 70,
  deadline: 75,
  notPermitted: 77,
  interrupted: 130,
  outputClosed: 141,
  terminated: 143,
} as const;

/** One of our exit codes, or that of a child process. */
export type ExitCode = number;

/**
 * An expected error, caused by the environment or the user: reported on one line without a stack trace. Any other error
 * is a bug.
 */
export class KollaError extends Error {
  override name = 'KollaError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command line is invalid: exit code 64. */
export class UsageError extends KollaError {
  override name = 'UsageError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.usage, message, options);
  }
}

/** An input file is invalid: exit code 65. */
export class ConfigError extends KollaError {
  override name = 'ConfigError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.badConfig, message, options);
  }
}

/** A dependency is missing, or failed permanently: exit code 69. */
export class UnavailableError extends KollaError {
  override name = 'UnavailableError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.unavailable, message, options);
  }
}

/** A deadline was exceeded: exit code 75. The message names the last observed state. */
export class DeadlineError extends KollaError {
  override name = 'DeadlineError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.deadline, message, options);
  }
}

/** The system or the API server denied access: exit code 77. */
export class NotPermittedError extends KollaError {
  override name = 'NotPermittedError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.notPermitted, message, options);
  }
}

/** A child process failed. Its exit code becomes ours. */
export class ChildError extends KollaError {
  override name = 'ChildError';
}

/**
 * Terminated by a signal: the exit code is 128 plus its number. The AbortController of the process has this as its
 * reason.
 */
export class SignalError extends KollaError {
  override name = 'SignalError';
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated, `ended by ${signal}`);
  }
}

/** The message of any thrown value, after its system code if it has one. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isSuppressed(error)) return `${messageOf(error.suppressed)}; then ${messageOf(error.error)}`;
  const { code } = error as NodeJS.ErrnoException;
  if (error.message === '') return code ?? error.name;
  return code === undefined || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

/** An error of `await using` at its end, after another one. Told by its fields: not every engine has the class. */
function isSuppressed(error: Error): error is Error & { readonly error: unknown; readonly suppressed: unknown } {
  return 'suppressed' in error && 'error' in error;
}

/** Name, message and stack of a bug. QuickJS's stack has neither name nor message. */
export function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '' } = error;
  return stack.startsWith(String(error)) ? stack : `${String(error)}\n${stack}`.trimEnd();
}
