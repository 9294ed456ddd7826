import type { KubeClient } from '../kube/types.ts';
import type { Watches } from './sharing.ts';

/** Tells what is seen now. Saying the same again is nothing new. */
export type Report = (state: string) => void;

/** Waits for one dependency. */
export interface Waiter {
  /** The command to run next; undefined where there is none, as without a cluster. */
  hint(): string | undefined;
  /** Resolves with how it was met; rejects with KollaError when it never will be, and with the signal's reason. */
  wait(report: Report, signal: AbortSignal): Promise<string>;
}

/** How one wait is told of trouble, and ended. */
export interface Way {
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** Tells the node that we run on, or rejects where it is unknown. @param way of the one wait that needs it */
export type OwnNode = (way: Way) => Promise<string>;

/** What waiters stand on. */
export interface Effects {
  /** Connects at the first call: a wait that needs no API server opens no connection to one. */
  readonly kube: () => Promise<KubeClient>;
  readonly watches: Watches;
  /** The node that we run on: asked for at the first call, once for all. */
  readonly ownNode: OwnNode;
  readonly warn: (message: string) => void;
}

/** The Pod and container that we run in, as far as known. */
export interface Self {
  /** Whether there is a cluster to ask with kubectl. */
  readonly isInCluster: boolean;
  readonly podName: string;
  /** Undefined: the API server is asked for the Pod's. */
  readonly nodeName: string | undefined;
  readonly container: string | undefined;
}

export interface WaitOptions {
  /** Whether a Job that failed permanently ends the wait, or may still be replaced. */
  readonly onFailedJob: 'fail' | 'wait';
  /** What a DaemonSet without a Pod on this node is. */
  readonly daemonsetAbsent: 'wait' | 'ready';
  /** PEM file; authorities that https:// dependencies may have. */
  readonly caFile: string | undefined;
  /** Whether a Service's Endpoints are looked at where its EndpointSlices may not be read. */
  readonly fallsBackToEndpoints?: boolean;
  readonly self: Self;
}
