/** One object of the API, by name. */
export interface ObjectRef {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in a Role: `jobs`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What every object of the API has. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
  };
}

/** What a watch tells about its object. `trouble` and `connected` are about the way to the API server. */
export type Observation<T extends KubeObject> =
  | { readonly kind: 'object'; readonly object: T }
  | { readonly kind: 'deleted'; readonly object: T | undefined }
  | { readonly kind: 'absent' }
  | { readonly kind: 'trouble'; readonly reason: string }
  | { readonly kind: 'connected' };

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Is told what an administrator should mend, once each. */
  readonly warn: (message: string) => void;
}

/** The project's access to the API server. */
export interface KubeClient extends Disposable {
  /** Where names without one are meant: the Pod's own, or the context's. */
  readonly namespace: string;
  readonly server: string;
  /**
   * What is known of one object, now and from now on, until the caller breaks off or the signal is aborted. Survives
   * what a cluster does to a connection. Throws NotPermittedError when the object may be neither watched nor read.
   */
  watch<T extends KubeObject>(ref: ObjectRef, options: WatchOptions): AsyncIterable<Observation<T>>;
}
