/**
 * kolla-log-ship: ships every line of a Pod's log files to Elasticsearch or OpenSearch, once per index
 * or data stream.
 *
 *   globs -> follow (new files, rotations) -> tail (bytes, identity) -> frame (lines) -> parse (Kolla's fields, time, id)
 *     -> batch (encoded) -> outbox (two concurrent requests) -> deliver (retries) -> sink -> checkpoint
 *
 * One pipeline per destination, each with its own reader, budget and checkpoint: an outage of one does not block the
 * others.
 *
 * Files are the buffer: memory is bounded, reading pauses when the budget is used up (backpressure), and unacknowledged
 * lines are read again after a restart. A document's id is derived from its file's identity and its offset, so
 * duplicates are indexed once. Lines leave the pipeline only when acknowledged, or rejected by the server and written
 * to the dead-letter file. Server failures never end the process; on a stop the exit code is 0 when everything was
 * acknowledged, and 143 when lines are left for the next start.
 */
import { command, type Command, type Context, type Helper, type Input } from '../cli/command.ts';
import { ConfigError, type ExitCode } from '../core/errors.ts';
import type { ListenAddress } from '../net/dial/address.ts';
import type { Inside } from '../net/http/router.ts';
import { openBackground } from './background.ts';
import { OPTIONS } from './options.ts';
import { openPipelines, runAll } from './pipelines.ts';
import { missingPaths } from './read/discover.ts';
import { ownRules, settingsOf, type Settings } from './settings.ts';
import { setup } from './setup/index.ts';
import { proxyEnvOf } from './sink/proxy-env.ts';
import { holdState } from './state/directory.ts';
import { holdDirectory } from './state/held-directory.ts';
import { openHoles } from './state/holes.ts';
import { viewOf, type ShippingView } from './report/view.ts';

/**
 * Ships until stopped.
 * @param onBegin called when files are being followed
 * @returns 0 when everything was acknowledged
 * @throws ConfigError before anything is read; the signal's reason if lines are left
 */
export async function runShipping(
  settings: Settings,
  { log, signal, inherited }: Pick<Context, 'log' | 'signal' | 'inherited'>,
  onBegin: (view: ShippingView) => void = () => {},
): Promise<ExitCode> {
  const now = () => Date.now();
  using state = holdDirectory(settings.stateDir, settings.root);
  await using _ = await holdState(state, log);
  if (settings.once) checkPresent(settings.patterns);
  const holes = await openHoles(state, log);
  const context = { log, now, state, holes, proxyEnv: proxyEnvOf(inherited), stdout: process.stdout };
  await using background = await openBackground(settings, { holes, log, now, signal });
  const pipelines = await openPipelines(settings, context);
  background.begin(pipelines);
  onBegin(
    viewOf(
      () => pipelines.map((pipeline) => pipeline.state()),
      () => background.state(),
    ),
  );
  return await runAll(pipelines, background.afterSyslog(signal));
}

/** Without `once`, a file may be created later, and a glob may match nothing. */
function checkPresent(patterns: readonly string[]): void {
  const missing = missingPaths(patterns);
  if (missing.length > 0)
    throw new ConfigError(
      `${missing.join(' and ')} cannot be found: correct the path, or use a glob for files that may be missing`,
    );
}

const MAIN = {
  summary: "Ships a Pod's log files to Elasticsearch or OpenSearch, each line once per index or data stream.",
  description:
    'Follows files across rotation and resumes at the last acknowledged offset. Without --url documents ' +
    'are printed. On SIGTERM it flushes and exits with 0 if everything was acknowledged, or with 143 if the grace ' +
    'period was exceeded; the next start resumes there. Rejected lines are written to dead-letter.jsonl in the ' +
    'state directory.',
  operands: [{ name: 'PATH', help: 'files or globs (default: */*.log in --root)', optional: true, many: true }],
  options: OPTIONS,
  examples: [
    {
      line: 'kolla-log-ship --url http://elasticsearch:9200',
      does: "follow /var/log/kolla/*/*.log for the Pod's lifetime",
    },
    {
      line: 'kolla-log-ship --once --root /tmp/logs',
      does: 'print existing lines as JSON, and exit',
    },
    {
      line: 'kolla-log-ship --to opensearch=http://opensearch:9200 --to stdout --once',
      does: 'ship existing lines to both, with separate checkpoints',
    },
    {
      line: 'kolla-log-ship --syslog udp://127.0.0.1:5140 --listen 127.0.0.1:9809',
      does: "also receive haproxy's syslog, and serve /readyz and /metrics",
    },
  ],
} satisfies Omit<Command<typeof OPTIONS>, 'run'>;

/** The part of the helper that needs no `serve`; logShipHelper() adds the default command. */
export const LOG_SHIP = {
  name: 'kolla-log-ship',
  summary: "Ships a Pod's log files to Elasticsearch or OpenSearch, each line once per index or data stream.",
  commands: { setup },
} satisfies Helper;

/**
 * @param serve ships and serves its state on the address of `--listen`
 */
export function logShipHelper(
  serve: (settings: Settings, at: Inside & { readonly listen: ListenAddress }, context: Context) => Promise<ExitCode>,
): Helper {
  const run = async ({ operands, options }: Input<typeof OPTIONS>, context: Context) => {
    const settings = settingsOf(operands, options, await ownRules(options));
    const { listen } = settings;
    if (listen === undefined) return await runShipping(settings, context);
    return await serve(settings, { listen, statusPublic: false, hostNetwork: options.hostNetwork }, context);
  };
  return { ...LOG_SHIP, main: command({ ...MAIN, run }) };
}

export { OPTIONS as SHIP_OPTIONS } from './options.ts';
export { ownRules, settingsOf, type Settings } from './settings.ts';
export type { ShippingView } from './report/view.ts';
