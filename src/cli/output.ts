import { codeOf, ExitCode, KollaError, messageOf, UnavailableError } from '../core/errors.ts';

/**
 * The reader of stdout has exited (`| head`). The remaining output has no reader, so this is not reported as an error.
 */
export class OutputClosedError extends KollaError {
  override name = 'OutputClosedError';
  constructor(options?: ErrorOptions) {
    super(ExitCode.outputClosed, 'the reader of the output has closed it', options);
  }
}

export interface Output extends Disposable {
  write(text: string): void;
  /** Resolves when everything is written. Rejects with OutputClosedError, or UnavailableError if the disk is full. */
  finish(): Promise<void>;
}

/**
 * Buffered results on stdout. Handles EPIPE and ENOSPC, which would otherwise crash the process with a stack trace.
 * @param onFailure called at once, so that a long-running command stops
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
      // The write callback runs before the error event.
      if (failure === undefined) await new Promise((resolve) => setImmediate(resolve));
      if (failure !== undefined) throw failure;
    },
    [Symbol.dispose]: () => void stream.off('error', fail),
  };
}

function outputError(cause: Error): KollaError {
  if (codeOf(cause) === 'EPIPE') return new OutputClosedError({ cause });
  return new UnavailableError(`cannot write to stdout: ${messageOf(cause)}`, { cause });
}

/** If stderr is closed or full, the failure cannot be reported anywhere and is no reason to exit. */
export function ignoreClosedStderr(): void {
  ignoreErrors(process.stderr);
}

/** Adds a listener that ignores the stream's errors, which would otherwise crash the process. */
export function ignoreErrors(stream: NodeJS.WriteStream): void {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
}

function ignore(): void {}
