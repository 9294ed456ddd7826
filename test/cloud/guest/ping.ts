import assert from 'node:assert/strict';
import { OUTSIDE_POD, type GuestWorld } from './world.ts';

const INTERVAL_SECONDS = 0.2;

/** What became of the packets sent during some work. */
export interface Pinged<T> {
  readonly result: T;
  readonly sent: number;
  readonly lost: number;
  /** The longest time between two replies, less the interval between packets. */
  readonly silentSeconds: number;
}

/** Pings a guest from outside every 0.2 s during the work. */
export async function pingedDuring<T>(
  { stage, outside }: GuestWorld,
  address: string,
  work: () => Promise<T>,
): Promise<Pinged<T>> {
  const options = ['-D', '-O', '-i', String(INTERVAL_SECONDS), '-W', '1'];
  const output = stage.kubectl(['exec', OUTSIDE_POD, '--', 'ping', ...options, address]);
  // Its own failure is reported below; without a handler here it would end the process during the work.
  const settled = output.catch(String);
  let result: T;
  try {
    result = await work();
  } finally {
    await outside('pkill', '-INT', '-x', 'ping');
  }
  const text = await settled;
  const [, sent, received] = /(\d+) packets transmitted, (\d+) received/.exec(text) ?? assert.fail(text.slice(-500));
  return { result, sent: Number(sent), lost: Number(sent) - Number(received), silentSeconds: silence(text) };
}

function silence(text: string): number {
  const times = [...text.matchAll(/^\[(\d+\.\d+)\] \d+ bytes from .*icmp_seq=/gm)].map(([, time]) => Number(time));
  assert.ok(times.length > 1, `no two replies: ${text.slice(-500)}`);
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  return Math.max(0, Math.max(...gaps) - INTERVAL_SECONDS);
}

export function pingText({ sent, lost, silentSeconds }: Pinged<unknown>): string {
  return `${lost} of ${sent} packets lost, ${silentSeconds.toFixed(1)} s without`;
}
