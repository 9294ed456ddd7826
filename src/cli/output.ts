import { ExitCode, KollaError, UnavailableError, messageOf } from '../core/errors.ts';

/** The reader of our stdout has gone (`| head`): the rest has no reader, and that is no failure to report. */
export class OutputClosedError extends KollaError {
  override name = 'OutputClosedError';
  constructor(options?: ErrorOptions) {
    super(ExitCode.outputClosed, 'whoever read the output has closed it', options);
  }
}

export interface Output extends Disposable {
  write(text: string): void;
  /** Resolves when all is written. Rejects with OutputClosedError, or UnavailableError for a full disk. */
  finish(): Promise<void>;
}

/**
 * Results on their way out. Without a listener an EPIPE or ENOSPC would end us with a stack.
 * @param onFailure told at once, so that a command that goes on for hours stops
 */
export function createOutput(stream: NodeJS.WritableStream, onFailure: (error: KollaError) => void): Output {
  let failure: KollaError | undefined;
  const fail = (cause: Error) => {
    if (failure !== undefined) return;
    failure = outputError(cause);
    onFailure(failure);
  };
  stream.on('error', fail);
  return {
    write: (text) => void (failure === undefined && stream.write(text)),
    async finish() {
      if (failure === undefined) await new Promise<void>((resolve) => stream.write('', () => resolve()));
      // The callback runs before the event that says what went wrong.
      if (failure === undefined) await new Promise((resolve) => setImmediate(resolve));
      if (failure !== undefined) throw failure;
    },
    [Symbol.dispose]: () => void stream.off('error', fail),
  };
}

function outputError(cause: Error): KollaError {
  if ((cause as NodeJS.ErrnoException).code === 'EPIPE') return new OutputClosedError({ cause });
  return new UnavailableError(`cannot write to stdout: ${messageOf(cause)}`, { cause });
}

/** A stderr without a reader, or that is full, is nowhere to report to, and no reason to end. */
export function ignoreClosedStderr(): void {
  ignoreErrors(process.stderr);
}

/** Lets a stream's errors be those of others who listen. */
export function ignoreErrors(stream: NodeJS.WriteStream): void {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
}

function ignore(): void {}
