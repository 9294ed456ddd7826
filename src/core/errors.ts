/** Exit codes of a process: sysexits(3) where one applies. Documented in docs/reference/errors.md. */
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

/** One of ours, or the exit code of a child. */
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

/** The command line is wrong: 64. */
export class UsageError extends KollaError {
  override name = 'UsageError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.usage, message, options);
  }
}

/** An input file is invalid: 65. */
export class ConfigError extends KollaError {
  override name = 'ConfigError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.badConfig, message, options);
  }
}

/** A dependency is missing, or failed permanently: 69. */
export class UnavailableError extends KollaError {
  override name = 'UnavailableError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.unavailable, message, options);
  }
}

/** A deadline was exceeded; the message names the last observed state: 75. */
export class DeadlineError extends KollaError {
  override name = 'DeadlineError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.deadline, message, options);
  }
}

/** The system or the API server denied access: 77. */
export class NotPermittedError extends KollaError {
  override name = 'NotPermittedError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.notPermitted, message, options);
  }
}

/** A child process failed, and its exit code becomes ours. */
export class ChildError extends KollaError {
  override name = 'ChildError';
}

/** Terminated by a signal: 128 plus its number. The reason carried by the process's AbortController. */
export class SignalError extends KollaError {
  override name = 'SignalError';
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated, `ended by ${signal}`);
  }
}

/** The message of any thrown value, preceded by its system code if it has one. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (error.message === '') return code ?? error.name;
  return code === undefined || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

/** Name, message and stack of a bug. QuickJS's stack has neither name nor message. */
export function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '' } = error;
  return stack.startsWith(String(error)) ? stack : `${String(error)}\n${stack}`.trimEnd();
}
