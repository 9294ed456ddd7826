import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run } from '../../tools/process.ts';

export const canRunOpenssl: Capability = async () => {
  const found = await run('openssl', ['version']).catch(() => undefined);
  return found?.code === 0 ? undefined : 'no openssl on this machine';
};

/** OpenSSL's subject hash of each certificate in order; `refused` if OpenSSL cannot parse it. */
export async function hashesByOpenssl(pems: readonly string[]): Promise<string[]> {
  await using directory = await privateDirectory('hashes');
  for (const [i, pem] of pems.entries()) await writeFile(join(directory.path, `${i}`), `${pem}\n`);
  const each = 'openssl x509 -noout -subject_hash -in "$i" 2> /dev/null || echo refused';
  const said = await must('sh', ['-c', `i=0; while [ -e "$i" ]; do ${each}; i=$((i + 1)); done`], {
    cwd: directory.path,
  });
  return said.trim().split('\n');
}
