/**
 * kolla-log-ship: every line of a pod's log files into Elasticsearch or OpenSearch, once.
 *
 *   globs -> follow (new files, rotations) -> tail (bytes, identity) -> frame (lines) -> parse (Kolla's fields, time, id)
 *     -> batch -> outbox (two requests at a time) -> deliver (again what failed) -> sink -> checkpoint
 *
 * Files are the buffer: bytes in memory are bounded, reading waits when they are spent, and what is not acknowledged is
 * read again after a restart. A document's id comes from its file's identity and its offset, so what is sent twice is
 * indexed once. Lines leave the flow only acknowledged, or refused by the server into the dead-letter file. Failures of
 * the server never end it; a stop ends it with 0 when all is in, and with 143 when something is left to the next start.
 */
import { command, type Context, type Helper, type Input } from '../cli/command.ts';
import type { ExitCode } from '../cli/errors.ts';
import { CheckpointWriter, loadCheckpoint, openState } from './checkpoint.ts';
import { Contents } from './contents.ts';
import { newCounts, type Counts } from './counts.ts';
import { DeadLetters } from './dead-letter.ts';
import { Follower } from './follow.ts';
import { OPTIONS } from './options.ts';
import { Outage } from './outage.ts';
import { settingsOf, type Settings } from './settings.ts';
import { ship } from './ship.ts';
import { elasticsearchSink } from './sink/elasticsearch.ts';
import type { Sink } from './sink/sink.ts';
import { stdoutSink } from './sink/stdout.ts';

/** How shipping stands, for who shows it. Each is asked when it is wanted. */
export interface ShippingView {
  /** Where lines go, without credentials. */
  readonly to: string;
  readonly files: () => number;
  /** Bytes that are not acknowledged. */
  readonly left: () => number;
  readonly counts: () => Readonly<Counts>;
  /** Why the server takes nothing; undefined while it does. */
  readonly outage: () => { readonly reason: string; readonly sinceMs: number } | undefined;
}

/**
 * Ships until stopped.
 * @param onBegin told when files are followed
 * @returns 0 when all is in
 * @throws UsageError or ConfigError before anything is read; the signal's reason when something was left
 */
export async function runShipping(
  { operands, options }: Pick<Input<typeof OPTIONS>, 'operands' | 'options'>,
  { log, signal }: Pick<Context, 'log' | 'signal'>,
  onBegin: (view: ShippingView) => void = () => {},
): Promise<ExitCode> {
  const settings = settingsOf(operands, options);
  const { patterns, root, stateDir, zone, origin, indexPrefix } = settings;
  const now = () => Date.now();
  const { source } = await openState(stateDir, options.sourceId);
  const saved = await loadCheckpoint(stateDir, log);
  const contents = new Contents({ source, root, origin, zone, now }, saved);
  const counts = newCounts();
  await using sink = await sinkOf(settings);
  using lines = new Follower({ patterns, contents, counts, log, now, maxLineBytes: options.maxLineBytes });
  lines.look();
  log.info(`shipping ${patterns.join(' ')} to ${sink.name}`, { files: lines.files, resumed: saved.length, stateDir });
  if (lines.files === 0) log.warn(`no file matches ${patterns.join(' ')}${options.once ? '' : ' yet'}`);
  const checkpoint = new CheckpointWriter(stateDir, log);
  const deadLetters = new DeadLetters(stateDir, () => new Date());
  const outage = new Outage(sink.name, log, now);
  onBegin({
    to: sink.name,
    files: () => lines.files,
    left: () => lines.left,
    counts: () => counts,
    outage: () => outage.current,
  });
  return await ship(
    { lines, contents, sink, checkpoint, deadLetters, counts, log, signal, now, outage },
    { indexPrefix, inFlightBytes: options.inFlightBytes, once: options.once, graceMs: options.grace },
  );
}

async function sinkOf({ server }: Settings): Promise<Sink> {
  return server === undefined ? stdoutSink(process.stdout) : await elasticsearchSink(server);
}

export const logShip: Helper = {
  name: 'kolla-log-ship',
  summary: "Ships a pod's log files into Elasticsearch or OpenSearch, every line once.",
  commands: {},
  main: command({
    summary: "Ships a pod's log files into Elasticsearch or OpenSearch, every line once.",
    description:
      'Follows files through their rotations and goes on where the last run was acknowledged. Without --url documents ' +
      'are printed. On SIGTERM it ships what is left: exit 0 when all is in, 143 when the grace was too short, and the ' +
      'next start goes on there. Lines that the server refuses for good go to dead-letter.jsonl in the state folder.',
    operands: [{ name: 'PATH', help: 'files or globs (default: */*.log in --root)', optional: true, many: true }],
    options: OPTIONS,
    examples: [
      {
        line: 'kolla-log-ship --url http://elasticsearch:9200',
        does: 'follow /var/log/kolla/*/*.log for as long as the pod lives',
      },
      {
        line: 'kolla-log-ship --once --root /tmp/logs',
        does: 'print what is there as JSON lines, and end',
      },
    ],
    run: runShipping,
  }),
};

export { OPTIONS as SHIP_OPTIONS } from './options.ts';
export { settingsOf } from './settings.ts';
