import type { IncomingMessage } from 'node:http';
import type { Method } from './types.ts';

/** What is asked of the API server. */
export interface Call {
  readonly path: string;
  readonly method?: Method;
  readonly body?: unknown;
  readonly accept?: string;
}

/** Answers of the API server. What the watches stand on. */
export interface Api {
  /** Opens a stream of events. Rejects with ApiError for a status that is no success, the system's error for no answer. */
  open(call: Call, signal: AbortSignal): Promise<IncomingMessage>;
  /** One whole answer. Rejects as open() does, and when it takes too long. */
  ask<T>(call: Call, signal: AbortSignal): Promise<T>;
  /** Whether this server was seen not to tell when it has sent what exists, so that a set needs a list first. */
  mustList: boolean;
  /** Whether the server says that it is ready; false too when it can't be asked. */
  isReady(signal: AbortSignal): Promise<boolean>;
  /** Closes the idle connections: after trouble, where they lead to may be gone. */
  forgetConnections(): void;
}

/** Smaller than the object, and all that is needed to know that it is there. A server that can't, sends it whole. */
export const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
