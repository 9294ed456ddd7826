import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { goProgram } from '../../tools/go-program.ts';
import { run, type Finished } from '../../tools/process.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
/** Disk space for modules and Go's build cache. */
const BUILD_BYTES = 1e9;

/** Tested by building it; the build is cached. */
export const canJudgeSignatures: Capability = async () => {
  try {
    await policyCopy();
    return undefined;
  } catch (error) {
    return `podman's library can't be built here: ${messageOf(error)}`;
  }
};

/**
 * Copies an image from a registry over http as podman, CRI-O and skopeo do: only if its signatures satisfy the policy.
 * Debian's own skopeo has cosign's signatures disabled.
 * @param policy containers-policy.json(5)
 * @param directory for the program's files and the copy
 */
export async function copyByPolicy(policy: object, reference: string, directory: string): Promise<Finished> {
  const registries = join(directory, 'registries.d');
  await mkdir(registries, { recursive: true });
  // cosign's signatures are next to the image.
  const attached = { 'default-docker': { 'use-sigstore-attachments': true } };
  await writeFile(join(registries, 'default.yaml'), JSON.stringify(attached));
  const file = join(directory, 'policy.json');
  await writeFile(file, JSON.stringify(policy));
  return await run(await policyCopy(), [file, registries, reference, join(directory, 'copy')]);
}

async function policyCopy(): Promise<string> {
  return await goProgram({
    name: 'policy-copy',
    directory: DIRECTORY,
    sources: ['policy-copy'],
    flags: [],
    // Without cgo there is no gpgme; GPG's signatures are not used.
    tags: ['containers_image_openpgp'],
    room: BUILD_BYTES,
  });
}
