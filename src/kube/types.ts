/** One object of the API, by name. */
export interface ObjectRef {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `jobs`. */
  readonly resource: string;
  /** '' for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** The objects of one resource that selectors choose. */
export interface SetRef {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `pods`. */
  readonly resource: string;
  /** Undefined: of all namespaces, or of a resource that has none. */
  readonly namespace?: string | undefined;
  /** `app=x,tier in (a,b)` */
  readonly labelSelector?: string | undefined;
  /** `spec.nodeName=n1` */
  readonly fieldSelector?: string | undefined;
  /** Only these are of interest: others are not kept, and where listing is not allowed these are read one by one. */
  readonly names?: readonly string[] | undefined;
}

/** What every object of the API has. */
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

/** About the way to the API server: it is in trouble, and it is there again. */
export type WayObservation = { readonly kind: 'trouble'; readonly reason: string } | { readonly kind: 'connected' };

/** What a watch tells about its object. */
export type Observation<T extends KubeObject> =
  | { readonly kind: 'object'; readonly object: T }
  | { readonly kind: 'deleted'; readonly object: T | undefined }
  | { readonly kind: 'absent' }
  | WayObservation;

/** What a watch tells about its set: all that is in it now. */
export type SetObservation<T extends KubeObject> =
  /** By name; by `namespace/name` where all namespaces are watched. A map of its own each time. */
  { readonly kind: 'set'; readonly objects: ReadonlyMap<string, T> } | WayObservation;

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Receives what an administrator should fix, once each. */
  readonly warn: (message: string) => void;
  /** Asks for no more than the metadata of each object: enough to know that a Secret is there. */
  readonly metadataOnly?: boolean;
}

/** A resource of the API, as discovery tells it. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The project's access to the API server. */
export interface KubeClient extends Disposable {
  /** Where names without one are meant: the Pod's own, or the context's. */
  readonly namespace: string;
  readonly server: string;
  /**
   * What is known of one object, now and from now on, until the caller breaks off or the signal is aborted. Survives
   * what a cluster does to a connection. Throws ForbiddenError when the object may be neither watched nor read.
   */
  watch<T extends KubeObject>(ref: ObjectRef, options: WatchOptions): AsyncIterable<Observation<T>>;
  /** The same of a set: first when all that is there is known, then after each change. */
  watchSet<T extends KubeObject>(ref: SetRef, options: WatchOptions): AsyncIterable<SetObservation<T>>;
  /**
   * One answer, within 30 s. Not repeated: who asks knows whether that is right. Throws ApiError for a status that is no
   * success (404 is `error.status`), the system's error for no answer.
   * @param path from objectPath() or collectionPath() of path.ts, or any other of the API server's
   */
  get<T>(path: string, options: { readonly signal: AbortSignal; readonly metadataOnly?: boolean }): Promise<T>;
  /** The same for writing. A PATCH is a JSON merge patch. */
  request<T>(method: Method, path: string, body: unknown, options: { readonly signal: AbortSignal }): Promise<T>;
  /**
   * The resource that a word means to kubectl (`deploy`, `deployments.apps`, `Certificate.cert-manager.io`,
   * `ingresses.v1.networking.k8s.io`), or an apiVersion and kind; its preferred version where none is given. Undefined
   * where the server has none: asked again each time, as a definition may still come; what was found is kept.
   */
  discover(
    what: string | { readonly apiVersion: string; readonly kind: string },
    options: { readonly signal: AbortSignal },
  ): Promise<ApiResource | undefined>;
}
