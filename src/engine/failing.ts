/** What the host says and ends with where an exception comes out of everything. */
const BUG = 'our bug, please report it';

let own = 70;

/** The exit code for a bug of ours. */
export function bugsEndWith(code: number): void {
  own = code;
  sys.failsWith(code, BUG);
}

/** Other words and another code until it is disposed of. */
export function failing(code: number, said: string): Disposable {
  sys.failsWith(code, said);
  return { [Symbol.dispose]: () => bugsEndWith(own) };
}
