/** What a process ends with: sysexits(3) where it has a word for it. Documented in docs/reference/errors.md. */
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

/** One of ours, or the code of a child that we ran. */
export type ExitCode = number;

/** The world's refusal or the caller's mistake: shown as one line, never with a stack. Anything else is our bug. */
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

/** A file that we were given is wrong: 65. */
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

/** The time allowed ran out; the message says what was last seen: 75. */
export class DeadlineError extends KollaError {
  override name = 'DeadlineError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.deadline, message, options);
  }
}

/** The system or the API server refuses: 77. */
export class NotPermittedError extends KollaError {
  override name = 'NotPermittedError';
  constructor(message: string, options?: ErrorOptions) {
    super(ExitCode.notPermitted, message, options);
  }
}

/** A program that we ran has failed, and its exit code is ours. */
export class ChildError extends KollaError {
  override name = 'ChildError';
}

/** A signal ended us: 128 and its number. The reason that the process's one AbortController carries. */
export class SignalError extends KollaError {
  override name = 'SignalError';
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated, `ended by ${signal}`);
  }
}

/** The text of anything thrown, its system code first where it has one. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (error.message === '') return code ?? error.name;
  return code === undefined || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

/** Its name, message and stack: what is said of a mistake of our own. QuickJS's stack has neither name nor message. */
export function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '' } = error;
  return stack.startsWith(String(error)) ? stack : `${String(error)}\n${stack}`.trimEnd();
}
