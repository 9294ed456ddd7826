/** One object in the API, identified by name. */
export interface ObjectRef {
  /** The API group; '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `jobs`. */
  readonly resource: string;
  /** The namespace; '' for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** The objects of one resource that match the selectors. */
export interface SetRef {
  /** The API group; '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `pods`. */
  readonly resource: string;
  /** The namespace; undefined for all namespaces or cluster-scoped resources. */
  readonly namespace?: string | undefined;
  /** A label selector: `app=x,tier in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** A field selector: `spec.nodeName=n1`. */
  readonly fieldSelector?: string | undefined;
  /** Only objects with these names are kept. If listing is denied, they are read one by one. */
  readonly names?: readonly string[] | undefined;
}

/** Fields that all objects have. */
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

/** Whether the connection to the API server is in trouble or has recovered. */
export type WayObservation =
  /** `status` of the API server's response, if there was one. */
  { readonly kind: 'trouble'; readonly reason: string; readonly status?: number } | { readonly kind: 'connected' };

/** An observation of a watched object. */
export type Observation<T extends KubeObject> =
  | { readonly kind: 'object'; readonly object: T }
  | { readonly kind: 'deleted'; readonly object: T | undefined }
  | { readonly kind: 'absent' }
  | WayObservation;

/** An observation of a watched set: all objects that currently exist. */
export type SetObservation<T extends KubeObject> =
  /** Objects by name, or by `namespace/name` for all namespaces. Each observation has a new map. */
  { readonly kind: 'set'; readonly objects: ReadonlyMap<string, T> } | WayObservation;

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Receives each problem for an administrator, once only. */
  readonly warn: (message: string) => void;
  /** Requests only the metadata of each object, which is enough to know that a Secret exists. */
  readonly metadataOnly?: boolean;
  /** Called for each attempt to connect and whatever is received: about once a minute while nothing changes. */
  readonly onMoved?: (() => void) | undefined;
}

/** A resource of the API, from discovery. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A client of the API server. */
export interface KubeClient extends Disposable {
  /** The default namespace: the Pod's own, or the context's. */
  readonly namespace: string;
  readonly server: string;
  /**
   * The current state of one object and each later state, until the caller stops or the signal is aborted. Survives
   * connection failures. Throws ForbiddenError if the object may be neither watched nor read.
   */
  watch<T extends KubeObject>(ref: ObjectRef, options: WatchOptions): AsyncIterable<Observation<T>>;
  /** The same for a set: its first result has all existing objects, and each change gives another one. */
  watchSet<T extends KubeObject>(ref: SetRef, options: WatchOptions): AsyncIterable<SetObservation<T>>;
  /**
   * One response, within 30 s, without retries, which are the caller's decision. Throws ApiError for an error status
   * (404 is `error.status`), and the system's error if there is no response.
   * @param path from objectPath() or collectionPath() of path.ts, or any other path of the API server
   */
  get<T>(path: string, options: { readonly signal: AbortSignal; readonly metadataOnly?: boolean }): Promise<T>;
  /** The same for a write. A PATCH is a JSON merge patch. */
  request<T>(method: Method, path: string, body: unknown, options: { readonly signal: AbortSignal }): Promise<T>;
  /**
   * Server-side apply: creates the object or takes over these fields of it. Fields that an earlier apply of `manager`
   * contained, and this one does not, are removed.
   * @param options.force whether also from other managers (default); otherwise ApiError 409 names them
   */
  apply<T>(
    path: string,
    body: unknown,
    options: { readonly signal: AbortSignal; readonly manager: string; readonly force?: boolean },
  ): Promise<T>;
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
