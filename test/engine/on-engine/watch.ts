/** Watches a configuration, for test/config/watch/support.ts: prints each log line, status and change as a line of JSON, in their order. */
import { watchConfig, type WatchOptions } from '../../../src/config/watch/index.ts';
import { recordedLog } from '../../support/recorded-log.ts';

export async function main([options = '{}']: readonly string[]): Promise<number> {
  const tell = (what: object) => void process.stdout.write(`${JSON.stringify(what)}\n`);
  const { log } = recordedLog('debug', (said) => tell({ said }));
  return await watchConfig(JSON.parse(options) as WatchOptions, {
    signal: new AbortController().signal,
    log,
    prepare: () => {},
    finish: () => [],
    onApplied: (change) => tell({ change }),
    onStatus: (status) => tell({ status }),
  });
}
