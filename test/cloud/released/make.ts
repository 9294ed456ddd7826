import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HERE } from '../../../build/base.ts';
import { ROOT } from '../../../build/bundle.ts';
import { IMAGE_ARCH } from '../../../build/images/base.ts';
import { packageVersion } from '../../../build/version.ts';
import { run } from '../../../tools/process.ts';
import { GLOBALS } from '../install.ts';
import type { Stage } from '../stage.ts';
import type { Transcript } from './transcript.ts';

/** A release at a site. */
export interface Released {
  /** The copy of its directory; next to it are cosign.pub and site.yml. */
  readonly place: string;
  readonly version: string;
  /** The name of the archive with the binaries, without .tar.gz. */
  readonly archive: string;
}

/** Makes a release of the commit, which must have no changes, signs it with a new key, and copies it to a site. */
export async function makeRelease(stage: Stage, transcript: Transcript): Promise<Released> {
  const own = join(stage.directory, 'made');
  await mkdir(own);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = join(own, 'key.pem');
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const arch = IMAGE_ARCH[HERE.arch];
  await transcript.type(`make release ARCH=${arch} KEY=key.pem STALE_EVIDENCE=1`, async () => {
    const words = [join(ROOT, 'build/release.ts'), '--out', own, '--arch', arch, '--key', key, '--stale-evidence'];
    const { code, stdout, stderr } = await run(process.execPath, words);
    return { code, output: `${stderr}${stdout}`.replaceAll(own, 'dist/release') };
  });
  const version = packageVersion();
  const site = join(stage.directory, 'site');
  const place = join(site, version);
  await cp(join(own, version), place, { recursive: true });
  await writeFile(join(site, 'cosign.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const tagged = (await readFile(GLOBALS, 'utf8')).replace(/^global:$/m, `global:\n  tag: "${stage.release}"`);
  await writeFile(join(site, 'site.yml'), tagged);
  return { place, version, archive: `kolla-pod-${version}-linux-${arch}` };
}
