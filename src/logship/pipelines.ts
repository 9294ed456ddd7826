import { mostOpenFiles } from '#open-files';
import { OutputClosedError } from '../cli/output.ts';
import { DeadlineError, ExitCode, KollaError, messageOf, SignalError, UnavailableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newCounts } from './report/counts.ts';
import { NEVER_GIVEN_BACK_BYTES, readBytesFor } from './read/bytes.ts';
import { Contents } from './read/contents.ts';
import { missingPaths } from './read/discover.ts';
import type { Unreadable } from './read/failure.ts';
import { Follower } from './read/follow.ts';
import { Handles } from './read/handles.ts';
import { DeadLetters } from './send/dead-letter.ts';
import { Outage } from './send/deliver.ts';
import { Memory } from './memory.ts';
import { leastInFlight, type Settings } from './settings.ts';
import { Shipping } from './ship.ts';
import type { ProxyEnv } from './sink/proxy-env.ts';
import type { Destination } from './sink/destinations.ts';
import { elasticsearchSink } from './sink/elasticsearch.ts';
import { stdoutSink, type ByteStream, type Sink } from './sink/sink.ts';
import { CheckpointWriter, loadCheckpoint, type Entry } from './state/checkpoint.ts';
import type { Saved } from './state/saved.ts';
import { checkpointNames, openState } from './state/directory.ts';
import { cannotKeep, type StateDirectory } from './state/held-directory.ts';
import type { Holes } from './state/holes.ts';
import type { PipelineState } from './report/view.ts';

interface PipelineContext {
  readonly log: Log;
  readonly now: () => number;
  readonly state: StateDirectory;
  readonly holes: Holes;
  readonly proxyEnv: ProxyEnv;
  readonly stdout: ByteStream;
}

/** One destination with its own reader, budget and checkpoint: an outage does not block the others. */
export interface Pipeline extends AsyncDisposable {
  /** Ships until it is stopped; see Shipping. */
  run(signal: AbortSignal): Promise<ExitCode>;
  state(): PipelineState;
  /** The content of the pipeline's checkpoint on disk, of short files only while they are written. */
  saved(): readonly Saved[];
  /** Whether a generation that is no longer at this path has unacknowledged lines. */
  needsFormer(path: string): boolean;
}

/**
 * Opens the state directory and one pipeline per destination.
 * @throws ConfigError if the state directory is not writable or certificate files are unreadable
 */
export async function openPipelines(settings: Settings, context: PipelineContext): Promise<readonly Pipeline[]> {
  const { destinations, sourceId } = settings;
  const { state } = context;
  const { source } = await openState(state, sourceId);
  const names = await checkpointNames(
    state,
    destinations.map(({ name }) => name),
  ).catch((cause: unknown) => {
    throw cannotKeep(state.path, state.inWords(messageOf(cause)), cause);
  });
  const pipelines: Pipeline[] = [];
  try {
    for (const [at, destination] of destinations.entries())
      pipelines.push(await open(settings, context, { source, destination, checkpoint: names[at] ?? '' }));
  } catch (error) {
    await close(pipelines);
    throw error;
  }
  return pipelines;
}

/**
 * Runs all pipelines to their end. If one fails permanently, the others ship the existing lines and stop too.
 * @returns 0 when everything was acknowledged
 * @throws the first failure, else the stop's reason if lines are left
 */
export async function runAll(pipelines: readonly Pipeline[], signal: AbortSignal): Promise<ExitCode> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const failures: unknown[] = [];
  const runs = pipelines.map((pipeline) =>
    pipeline.run(stop).catch((error: unknown) => {
      failures.push(error);
      // A server that stays away, or a file of one's own, says nothing about the other destinations.
      if (error instanceof DeadlineError || error instanceof UnreadableError) return;
      // Acts like a signal: lines that were already read are shipped within the grace period.
      failed.abort(new SignalError('SIGTERM'));
    }),
  );
  await Promise.all(runs);
  await close(pipelines);
  if (failures.length === 0) return ExitCode.ok;
  const worst = failures.find((error) => !(error instanceof SignalError)) ?? failures[0];
  if (worst instanceof OutputClosedError)
    throw new UnavailableError('the reader of stdout has closed it; unprinted lines stay in their files', {
      cause: worst,
    });
  throw worst as Error;
}

async function close(pipelines: readonly Pipeline[]): Promise<void> {
  for (const pipeline of pipelines) await pipeline[Symbol.asyncDispose]();
}

interface Place {
  readonly source: string;
  readonly destination: Destination;
  /** The checkpoint's file name in the state directory. */
  readonly checkpoint: string;
}

async function open(settings: Settings, context: PipelineContext, place: Place): Promise<Pipeline> {
  const { stateDir, patterns, parse, maxLineBytes, deadLetterBytes, destinations } = settings;
  const { destination, source } = place;
  const { name } = destination;
  const { now } = context;
  const log = destinations.length > 1 ? context.log.with({ to: name }) : context.log;
  const loaded = await loadCheckpoint(context.state, log, place.checkpoint);
  const { files: saved, isFirstStart, savedMs } = loaded;
  const isLost = !isFirstStart && savedMs === undefined;
  const contents = new Contents({ ...parse, source, now, savedMs, isLost }, saved);
  const counts = newCounts();
  const sink = sinkOf(settings, destination, { ...context, log });
  const firstStart = isFirstStart ? settings.from : undefined;
  const { excludes, root } = settings;
  const lines = new Follower({
    patterns,
    root,
    isOwn: (path) => context.state.has(path),
    excludes,
    contents,
    counts,
    log,
    stateDir,
    maxLineBytes,
    firstStart,
    sinceMs: savedMs,
    holes: context.holes,
    handles: new Handles({ limit: mostOpenFiles(), readers: destinations.length, log }),
  });
  const resumed = contents.awaited.length;
  lines.look();
  const checkpoint = new CheckpointWriter(context.state, log, place.checkpoint);
  // The second start must know about the first one: files that were rotated between the two are not older than the
  // first start, and with `end` their content is new.
  if (isFirstStart) await checkpoint.save(() => contents.collect());
  log.info(`shipping ${patterns.join(' ')} to ${sink.name}`, { files: lines.files, resumed, stateDir });
  const missing = lines.files === 0 ? patterns : missingPaths(patterns);
  if (missing.length > 0) log.warn(`no file matches ${missing.join(' ')}${settings.once ? '' : ' yet'}`);
  const outage = new Outage(sink.name, log, now);
  const deadLetters = new DeadLetters({
    directory: context.state,
    name: destination === destinations[0] ? 'dead-letter.jsonl' : `dead-letter-${name}.jsonl`,
    limit: deadLetterBytes,
    log,
    now: () => new Date(now()),
    onDropped: (letters) => (counts.lettersDropped += letters),
  });
  const parts = { lines, contents, sink, checkpoint, deadLetters, counts, log, now, outage };
  const { once, graceMs, eventTimeoutMs } = settings;
  // The reader of a pipe may take as long as it wants.
  const timeoutMs = once && destination.server !== undefined ? settings.timeoutMs : undefined;
  const memory = new Memory({
    bytes: settings.memoryBytes,
    destinations: destinations.length,
    least: leastInFlight(maxLineBytes),
    inFlightBytes: settings.inFlightBytes,
    log,
  });
  const inFlightBytes = () => memory.inFlight(lines.files);
  const readBytes = readBytesFor(maxLineBytes);
  let shipping: Shipping | undefined;
  return {
    async run(signal) {
      const indexGeneration = isFirstStart ? undefined : loaded.indexGeneration;
      const options = {
        inFlightBytes,
        readBytes,
        maxLineBytes,
        once,
        timeoutMs,
        graceMs,
        eventTimeoutMs,
        indexGeneration,
      };
      shipping = new Shipping({ ...parts, signal }, options);
      const code = await shipping.run();
      if (once) checkReadable(lines.unreadable);
      return code;
    },
    state: () => ({
      name,
      to: sink.name,
      files: lines.files,
      lagBytes: lines.left,
      lagSeconds: shipping?.sinceMs === undefined ? 0 : Math.max(0, (now() - shipping.sinceMs) / 1000),
      counts: { ...counts },
      outage: outage.current,
      checkpointAgeMs: shipping === undefined ? 0 : Math.max(0, now() - shipping.savedMs),
      waiting: shipping?.waiting ?? 0,
      memoryBytes: shipping?.memoryBytes ?? 0,
      dropped: shipping?.dropped ?? 0,
      fileStates: () => lines.fileStates,
    }),
    saved: () => checkpoint.saved.filter(isLong).map((each) => ('text' in each ? each.saved : each)),
    needsFormer: (path) => lines.fileStates.some((file) => file.path === path && file.leftOfFormer > 0),
    async [Symbol.asyncDispose]() {
      lines[Symbol.dispose]();
      await sink[Symbol.asyncDispose]();
    },
  };
}

/** Of short files nothing is reclaimed, and there may be thousands. */
function isLong(entry: Entry): boolean {
  return !('text' in entry) || entry.offset > NEVER_GIVEN_BACK_BYTES;
}

const NAMED = 3;

/** With `once`, files that were not read are a failure, since no later attempt follows. */
function checkReadable(unreadable: ReadonlyMap<string, Unreadable>): void {
  if (unreadable.size === 0) return;
  const named = [...unreadable].slice(0, NAMED).map(([path, { reason }]) => `${path}: ${reason}`);
  const rest = unreadable.size > NAMED ? `; and ${unreadable.size - NAMED} more` : '';
  const isDenied = [...unreadable.values()].every((each) => each.isDenied);
  const who =
    unreadable.size === 1 ? '1 file cannot be read, and is' : `${unreadable.size} files cannot be read, and are`;
  const text = `${who} not shipped: ${named.join('; ')}${rest}`;
  throw new UnreadableError(isDenied ? ExitCode.notPermitted : ExitCode.unavailable, text);
}

/** Everything that could be read was shipped. */
class UnreadableError extends KollaError {
  override name = 'UnreadableError';
}

function sinkOf({ gzip }: Settings, { server }: Destination, { log, proxyEnv, stdout }: PipelineContext): Sink {
  return server === undefined ? stdoutSink(stdout) : elasticsearchSink(server, { log, proxyEnv, gzip });
}
