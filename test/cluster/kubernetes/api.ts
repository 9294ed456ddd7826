import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { must } from '../../../tools/process.ts';
import type { Credentials } from '../authority.ts';
import { kubeconfigText } from './credentials.ts';

/** A cluster for tests, wherever it runs. */
export interface Cluster {
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Address of the API server: `https://127.0.0.1:PORT`. */
  readonly server: string;
  /** The CA certificate of the server, in PEM. */
  readonly ca: string;
  /** Directory of state and logs, which is removed with the cluster. */
  readonly directory: string;
  /** Runs kubectl as administrator and returns its stdout. Rejects with its error. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** A kubeconfig of a ServiceAccount with a token valid for an hour, for tests of RBAC; its path. */
  kubeconfigOf(namespace: string, serviceAccount: string): Promise<string>;
}

/** A Go program that ends after a tenth of a second spends a fifth of it on garbage, unless its memory grows. */
export const SHORT_LIVED = { GOGC: 'off', GOMEMLIMIT: '200MiB' };

/**
 * Access to a cluster for tests, built from the parts known at its start.
 * @param program kubectl
 */
export function clusterOf(program: string, parts: Omit<Cluster, 'kubectl' | 'kubeconfigOf'>): Cluster {
  const { kubeconfig, server, ca, directory } = parts;
  // A user's own settings and cache of kubectl must be neither read nor written.
  const env = { PATH: process.env['PATH'], HOME: directory, KUBERC: 'off', ...SHORT_LIVED };
  const kubectl = (args: readonly string[], input?: string) =>
    must(program, ['--kubeconfig', kubeconfig, ...args], { env, ...(input === undefined ? {} : { input }) });
  return {
    ...parts,
    kubectl,
    kubeconfigOf: async (namespace, serviceAccount) => {
      const token = await kubectl(['create', 'token', serviceAccount, '--namespace', namespace, '--duration=1h']);
      const path = join(directory, `${namespace}.${serviceAccount}.kubeconfig`);
      await writeFile(path, kubeconfigText(server, ca, { token: token.trim() }, namespace), { mode: 0o600 });
      return path;
    },
  };
}

const ANSWER_MS = 30_000;

/** Sends one GET with a client certificate. Returns the body for status 200, otherwise undefined. */
export async function apiGet(
  server: string,
  path: string,
  ca: string,
  client: Credentials,
): Promise<string | undefined> {
  const asked = request(new URL(path, server), {
    ca,
    cert: client.certificate,
    key: client.key,
    agent: false,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  asked.end();
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const body = await text(response);
    return response.statusCode === 200 ? body : undefined;
  } catch {
    return undefined; // refused, reset or too slow: not up yet, and the caller has a deadline
  }
}
