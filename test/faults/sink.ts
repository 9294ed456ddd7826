import { startBulkSink, type BulkSink } from '../support/bulk-sink.ts';
import type { Destination } from './run.ts';
import { messageOf } from './site.ts';

/** A server with injected faults. */
export interface SinkDestination extends Destination, AsyncDisposable {
  readonly sink: BulkSink;
}

/** @param seed the seed of the random faults */
export async function sinkDestination(seed: number): Promise<SinkDestination> {
  const sink = await startBulkSink({ seed });
  return {
    sink,
    args: ['--url', sink.url],
    messages: async () => (await sink.documents()).map(({ _source: source }) => messageOf(source)),
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}
