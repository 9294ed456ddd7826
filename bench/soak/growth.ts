import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbedPod } from './probed-pod.ts';

/** Resource use over time, in evenly spaced samples. */
export interface Growth {
  readonly seconds: number;
  /** Responses other than 200. */
  readonly bad: number;
  readonly answers: number;
  /** Medians of the first and the last third. */
  readonly megabytes: readonly [first: number, last: number];
  /** Minimum of each: includes leaked ones, but not those a check has open for a moment. */
  readonly descriptors: readonly [first: number, last: number];
  readonly threads: readonly [first: number, last: number];
}

/** A time, or as many runs of checks, however long they take on a busy machine. */
export type Extent = { readonly seconds: number } | { readonly runs: number };

const SAMPLES = 30;
const PATHS = ['/readyz', '/livez', '/metrics', '/status.json', '/readyz?verbose'];

/** Requests the pod's health ten times a second, and samples its resources. */
export async function growthOf(
  pod: ProbedPod,
  extent: Extent,
  say: (text: string) => void = () => {},
): Promise<Growth> {
  const samples: { readonly kilobytes: number; readonly descriptors: number; readonly threads: number }[] = [];
  let [answers, bad] = [0, 0];
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const runs = 'runs' in extent ? await pod.runs() : 0;
  /** 1 at the end. */
  const progress = async () =>
    'runs' in extent ? ((await pod.runs()) - runs) / extent.runs : elapsed() / extent.seconds;
  for (let i = 0, done = 0; done < 1; i++, done = await progress()) {
    const status = await pod.ask(PATHS[i % PATHS.length]!);
    answers++;
    if (status !== 200 && bad++ === 0) say(`${status}: ${pod.said()}`);
    if (done >= samples.length / SAMPLES) {
      // Between two requests: none of ours is open.
      const sample = { kilobytes: pod.residentKilobytes(), descriptors: pod.descriptors(), threads: pod.threads() };
      samples.push(sample);
      say(
        `${Math.round(elapsed())} s: ${(sample.kilobytes / 1024).toFixed(1)} MB, ${sample.descriptors} descriptors, ${sample.threads} threads`,
      );
    }
    await sleep(100);
  }
  const third = Math.ceil(samples.length / 3);
  const both = (value: (sample: (typeof samples)[number]) => number, of = median): [number, number] => [
    of(samples.slice(0, third).map(value)),
    of(samples.slice(-third).map(value)),
  ];
  return {
    seconds: Math.round(elapsed()),
    bad,
    answers,
    megabytes: both(({ kilobytes }) => Math.round((kilobytes / 1024) * 10) / 10),
    descriptors: both(
      ({ descriptors }) => descriptors,
      (values) => Math.min(...values),
    ),
    threads: both(({ threads }) => threads),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
