import type { Capability } from '../tools/capability.ts';
import type { Figure } from './figure.ts';
import type { Compared } from './svg.ts';

/** Minimum and median of the rounds, in milliseconds. */
export interface Figures {
  readonly min: number;
  readonly median: number;
}

export interface Cost {
  /** User and system time of the program and its descendants. */
  readonly cpuMs: Figures;
  readonly wallMs: Figures;
}

/** One task, done alternately by kolla-pod and by the existing tool. */
export interface Row {
  readonly work: string;
  readonly ours: Cost;
  readonly peer: Cost;
  /** Our minimum CPU time divided by theirs. */
  readonly ratio: number;
  /** Target ratio; undefined if there is none. */
  readonly reach: number | undefined;
}

/** A file in bench/: `make bench NAME=name` runs it. */
export type Bench = DuelBench | FiguresBench;

interface Common {
  readonly name: string;
  readonly title: string;
  /** The compared tool, with its version. */
  readonly peer: string;
  /** Heading of our column, if the peer is kolla-pod too; by default kolla-pod. */
  readonly subject?: string;
  readonly capability: Capability;
}

/** Compares the cost of the same task. */
export interface DuelBench extends Common {
  readonly kind: 'duel';
  run(say: (text: string) => void): Promise<Row[]>;
}

/** Measures several quantities of both, each in its unit. */
export interface FiguresBench extends Common {
  readonly kind: 'figures';
  /** A second peer. */
  readonly other?: string;
  /** Default: bars. */
  readonly draw?: (compared: Compared, figures: readonly Figure[]) => string;
  run(say: (text: string) => void): Promise<Figure[]>;
}

/** Cost of one round of one tool. */
export interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export function comparedIn(bench: Bench): Compared {
  const { title, subject = 'kolla-pod', peer } = bench;
  return { title, subject, peer, other: bench.kind === 'figures' ? bench.other : undefined };
}

export function rowOf(work: string, ours: readonly Sample[], peer: readonly Sample[], reach?: number): Row {
  const [our, their] = [costOf(ours), costOf(peer)];
  return { work, ours: our, peer: their, ratio: round(our.cpuMs.min / their.cpuMs.min), reach };
}

function costOf(samples: readonly Sample[]): Cost {
  if (samples.length === 0) throw new Error('a bench without samples');
  return {
    cpuMs: figuresOf(samples.map(({ cpuMs }) => cpuMs)),
    wallMs: figuresOf(samples.map(({ wallMs }) => wallMs)),
  };
}

function figuresOf(values: readonly number[]): Figures {
  const sorted = values.toSorted((a, b) => a - b);
  return { min: round(sorted[0]!), median: round(sorted[Math.floor(sorted.length / 2)]!) };
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
