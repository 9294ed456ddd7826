import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Change, WatchOptions, WatchParts, WatchStatus } from '../../../src/config/watch/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { start, tied } from '../../../tools/process.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { isOnCore } from '../../support/helper.ts';

interface Reports extends Pick<WatchParts, 'signal' | 'onApplied' | 'onStatus'> {
  readonly onSaid: (lines: string) => void;
}

/** Runs a watch in kolla-core instead of Node, with the same options: test/engine/on-engine/watch.ts. */
async function onCore(): Promise<(options: WatchOptions, reports: Reports) => Promise<never>> {
  const { path } = await privateDirectory('watch-on-core');
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  const { names } = await coreBinary(path, ['watch'], 'test/engine/on-engine');
  return async (options, { signal, onApplied, onStatus, onSaid }) => {
    const words = tied(join(names, 'watch'), [JSON.stringify(options)]);
    await using running = await start(...words, { keepOutput: true, throwAway: true });
    createInterface(running.child.stdout!).on('line', (line) => {
      const { said, change, status } = JSON.parse(line) as { said?: string; change?: Change; status?: WatchStatus };
      if (said !== undefined) onSaid(said);
      if (change !== undefined) onApplied(change);
      if (status !== undefined) onStatus(status);
    });
    const over = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const code = await Promise.race([running.ended, over]);
    signal.throwIfAborted();
    throw new Error(`the watch ended with ${code}`);
  };
}

/** Undefined on Node. */
export const watchOnCore = isOnCore ? await onCore() : undefined;
