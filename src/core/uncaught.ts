/**
 * Takes what is thrown where nobody catches, also what promises reject with, before it ends the process; until it is
 * disposed of. One at a time.
 * @param take runs in the async context of what threw; false: it is not its own, and ends the process
 */
export function takeUncaught(take: (error: unknown) => boolean): Disposable {
  process.setUncaughtExceptionCaptureCallback((error) => {
    if (!take(error)) for (const end of process.listeners('uncaughtException')) end(error, 'uncaughtException');
  });
  return { [Symbol.dispose]: () => process.setUncaughtExceptionCaptureCallback(null) };
}
