import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../src/core/log.ts';
import { defined } from '../../src/core/defined.ts';
import { answerOf } from '../../src/probe/ask/ask.ts';
import { ALL_CHECKS } from '../../src/probe/checks/index.ts';
import { KOLLA_NAMES } from '../../src/probe/kolla/index.ts';
import { prepareChecks } from '../../src/probe/serve/index.ts';
import { shellWords } from '../../src/probe/serve/config.ts';
import { binaryOf } from '../../src/toolbox/install/core-names.ts';
import { coreBinary } from '../../test/cluster/core-binary.ts';
import { HELPERS } from '../../test/support/helper.ts';
import { run } from '../../tools/process.ts';
import type { Answer } from './row.ts';

const TIMEOUT_MS = 1000;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };
/** Runs checks by Kolla's scripts and by ours. */
export interface CheckRunner extends AsyncDisposable {
  /** Runs the declared check in a shell, as Docker does. */
  declared(words: string): Promise<Answer>;
  /** Runs kolla-probe with these arguments. */
  native(words: string, env?: NodeJS.ProcessEnv): Promise<Answer>;
}

/**
 * Creates Kolla's commands: those of kolla-core as shipped, the others from source.
 * @param directory for the commands, and for programs that a test puts on the PATH
 */
export async function openCheckRunner(directory: string): Promise<CheckRunner> {
  await using stack = new AsyncDisposableStack();
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  const { names } = await coreBinary(join(directory, 'core'));
  for (const name of KOLLA_NAMES) {
    if (binaryOf(name, true) === 'kolla-core') await symlink(join(names, name), join(bin, name));
    else await writeFile(join(bin, name), scriptOf(name), { mode: 0o755 });
  }
  const stop = stack.adopt(new AbortController(), (one) => one.abort());
  const env = { PATH: `${bin}:${process.env['PATH']}`, HEALTHCHECK_CURL_MAX_TIME: '1' };
  const moved = stack.move();
  return {
    async declared(words) {
      const { code, stderr } = await run('sh', ['-c', words], { env });
      if (code > 1) throw new Error(`'${words}' ended with ${code}: ${stderr}`);
      return { healthy: code === 0, reason: stderr.trim() };
    },
    async native(words, more = {}) {
      const config = { name: 'census', run: shellWords(words), roles: [], period: 60_000, timeout: TIMEOUT_MS };
      const context = { log: SILENT, inherited: { PATH: env.PATH, ...more } };
      const [check] = await prepareChecks([{ ...config, failures: 1, allowRemote: false }], context, ALL_CHECKS);
      if (check === undefined) throw new Error(`no check for '${words}'`);
      const verdict = await answerOf(check.question, TIMEOUT_MS, stop.signal);
      const onCore = await byCore(join(names, 'kolla-probe'), words, { PATH: env.PATH, ...more });
      return {
        healthy: verdict.healthy,
        reason: (verdict.healthy ? verdict.detail : verdict.reason) ?? '',
        ...defined({ onCore }),
      };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function scriptOf(name: string): string {
  return `#!/bin/sh\nexec '${process.execPath}' '${HELPERS}' '${name}' "$@"\n`;
}

async function byCore(binary: string, words: string, env: NodeJS.ProcessEnv): Promise<Answer> {
  const [word = '', ...others] = shellWords(words);
  const { code, stderr } = await run(binary, [word, '--timeout', `${TIMEOUT_MS}ms`, ...others], { env });
  if (code > 1) throw new Error(`kolla-core's '${words}' ended with ${code}: ${stderr}`);
  const { msg } = (stderr === '' ? { msg: '' } : JSON.parse(stderr)) as { msg: string };
  return { healthy: code === 0, reason: msg };
}
