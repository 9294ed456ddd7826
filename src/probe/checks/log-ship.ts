import { closeSync, existsSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { check } from '../ask/check.ts';
import { formatDuration } from '../../core/duration.ts';
import { codeOf, reasonOf } from '../../core/errors.ts';
import { pause } from '../../core/backoff.ts';
import { readRegular } from '../../fs/content.ts';
import { healthyAs, unhealthy, type Question } from '../ask/verdict.ts';

const LOOK_MS = 100;
const CHUNK_BYTES = 64 * 1024;
/** The shipper's default limit. Longer lines are shipped in parts, whether or not they are terminated. */
const LONGEST_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Checks that logs are being shipped, according to the acknowledged bytes in kolla-log-ship's checkpoint. */
export const logShip = check({
  word: 'log-ship',
  summary: 'Checks that logs are being shipped.',
  description:
    'Compares the checkpoint of kolla-log-ship with the files it names. Unhealthy if a file has ' +
    'unacknowledged bytes and nothing was acknowledged for longer than --within; the check then waits for ' +
    'an acknowledgement until its deadline, since the first line after an idle period takes a moment. ' +
    'Rarely suitable for readiness: a service works without log shipping.',
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
    { line: 'kolla-probe log-ship --timeout 5s', does: 'healthy while log lines are being acknowledged' },
    {
      line: 'kolla-probe log-ship --state ./state --within 10m',
      does: 'with another state directory and a longer limit',
    },
  ],
  prepare({ options: { state: stateDir, within: withinMs } }) {
    return logShipQuestion({ stateDir, withinMs });
  },
});

export interface LogShipQuery {
  readonly stateDir: string;
  /** Maximum time for which bytes may wait for an acknowledgement. */
  readonly withinMs: number;
}

/** The position up to which the checkpoint records a file as acknowledged. */
interface Entry {
  readonly generation: { readonly path: string; readonly dev: number; readonly ino: number };
  readonly mark: { readonly offset: number };
}

interface Lag {
  readonly bytes: number;
  readonly files: number;
  /** Time since the last acknowledgement. */
  readonly quietMs: number;
}

/** Checks that bytes written to log files are being acknowledged. */
export function logShipQuestion({ stateDir, withinMs }: LogShipQuery): Question {
  const file = join(stateDir, 'checkpoint.json');
  return {
    subject: 'log-ship',
    hosts: [],
    async ask(signal, tell = () => {}) {
      try {
        for (;;) {
          const lag = lagIn(file);
          const text = `${lag.bytes} bytes of ${lag.files} files are not acknowledged, the last were ${formatDuration(lag.quietMs)} ago`;
          if (lag.bytes === 0) return healthyAs('everything is acknowledged');
          if (lag.quietMs <= withinMs) return healthyAs(text);
          tell(text);
          await pause(LOOK_MS, signal);
        }
      } catch (error) {
        const code = codeOf(error);
        if (code !== 'ENOENT') return unhealthy(`cannot read ${file}: ${reasonOf(error)}`);
        return existsSync(join(stateDir, 'source-id'))
          ? healthyAs('there was nothing to ship yet')
          : unhealthy(
              `there is no ${file}: does kolla-log-ship run, with a state directory that this container has too?`,
            );
      }
    },
  };
}

function lagIn(file: string): Lag {
  const { mtimeMs } = statSync(file);
  const { files } = JSON.parse(readRegular(file).toString()) as { files: readonly Entry[] };
  const offsets = new Map(files.map(({ generation, mark }) => [identityOf(generation), mark.offset]));
  let [bytes, behind] = [0, 0];
  for (const path of new Set(files.map(({ generation }) => generation.path))) {
    // After a rotation the path leads to the successor, of which nothing has been shipped yet. Only the shipper knows
    // where the rotated file is now.
    const found = looked(path);
    const size = found?.size ?? 0;
    const saved = found === undefined ? 0 : (offsets.get(identityOf(found)) ?? 0);
    // A file that was cut is read again.
    const offset = saved <= size ? saved : 0;
    const left = size - offset;
    if (left <= 0 || !hasWholeLine(path, offset)) continue;
    bytes += left;
    behind++;
  }
  // A time in the future predates a change of the clock. It counts like a time equally long ago.
  return { bytes, files: behind, quietMs: Math.abs(Date.now() - mtimeMs) };
}

/** The stat of a path; undefined if it is not accessible. */
function looked(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether the file has a terminated line after the offset: an unterminated one waits for its writer, not for the
 * shipper. True for an unreadable file, of which only the size counts.
 */
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
