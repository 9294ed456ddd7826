/** One object of the API, by name. */
export interface ObjectRef {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `jobs`. */
  readonly resource: string;
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** The objects of one resource that match selectors. */
export interface SetRef {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `pods`. */
  readonly resource: string;
  /** Undefined: all namespaces, or cluster-scoped. */
  readonly namespace?: string | undefined;
  /** `app=x,tier in (a,b)` */
  readonly labelSelector?: string | undefined;
  /** `spec.nodeName=n1` */
  readonly fieldSelector?: string | undefined;
  /** Only these are kept; if listing is denied they are read one by one. */
  readonly names?: readonly string[] | undefined;
}

/** Common fields of all objects. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** State of the connection to the API server: in trouble, or recovered. */
export type WayObservation = { readonly kind: 'trouble'; readonly reason: string } | { readonly kind: 'connected' };

/** Observation of a watched object. */
export type Observation<T extends KubeObject> =
  | { readonly kind: 'object'; readonly object: T }
  | { readonly kind: 'deleted'; readonly object: T | undefined }
  | { readonly kind: 'absent' }
  | WayObservation;

/** Observation of a watched set: all current objects. */
export type SetObservation<T extends KubeObject> =
  /** By name; by `namespace/name` for all namespaces. A new map each time. */
  { readonly kind: 'set'; readonly objects: ReadonlyMap<string, T> } | WayObservation;

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Receives each problem for an administrator once. */
  readonly warn: (message: string) => void;
  /** Requests only the metadata of each object: enough to know that a Secret exists. */
  readonly metadataOnly?: boolean;
}

/** A resource of the API, from discovery. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Client of the API server. */
export interface KubeClient extends Disposable {
  /** The default namespace: the Pod's own, or the context's. */
  readonly namespace: string;
  readonly server: string;
  /**
   * The state of one object, now and from now on, until the caller stops or the signal is aborted. Survives connection
   * failures. Throws ForbiddenError if the object may be neither watched nor read.
   */
  watch<T extends KubeObject>(ref: ObjectRef, options: WatchOptions): AsyncIterable<Observation<T>>;
  /** The same for a set: first when all existing objects are known, then after each change. */
  watchSet<T extends KubeObject>(ref: SetRef, options: WatchOptions): AsyncIterable<SetObservation<T>>;
  /**
   * One response, within 30 s, without retries, which are the caller's decision. Throws ApiError for an error status
   * (404 is `error.status`), the system's error without a response.
   * @param path from objectPath() or collectionPath() of path.ts, or any other of the API server's
   */
  get<T>(path: string, options: { readonly signal: AbortSignal; readonly metadataOnly?: boolean }): Promise<T>;
  /** The same for writing. A PATCH is a JSON merge patch. */
  request<T>(method: Method, path: string, body: unknown, options: { readonly signal: AbortSignal }): Promise<T>;
  /**
   * Resolves a word as kubectl does (`deploy`, `deployments.apps`, `Certificate.cert-manager.io`,
   * `ingresses.v1.networking.k8s.io`), or an apiVersion and kind; the preferred version by default. Undefined if the
   * server has none: queried again each time, since a definition may be created; results are cached.
   */
  discover(
    what: string | { readonly apiVersion: string; readonly kind: string },
    options: { readonly signal: AbortSignal },
  ): Promise<ApiResource | undefined>;
}
