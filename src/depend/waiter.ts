import type { KubeClient } from '../platform/kube/types.ts';
import type { Dependency } from './grammar.ts';

/** Tells what is seen now. Saying the same again is nothing new. */
export type Report = (state: string) => void;

/** Waits for one dependency. */
export interface Waiter {
  /** As its user wrote it. */
  readonly text: string;
  /** The one command that a person at night runs next. */
  hint(): string;
  /** Resolves with how it was met; rejects with KollaError when it never will be, and with the signal's reason. */
  wait(report: Report, signal: AbortSignal): Promise<string>;
}

/** What waiters stand on. */
export interface Effects {
  /** Connects at the first call: a wait that needs no API server opens no connection to one. */
  readonly kube: () => Promise<KubeClient>;
  readonly warn: (message: string) => void;
}

export interface WaitOptions {
  /** Whether a Job that failed for good ends the wait, or may still be replaced. */
  readonly onFailedJob: 'fail' | 'wait';
  /** PEM file; authorities that https:// dependencies may have. */
  readonly caFile: string | undefined;
}

export type MakeWaiter<K extends Dependency['kind']> = (
  dependency: Extract<Dependency, { kind: K }>,
  options: WaitOptions,
  effects: Effects,
) => Waiter;
