import type { StreamedAnswer } from '../net/pool/index.ts';
import type { Method } from './types.ts';

/** A request to the API server. */
export interface Call {
  readonly path: string;
  readonly method?: Method;
  readonly body?: unknown;
  /** The body's type, if it is not that of the method. */
  readonly type?: string;
  readonly accept?: string;
}

/** Requests to the API server, on which the watches are built. */
export interface Api {
  /**
   * Opens a stream of events. Rejects with ApiError for an error status, and with the system's error if there is no
   * response.
   */
  open(call: Call, signal: AbortSignal): Promise<StreamedAnswer>;
  /** Reads one full response. Rejects like open(), and after a timeout. */
  ask<T>(call: Call, signal: AbortSignal): Promise<T>;
  /** Whether this server sends no bookmark after the initial events, so that a set must be listed first. */
  mustList: boolean;
  /** Whether the server is ready; also false if it cannot be reached. */
  isReady(signal: AbortSignal): Promise<boolean>;
  /** Closes idle connections, because after a failure their server may be gone. */
  forgetConnections(): void;
}

/**
 * Metadata only: smaller than the object, and enough to know that it exists. A server without support sends the whole
 * object.
 */
export const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** The type of an applied configuration. JSON is valid YAML. */
export const APPLY = 'application/apply-patch+yaml';
