import { closeSync, existsSync, openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { check } from '../check.ts';
import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { pause } from '../../core/backoff.ts';
import { healthyAs, unhealthy, type Question } from '../verdict.ts';

const LOOK_MS = 100;
const CHUNK_BYTES = 64 * 1024;
/** The shipper's default: a line that is longer is shipped in parts, whether it has ended or not. */
const LONGEST_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Are the logs on their way? By the checkpoint that kolla-log-ship writes as the server acknowledges. */
export const logShip = check({
  word: 'log-ship',
  summary: 'Checks that logs are being shipped.',
  description:
    'Compares the checkpoint of kolla-log-ship with the files it names. Unhealthy if a file has ' +
    'unacknowledged bytes and nothing was acknowledged for longer than --within; the check then waits for ' +
    'an acknowledgement until its deadline, since the first line after a quiet hour takes a moment. ' +
    'Rarely right for readiness: a service works without its logs.',
  operands: [],
  options: [
    {
      flag: 'state',
      type: 'path',
      env: 'KOLLA_PROBE_STATE',
      default: '/var/log/kolla/.kolla-log-ship',
      help: '--state of kolla-log-ship',
      example: '/var/lib/kolla-log-ship',
    },
    {
      flag: 'within',
      type: 'duration',
      env: 'KOLLA_PROBE_WITHIN',
      default: '1m',
      help: 'maximum age of unshipped bytes',
      example: '5m',
    },
  ],
  examples: [
    { line: 'kolla-probe log-ship --timeout 5s', does: 'healthy while what is written is also acknowledged' },
    { line: 'kolla-probe log-ship --state ./state --within 10m', does: 'elsewhere, and more patient' },
  ],
  prepare({ options: { state: stateDir, within: withinMs } }) {
    return logShipQuestion({ stateDir, withinMs }, 'log-ship');
  },
});

export interface LogShipQuery {
  readonly stateDir: string;
  /** Bytes may wait so long for an acknowledgement. */
  readonly withinMs: number;
}

/** How far a file is acknowledged, as the checkpoint says. */
interface Entry {
  readonly generation: { readonly path: string; readonly dev: number; readonly ino: number };
  readonly mark: { readonly offset: number };
}

interface Lag {
  readonly bytes: number;
  readonly files: number;
  /** Since something was acknowledged. */
  readonly quietMs: number;
}

/**
 * Whether what was written to log files is being acknowledged.
 * @param subject as the user wrote it; begins every message
 * @param now in ms since 1970
 */
export function logShipQuestion({ stateDir, withinMs }: LogShipQuery, subject: string, now = Date.now): Question {
  const file = join(stateDir, 'checkpoint.json');
  return {
    subject,
    hosts: [],
    async ask(signal, tell = () => {}) {
      try {
        for (;;) {
          const lag = lagIn(file, now);
          const text = `${lag.bytes} bytes of ${lag.files} files are not acknowledged, the last were ${formatDuration(lag.quietMs)} ago`;
          if (lag.bytes === 0) return healthyAs('all is acknowledged');
          if (lag.quietMs <= withinMs) return healthyAs(text);
          tell(text);
          await pause(LOOK_MS, signal);
        }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT') return unhealthy(`cannot read ${file}: ${messageOf(error)}`);
        return existsSync(join(stateDir, 'source-id'))
          ? healthyAs('nothing was to be shipped yet')
          : unhealthy(
              `there is no ${file}: does kolla-log-ship run, with a state directory that this container has too?`,
            );
      }
    },
  };
}

function lagIn(file: string, now: () => number): Lag {
  const { mtimeMs } = statSync(file);
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: readonly Entry[] };
  const offsets = new Map(files.map(({ generation, mark }) => [identityOf(generation), mark.offset]));
  let [bytes, behind] = [0, 0];
  for (const path of new Set(files.map(({ generation }) => generation.path))) {
    // Of a file that was rotated away only its shipper knows where it is now; of its successor nothing was shipped yet.
    const found = looked(path);
    const offset = found === undefined ? 0 : (offsets.get(identityOf(found)) ?? 0);
    const left = (found?.size ?? 0) - offset;
    if (left <= 0 || !hasWholeLine(path, offset)) continue;
    bytes += left;
    behind++;
  }
  // A time that lies ahead is of before the clock was set back, and says no more than one that is as long ago.
  return { bytes, files: behind, quietMs: Math.abs(now() - mtimeMs) };
}

/** What lies there; undefined where that can't be seen. */
function looked(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** A last line without its end waits for its writer, and not for the shipper. Of what may not be read only the size tells. */
function hasWholeLine(path: string, offset: number): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return true;
  }
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = offset; at - offset < LONGEST_LINE_BYTES;) {
      const length = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (length === 0) return false;
      if (chunk.subarray(0, length).includes(NEWLINE)) return true;
      at += length;
    }
    return true;
  } finally {
    closeSync(fd);
  }
}

function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}
