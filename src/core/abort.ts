/**
 * Settles with the promise or rejects with the signal's reason, whichever is first. For shared work that continues even
 * if this caller stops waiting.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Its rejection has no other receiver, and an unhandled one ends the process.
    promise.catch(() => {});
    throw signal.reason;
  }
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The promise's result. After the timeout it rejects with `<what> in 30 s`. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} in ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that aborts some time after `signal`, for cleanup during shutdown. */
export function longAfter(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  const begin = () => setTimeout(() => late.abort(signal.reason), ms).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return late.signal;
}

/** Resolves when the signal is aborted. */
export function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
