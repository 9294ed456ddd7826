/** kolla-probe on both engines, on the same server, and certificates for such servers. */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, run } from '../../tools/process.ts';
import type { Authority, Credentials } from '../cluster/authority.ts';
import { builtCore } from '../cluster/on-core.ts';
import { runHelper } from '../support/helper.ts';
import { verdict } from '../support/probe-verdict.ts';

/** Words for openssl req. */
export const KEYS = {
  'RSA of 2048 bits': ['-newkey', 'rsa:2048'],
  'RSA of 4096 bits': ['-newkey', 'rsa:4096'],
  'P-256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  Ed25519: ['-newkey', 'ed25519'],
} as const;

export interface Issued extends Credentials {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * A certificate for localhost that makeAuthority() does not issue, by OpenSSL.
 * @param directory for its files, which begin with the name
 * @param issuing more words for openssl x509
 * @param extensions more lines of them
 */
export async function byOpenssl(
  authority: Authority,
  directory: string,
  name: string,
  newKey: readonly string[],
  { issuing = [], extensions = '' }: { issuing?: readonly string[]; extensions?: string } = {},
): Promise<Issued> {
  const at = (suffix: string) => join(directory, `${name}.${suffix}`);
  writeFileSync(at('ca'), authority.certificate);
  writeFileSync(at('ca.key'), authority.key);
  writeFileSync(at('ext'), `subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n${extensions}`);
  const request = ['-keyout', at('key'), '-out', at('csr'), '-subj', '/CN=localhost'];
  await must('openssl', ['req', '-new', '-nodes', ...newKey, ...request]);
  const by = ['-CA', at('ca'), '-CAkey', at('ca.key'), '-set_serial', '7', '-extfile', at('ext')];
  await must('openssl', ['x509', '-req', '-in', at('csr'), '-days', '3', ...by, '-out', at('crt'), ...issuing]);
  const [certificate, key] = await Promise.all([readFile(at('crt'), 'utf8'), readFile(at('key'), 'utf8')]);
  return { certificate, key, certFile: at('crt'), keyFile: at('key') };
}

let core: ReturnType<typeof builtCore> | undefined;
/** kolla-core's kolla-probe. */
export async function coreProbe(): Promise<string> {
  return join((await (core ??= builtCore())).names, 'kolla-probe');
}

/** What kolla-probe says with these words, on each engine: its exit code and the reason, without the time. */
export async function onBothEngines(words: readonly string[]): Promise<{ nodes: string; cores: string }> {
  const probe = await coreProbe();
  const [nodes, cores] = await Promise.all([
    runHelper('kolla-probe', words),
    run(probe, words.includes('--timeout') ? words : [...words, '--timeout', '30s'], {
      env: { PATH: process.env['PATH'] },
    }),
  ]);
  return { nodes: verdict(nodes), cores: verdict(cores) };
}
