/** Writes so many pieces of a mebibyte to stdout by the log shipper's sink, until it is stopped by SIGTERM. */
import type { Batch } from '../../../src/logship/batch/batch.ts';
import { stdoutSink } from '../../../src/logship/sink/sink.ts';

const BYTES = 2 ** 20;

export const main = async ([count = '']: string[]): Promise<number> => {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort(new Error('stopped')));
  process.stdout.on('error', (error) => process.stderr.write(`event: ${error.message}\n`));
  const sink = stdoutSink(process.stdout);
  try {
    for (let n = 0; n < Number(count); n++) {
      const body = Buffer.alloc(BYTES).fill(97 + (n % 26));
      body[BYTES - 1] = 10;
      await sink.send({ body } as Batch, stop.signal);
      process.stderr.write(`sent ${n + 1}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).name}: ${(error as Error).message}\n`);
    return 3;
  }
};
