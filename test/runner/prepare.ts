/**
 * Sets up what the chosen test files need of the cache, before and beside the tests: a file whose parts are not there yet runs
 * after those whose parts are.
 *
 *   files -> the parts whose modules they import -> lanes: what computes one after the other, what is fetched two at a time
 *     -> readyFor(file), which resolves when its parts are there
 *
 * A part that can't be set up is left to the tests that need it: they try it again and are skipped or fail with its reason.
 */
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { importsOf, reachedFrom } from './changed.ts';
import { inLanes } from './pool.ts';

type Lane = 'computes' | 'fetches';

/** What several test files stand on and a cold cache doesn't have. */
export interface Part {
  readonly name: string;
  /** Who imports it, needs the part. */
  readonly module: string;
  readonly lane: Lane;
  /** Tries it, by which it is set up. */
  readonly make: Capability;
}

const PLACES: Readonly<Record<Lane, number>> = { computes: 1, fetches: 2 };

/** In each lane, what most files wait for comes first. */
export const PARTS: readonly Part[] = [
  {
    name: 'the helpers, bundled',
    module: 'test/support/bundled.ts',
    lane: 'computes',
    make: async () => void (await (await import('../support/bundled.ts')).bundledHelpers()),
  },
  {
    name: 'Helm',
    module: 'tools/helm.ts',
    lane: 'computes',
    make: async () => await (await import('../../tools/helm.ts')).canRunHelm(),
  },
  {
    name: 'Kubernetes and etcd',
    module: 'test/cluster/kubernetes/binaries.ts',
    lane: 'computes',
    make: async () => await (await import('../cluster/kubernetes/binaries.ts')).canBuildKubernetes(),
  },
  {
    name: 'the binary',
    module: 'test/cluster/pod-binary.ts',
    lane: 'computes',
    make: async () => void (await (await import('../cluster/pod-binary.ts')).podBinary()),
  },
  {
    name: "kolla-core's engine",
    module: 'test/cluster/core-binary.ts',
    lane: 'computes',
    make: async () => await (await import('../cluster/core-binary.ts')).canBuildCore(),
  },
  {
    name: 'MariaDB',
    module: 'test/cluster/mariadb.ts',
    lane: 'fetches',
    make: async () => await (await import('../cluster/mariadb.ts')).canRunMariadb(),
  },
  {
    name: 'Elasticsearch',
    module: 'test/cluster/elasticsearch-distribution.ts',
    lane: 'fetches',
    make: async () => await (await import('../cluster/elasticsearch-distribution.ts')).canRunElasticsearch(),
  },
  {
    name: "Kolla's scripts",
    module: 'test/contract/set-configs/reference.ts',
    lane: 'fetches',
    make: async () => await (await import('../contract/set-configs/reference.ts')).canRunReference(),
  },
];

/** What has been asked for, on its way. */
export interface Prepared {
  /** Resolves when what the file needs is there, or can't be; undefined when it needs none of it. */
  readonly readyFor: (file: string) => Promise<void> | undefined;
  /** Resolves when nothing is under way any more. */
  readonly done: Promise<void>;
}

/**
 * Starts to set up what the files need.
 * @param signal aborted, nothing more is begun, and everything counts as ready
 * @param say told each part that is there or can't be, with what it took
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

/** This file's own imports are no needs of what imports it. */
const OWN = 'test/runner/prepare.ts';

/** The parts that a test file reaches by its imports. */
export function needsOf(file: string, parts: readonly Part[] = PARTS): readonly Part[] {
  const reached = reachedFrom(file, (each) => (each === OWN ? [] : importsOf(each)));
  return parts.filter(({ module }) => reached.has(module));
}

async function made({ name, make }: Part): Promise<string> {
  const began = performance.now();
  const lacking = await make().catch(messageOf);
  const outcome = lacking === undefined ? 'ready' : `not set up: ${lacking}`;
  return `  ${name}: ${outcome} (${((performance.now() - began) / 1000).toFixed(1)} s)`;
}
