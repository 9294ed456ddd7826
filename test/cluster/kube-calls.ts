import type { CredentialSource, Timing } from '../../src/kube/index.ts';

/** What test/cluster/kube-on-core.ts asks of kolla-core. */
export interface Call {
  readonly client: { readonly source: CredentialSource; readonly timing: Timing };
  readonly id: number;
  readonly method: 'watch' | 'watchSet' | 'get' | 'request' | 'apply' | 'discover' | 'stop';
  readonly args: readonly unknown[];
  readonly options: object;
}

/** What it says; 0 is the id of the connection itself. */
export type Said =
  | { readonly is: 'connected'; readonly namespace: string; readonly server: string }
  | { readonly is: 'observation'; readonly observation: object }
  | { readonly is: 'warning'; readonly text: string }
  | { readonly is: 'result'; readonly result: unknown }
  | { readonly is: 'done' }
  | {
      readonly is: 'error';
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly code: string | undefined;
        readonly exitCode?: number;
        readonly status?: number;
        readonly reason?: string | undefined;
        readonly retryAfterMs?: number;
      };
    };
