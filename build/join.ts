import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Base } from './base.ts';

/**
 * Flags of the embedded node: these V8 flags do not slow the start, and none is part of V8's flag hash. Collections of a
 * young generation of two MiB are too short for parallel threads: waking them costs a busy kolla-log-ship more than they
 * save.
 */
export const EXEC_ARGV = [
  '--max-semi-space-size=2',
  '--no-parallel-scavenge',
  '--v8-pool-size=0',
  '--no-warnings',
  // For a SIGUSR1 before src/cli/no-inspector.ts: the kernel lets no process listen for TCP on a multicast address.
  '--inspect-port=[ff02::1]:0',
];

type Sea = (entry: string, options: object) => Promise<void>;

/** The parts of the executable. */
interface Parts {
  readonly nodePath: string;
  readonly arch: string;
  readonly mainFile: string;
  /** The assets: name in the binary -> absolute path. */
  readonly assets: Readonly<Record<string, string>>;
  readonly output: string;
}

/**
 * Joins base, main script and assets into one executable with pkg's SEA function: its command line does not accept an
 * existing node. pkg changes the working directory and reads `$TMPDIR`, which affect the process, so it runs in a
 * separate one.
 * @param assets name in the binary -> absolute path
 */
export async function join(
  base: Base,
  mainFile: string,
  assets: Readonly<Record<string, string>>,
  output: string,
): Promise<void> {
  const parts: Parts = { nodePath: base.path, arch: base.target.arch, mainFile, assets, output };
  const env = { ...process.env, TMPDIR: dirname(mainFile) };
  await promisify(execFile)(process.execPath, [import.meta.filename, JSON.stringify(parts)], { env });
  await chmod(output, 0o755);
}

async function joinHere({ nodePath, arch, mainFile, assets, output }: Parts): Promise<void> {
  const require = createRequire(import.meta.url);
  const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js') as { default: Sea };
  // pkg's steps, printed on our stdout.
  const { log } = require('@yao-pkg/pkg/lib-es5/log.js') as { log: { info: (text: string) => void } };
  log.info = () => {};
  await sea(mainFile, {
    targets: [{ nodeRange: 'node24', platform: 'linux', arch, output }],
    nodePath,
    // Another machine's node cannot be queried for its version. This machine's node has the same version, and writes
    // the blob.
    useLocalNode: arch !== process.arch,
    seaConfig: {
      // The path is relative to pkg's directory: an absolute path would end up in the binary and differ between builds.
      main: '../main.cjs',
      disableExperimentalSEAWarning: true,
      // The cache differs between builds, and saves only 2 KB.
      useCodeCache: false,
      execArgv: EXEC_ARGV,
      // The pod's NODE_OPTIONS are for the service: a flag unknown to this node would make a probe fail.
      execArgvExtension: 'none',
      assets,
    },
  });
}

if (import.meta.main) await joinHere(JSON.parse(process.argv[2] ?? '') as Parts);
