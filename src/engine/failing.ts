/** The message and the exit code that the host uses for an uncaught exception. */
const BUG = 'our bug, please report it';

let own = 70;

/** The exit code for a bug. */
export function bugsEndWith(code: number): void {
  own = code;
  sys.failsWith(code, BUG);
}

/** Sets another message and code until disposed. */
export function failing(code: number, said: string): Disposable {
  sys.failsWith(code, said);
  return { [Symbol.dispose]: () => bugsEndWith(own) };
}
