import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startHelper } from '../helper-process.ts';
import type { PodFiles } from '../pod-files.ts';
import type { Index } from '../servers.ts';
import type { Story } from '../story.ts';

export interface Shipper extends AsyncDisposable {
  /** Stops it as the kubelet would; it ships the rest first. Returns the number of documents. */
  finish(count: (() => Promise<number>) | undefined): Promise<number>;
}

/**
 * Starts kolla-log-ship on the pod's logs, into Elasticsearch if available, else to stdout. Resolves at its first message: before
 * it listens for SIGTERM, a stop would end it with nothing shipped.
 */
export async function shipLogs(
  story: Story,
  root: string,
  files: PodFiles,
  index: Pick<Index, 'url' | 'prefix'> | undefined,
): Promise<Shipper> {
  const to = index === undefined ? ['--to', 'stdout'] : ['--url', index.url, '--index-prefix', index.prefix];
  const ended = story.begin('kolla-log-ship', 'ships lines', 'work');
  const begun = Promise.withResolvers<void>();
  const shipper = await startHelper(story, {
    actor: 'kolla-log-ship',
    name: 'kolla-log-ship',
    args: [...to, '--state', join(root, 'tmp/log-ship'), join(files.logs, '*/*.log')],
    onMessage: () => begun.resolve(),
  });
  let documents = 0;
  shipper.child.stdout?.on('data', (chunk: Buffer) => (documents += chunk.toString('latin1').split('\n').length - 1));
  await Promise.race([begun.promise, shipper.ended]);
  return {
    async finish(count) {
      const code = await shipper.stop();
      ended();
      if (code !== 0 && code !== 143) throw new Error(`kolla-log-ship exited with code ${code}`);
      return count === undefined ? documents : await count();
    },
    [Symbol.asyncDispose]: () => shipper[Symbol.asyncDispose](),
  };
}

/** Number of complete lines in the pod's log files. */
export async function countLines(logs: string): Promise<number> {
  const files = await Promise.all(globSync(join(logs, '*/*.log')).map((file) => readFile(file, 'latin1')));
  return files.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}
