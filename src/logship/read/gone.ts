/** A file that was closed, and has no name that we know any more. */
export class GoneError extends Error {
  override name = 'GoneError';
  /** As an error of the system. */
  readonly syscall = 'open';
}
