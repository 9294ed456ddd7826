import type { Trust } from '../../cli/tls-option.ts';
import type { KubeClient } from '../../kube/types.ts';
import type { Watches } from './sharing.ts';

/** Reports the current state, and why it lasts if that is known. What was already reported is ignored. */
export type Report = (state: string, why?: string) => void;

/** Waits for one dependency. */
export interface Waiter {
  /** The next command to run; undefined if there is none, for example outside of a cluster. */
  hint(): string | undefined;
  /**
   * Resolves with the final state. Rejects with KollaError if the dependency can never become ready, and with the
   * signal's reason.
   */
  wait(report: Report, signal: AbortSignal): Promise<string>;
}

/** Warnings and the signal of one wait. */
export interface WaitContext {
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Resolves our node, or rejects if it is unknown.
 * @param way the wait that needs it
 */
export type OwnNode = (way: WaitContext) => Promise<string>;

/** What waiters may use. */
export interface Effects {
  /** Connects on first use, so that waits without API objects open no connection. */
  readonly kube: () => Promise<KubeClient>;
  readonly watches: Watches;
  /** Our node. It is resolved on first use, once for all waits. */
  readonly ownNode: OwnNode;
  readonly warn: (message: string) => void;
}

/** Our own Pod and container, as far as they are known. */
export interface Self {
  /** Whether kubectl can be used. */
  readonly isInCluster: boolean;
  readonly podName: string;
  /** Undefined if it is read from the Pod. */
  readonly nodeName: string | undefined;
  readonly container: string | undefined;
}

export interface WaitOptions {
  /** Whether a permanently failed Job ends the wait, or may still be replaced. */
  readonly onFailedJob: 'fail' | 'wait';
  /** The verdict on a DaemonSet that has no Pod on this node. */
  readonly daemonsetAbsent: 'wait' | 'ready';
  /** How certificates of https:// and amqps:// dependencies are verified. */
  readonly trust: Trust;
  /** Whether a Service's Endpoints are used if its EndpointSlices are not permitted. */
  readonly fallsBackToEndpoints?: boolean;
  readonly self: Self;
}
