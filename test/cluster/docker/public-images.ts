/**
 * Stand-ins, from Debian's packages, for the public images that docs/start/docker.md uses by name: nothing can be pulled
 * without a registry. They have the same programs and the same variables as far as the page uses them.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../src/core/errors.ts';
import type { Capability } from '../../../tools/capability.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { imageTar, layerOfDirectory } from '../../../tools/image.ts';
import { tarOf } from '../../../tools/tar.ts';
import { canBuildInfrastructureImages, infrastructureImages } from '../infrastructure-image.ts';
import { BASE_PACKAGES } from '../keystone-image.ts';
import type { Docker } from './index.ts';

const MARIADB = fileURLToPath(new URL('mariadb', import.meta.url));
/** Debian's smallest image has all of them; the binary needs libstdc++. */
const PACKAGES = [...BASE_PACKAGES, 'libstdc++6', 'passwd', 'python3'];

/** Tested by unpacking their packages. */
export const canBuildPublicImages: Capability = async () => {
  try {
    await pythonTree();
    return await canBuildInfrastructureImages();
  } catch (error) {
    return `no stand-ins for public images: ${messageOf(error)}`;
  }
};

/** Adds `python:TAG` and `mariadb:TAG` to the engine, by these names. */
export async function addPublicImages(docker: Docker, python: string, mariadb: string): Promise<void> {
  const file = join(docker.directory, 'public.tar');
  const users = [
    { name: 'etc/passwd', mode: 0o644, content: 'root:x:0:0:root:/root:/bin/bash\n' },
    { name: 'etc/group', mode: 0o644, content: 'root:x:0:\n' },
    { name: 'tmp/', mode: 0o1777 },
  ];
  const layers = [layerOfDirectory(await pythonTree(), ['--owner=0', '--group=0', '--mode=go=u-w']), tarOf(users)];
  await imageTar(file, { reference: python, layers, env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' } });
  await docker.must(['load', '--input', file]);
  await infrastructureImages(file, { mariadb: 'kolla-pod.test/mariadb:1' });
  await docker.must(['load', '--input', file]);
  await rm(file);
  await docker.must(['build', '--quiet', '--tag', mariadb, MARIADB]);
}

async function pythonTree(): Promise<string> {
  return await unpackedPackages('python-packages', PACKAGES, { except: ['debconf', 'perl-base'] });
}
