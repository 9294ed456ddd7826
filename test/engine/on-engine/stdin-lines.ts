import { POLLIN, unwatch, watch } from '../../../src/engine/runtime/loop.ts';

const STDIN = 0;
const LINE_FEED = 10;

/** Calls with each line of stdin, until it ends. */
export function stdinLines(onLine: (line: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = Buffer.alloc(0);
  watch(STDIN, POLLIN, () => {
    const chunk = new Uint8Array(65_536);
    const length = sys.read(STDIN, chunk, 0, chunk.length, -1);
    if (length <= 0) {
      unwatch(STDIN);
      return resolve();
    }
    begun = Buffer.concat([begun, chunk.subarray(0, length)]);
    for (let end = begun.indexOf(LINE_FEED); end !== -1; end = begun.indexOf(LINE_FEED)) {
      onLine(begun.subarray(0, end).toString());
      begun = begun.subarray(end + 1);
    }
  });
  return promise;
}
