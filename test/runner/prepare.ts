/**
 * Warms the cache for the chosen test files, before and during the run: files with missing parts run after those whose
 * parts exist.
 *
 *   files -> the parts whose modules they are or import -> lanes: builds one at a time, downloads two at a time
 *     -> readyFor(file), which resolves when its parts exist
 *
 * A part that cannot be set up is left to the tests that need it: they retry and are skipped or fail with its reason.
 */
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { importsOf, reachedFrom } from './changed.ts';
import { inLanes } from './pool.ts';

type Lane = 'computes' | 'fetches';

/** A prerequisite of several test files that a cold cache lacks. */
export interface Part {
  readonly name: string;
  /** A file that is or imports one of these modules needs the part. */
  readonly modules: readonly string[];
  readonly lane: Lane;
  /** Sets the part up by probing for it. */
  readonly make: Capability;
}

const PLACES: Readonly<Record<Lane, number>> = { computes: 1, fetches: 2 };

/** In each lane, parts that most files need come first. */
export const PARTS: readonly Part[] = [
  {
    name: 'the helpers, bundled',
    modules: ['test/support/bundled.ts'],
    lane: 'computes',
    make: async () => void (await (await import('../support/bundled.ts')).bundledHelpers()),
  },
  {
    name: 'Helm',
    modules: ['tools/helm.ts'],
    lane: 'computes',
    make: async () => await (await import('../../tools/helm.ts')).canRunHelm(),
  },
  {
    name: 'Helm 3',
    modules: ['test/compatibility/helm-3.test.ts', 'test/compatibility/helm-3-and-4.test.ts'],
    lane: 'computes',
    make: async () => await (await import('../../tools/helm.ts')).canRunHelm('3'),
  },
  {
    name: 'Kubernetes and etcd',
    modules: ['test/cluster/kubernetes/binaries.ts'],
    lane: 'computes',
    make: async () => await (await import('../cluster/kubernetes/binaries.ts')).canBuildKubernetes(),
  },
  {
    name: 'the binary',
    modules: ['test/cluster/pod-binary.ts'],
    lane: 'computes',
    make: async () => void (await (await import('../cluster/pod-binary.ts')).podBinary()),
  },
  {
    name: "kolla-core's engine",
    modules: ['test/cluster/core-binary.ts'],
    lane: 'computes',
    make: async () => await (await import('../cluster/core-binary.ts')).canBuildCore(),
  },
  {
    name: 'CoreDNS',
    modules: ['test/aio/stage.ts', 'test/e2e/two-nodes.test.ts'],
    lane: 'computes',
    make: async () => await (await import('../cluster/kubernetes/binaries.ts')).canBuildCoredns(),
  },
  {
    name: 'kube-router',
    modules: ['test/e2e/network-policy.test.ts'],
    lane: 'computes',
    make: async () => void (await (await import('../cluster/kubernetes/binaries.ts')).kubeRouterBinary()),
  },
  {
    name: 'containerd 2',
    modules: ['test/e2e/image-volume.test.ts'],
    lane: 'computes',
    make: async () => void (await (await import('../cluster/kubernetes/binaries.ts')).containerd2Directories()),
  },
  {
    name: "podman's library",
    modules: ['test/cluster/signature-policy.ts'],
    lane: 'computes',
    make: async () => await (await import('../cluster/signature-policy.ts')).canJudgeSignatures(),
  },
  {
    name: 'actionlint',
    modules: ['test/cluster/actionlint.ts'],
    lane: 'computes',
    make: async () => await (await import('../cluster/actionlint.ts')).canLintWorkflows(),
  },
  {
    name: 'MariaDB',
    modules: ['test/cluster/mariadb.ts'],
    lane: 'fetches',
    make: async () => await (await import('../cluster/mariadb.ts')).canRunMariadb(),
  },
  {
    name: 'Elasticsearch',
    modules: ['test/cluster/elasticsearch-distribution.ts'],
    lane: 'fetches',
    make: async () => await (await import('../cluster/elasticsearch-distribution.ts')).canRunElasticsearch(),
  },
  {
    name: "Kolla's scripts",
    modules: ['test/contract/set-configs/reference.ts'],
    lane: 'fetches',
    make: async () => await (await import('../contract/set-configs/reference.ts')).canRunReference(),
  },
];

/** Requested parts and their progress. */
export interface Prepared {
  /** Resolves when the file's parts exist or have failed; undefined if it needs none. */
  readonly readyFor: (file: string) => Promise<void> | undefined;
  /** Resolves when no part is in progress. */
  readonly done: Promise<void>;
}

/**
 * Starts setting up what the files need.
 * @param signal once aborted, nothing more is started, and everything counts as ready
 * @param say called for each part that is set up or failed, with the time taken
 */
export function prepare(
  files: readonly string[],
  signal: AbortSignal,
  say: (line: string) => void,
  parts: readonly Part[] = PARTS,
): Prepared {
  const needs = new Map(files.map((file) => [file, needsOf(file, parts)]));
  const needed = parts.filter((part) => [...needs.values()].some((all) => all.includes(part)));
  const settled = new Map(needed.map((part) => [part, Promise.withResolvers<void>()]));
  const tasks = needed.map((part) => ({ lane: part.lane, part, run: () => made(part) }));
  const done = inLanes(tasks, PLACES, signal, ({ part }, line) => {
    settled.get(part)?.resolve();
    say(line);
  }).then((missing) => missing.forEach(({ part }) => settled.get(part)?.resolve()));
  const allSettled = async (all: readonly Part[]): Promise<void> => {
    for (const part of all) await settled.get(part)?.promise;
  };
  return {
    readyFor: (file) => {
      const all = needs.get(file) ?? [];
      if (all.length === 0) return undefined;
      return allSettled(all);
    },
    done,
  };
}

/** Importers of this file do not need what this file imports. */
const OWN = 'test/runner/prepare.ts';

/** The parts of a test file's modules: itself and its imports, transitively. */
export function needsOf(file: string, parts: readonly Part[] = PARTS): readonly Part[] {
  const reached = reachedFrom(file, (each) => (each === OWN ? [] : importsOf(each)));
  return parts.filter(({ modules }) => modules.some((module) => reached.has(module)));
}

async function made({ name, make }: Part): Promise<string> {
  const began = performance.now();
  const lacking = await make().catch(messageOf);
  const outcome = lacking === undefined ? 'ready' : `not set up: ${lacking}`;
  return `  ${name}: ${outcome} (${((performance.now() - began) / 1000).toFixed(1)} s)`;
}
