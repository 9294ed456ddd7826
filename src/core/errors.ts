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

/** Whether a system call has failed. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined;
}

/** The code of a system call's or a library's error, such as `ENOENT`; undefined for an error, or a value, without one. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null | undefined)?.code;
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
  /** The last line of its output, without secrets, which is already in the log; '' if it has printed nothing. */
  readonly lastLine: string;

  constructor(exitCode: ExitCode, message: string, lastLine = '') {
    super(exitCode, message);
    this.lastLine = lastLine;
  }
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

/** What the system's codes for files mean, for a person. */
export const FILE_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EISDIR: 'it is a directory, not a file',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission denied',
};
const PROGRAM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such program',
  EACCES: 'it is not an executable file, or permission is denied',
};

/** The reason of any thrown value, for a message that names the file already. */
export function reasonOf(error: unknown): string {
  return wordsOf(error) ?? messageOf(error);
}

function wordsOf(error: unknown): string | undefined {
  if (!isSystemError(error)) return undefined;
  const words = error.syscall?.startsWith('spawn') === true ? PROGRAM_WORDS : FILE_WORDS;
  return error.syscall === 'connect' ? undefined : words[error.code ?? ''];
}

/** Whether kolla-core's engine had no memory left for an error, or for its message. */
function isWithoutMemory(error: unknown): boolean {
  return error === null || (error instanceof Error && error.name === 'InternalError' && error.message === '');
}

/** The message of any thrown value, with the path of a file. A system code without words of its own comes first. */
export function messageOf(error: unknown): string {
  if (isWithoutMemory(error)) return 'out of memory';
  if (!(error instanceof Error)) return String(error);
  if (isSuppressed(error)) return `${messageOf(error.suppressed)}; then ${messageOf(error.error)}`;
  const words = wordsOf(error);
  const { code, path } = error as { readonly code?: string; readonly path?: string | null };
  // TLS's error for a connection that ends before the handshake has a null. A path through a descriptor is none that a person knows.
  const isShown = typeof path === 'string' && !path.startsWith('/proc/self/fd/');
  if (words !== undefined) return isShown ? `${words}: ${path}` : words;
  if (error.message === '') return code ?? error.name;
  const hasWords = code === undefined || Object.hasOwn(FILE_WORDS, code);
  return hasWords || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

/** An error of `await using` at its end, after another one. Told by its fields: not every engine has the class. */
function isSuppressed(error: Error): error is Error & { readonly error: unknown; readonly suppressed: unknown } {
  return 'suppressed' in error && 'error' in error;
}

/** Name, message and stack of a bug. QuickJS's stack has neither name nor message. */
export function bugText(error: unknown): string {
  const stack = (error instanceof Error && error.stack) || '';
  if (isWithoutMemory(error)) return `InternalError: out of memory\n${stack}`.trimEnd();
  if (!(error instanceof Error)) return String(error);
  return stack.startsWith(String(error)) ? stack : `${String(error)}\n${stack}`.trimEnd();
}
