/**
 * `node build/release.ts [--out DIR] [--arch amd64|arm64]... [--key FILE] [--repository NAME] [--compression gzip|zstd]
 * [--source URI] [--builder URI] [--key-url URL] [--stale-evidence]`: writes dist/release/VERSION, with all that a site needs and no checkout.
 *
 *   package.json -> version.ts: the version, stated the same everywhere; CHANGELOG.md -> its section, CHANGES.md
 *   images/ for each architecture -> release/archives.ts: NAME-VERSION-linux-ARCH.tar.gz; SBOMs, licences
 *                                 -> release/images.ts: oci/kolla-pod, one index per image for all architectures
 *   charts.ts -> release/charts.ts: charts/*.tgz with index.yaml, oci/charts/NAME
 *   k8s/crds, k8s/operator -> release/operator.ts: operator/, with the image's name
 *   key file -> release/signatures.ts: cosign's signature of each index and manifest in oci/
 *   files, digests, git -> release/provenance.ts: SLSA provenance, signed; SHA256SUMS, signed
 *   oci/ -> publish.sh: a registry
 *
 * The same commit gives the same files, except for signatures. Exit codes: 64 a wrong option, 65 a wrong input file or
 * work tree, 69 an architecture that can't be built here; any other failure is 70, with the stack trace.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  bugText,
  ConfigError,
  ExitCode,
  KollaError,
  messageOf,
  UnavailableError,
  UsageError,
} from '../src/core/errors.ts';
import { checkToolchain } from '../tools/go-modules.ts';
import { helmBinary } from '../tools/helm.ts';
import { must, run } from '../tools/process.ts';
import { ROOT } from './bundle.ts';
import { targetFor } from './images/arm64.ts';
import { IMAGE_ARCH } from './images/base.ts';
import { buildImages, type BuiltImage } from './images/index.ts';
import { REPOSITORY_FORM } from './images/repository.ts';
import { sha256 } from './digest.ts';
import type { Compression } from './release/images.ts';
import { writeRelease } from './release/index.ts';
import { staleEvidence } from './evidence.ts';
import { readSigner } from './release/key.ts';
import type { Source } from './release/provenance.ts';
import { packageVersion, stale } from './version.ts';

const COMPRESSIONS: readonly string[] = ['gzip', 'zstd'] satisfies Compression[];
const LOCAL_BUILDER = 'urn:kolla-pod:local-build';

try {
  await main();
} catch (error) {
  const isExpected = error instanceof KollaError;
  say(isExpected ? error.message : bugText(error));
  process.exitCode = isExpected ? error.exitCode : ExitCode.bug;
}

async function main(): Promise<void> {
  const values = options();
  const signer =
    values.key === undefined ? undefined : await readSigner(values.key, process.env['COSIGN_PASSWORD'] ?? '');
  const source = await sourceOf(values.source);
  if (!values['stale-evidence']) await checkEvidence();
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(out, '.images-'));
  try {
    const images = [];
    for (const arch of values.arch) images.push(...(await imagesFor(arch, work, values.repository)));
    const place = await writeRelease({
      directory: out,
      images,
      compression: values.compression,
      repository: values.repository,
      source,
      builder: values.builder,
      ...(values['key-url'] !== undefined && { keyUrl: values['key-url'] }),
      ...(signer === undefined ? {} : { signer }),
    });
    if (signer === undefined) say('not signed: no --key');
    console.log(place);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Options {
  readonly out: string;
  readonly arch: readonly string[];
  readonly key: string | undefined;
  readonly repository: string;
  readonly compression: Compression;
  readonly source: string;
  readonly builder: string;
  readonly 'key-url'?: string;
  readonly 'stale-evidence': boolean;
}

function options(): Options {
  const values = parsed();
  const { arch = Object.values(IMAGE_ARCH), key, compression, repository } = values;
  const unknown = arch.find((name) => !(Object.values(IMAGE_ARCH) as string[]).includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--arch '${unknown}': not one of ${Object.values(IMAGE_ARCH).join(', ')}`);
  if (!COMPRESSIONS.includes(compression))
    throw new UsageError(`--compression '${compression}': not one of ${COMPRESSIONS.join(', ')}`);
  if (values['key-url'] !== undefined && key === undefined)
    throw new UsageError('--key-url is for a signed release: set --key too');
  if (!REPOSITORY_FORM.test(repository))
    throw new UsageError(
      `--repository '${repository}': not a name without tag, such as registry.example/team/kolla-pod`,
    );
  return { ...values, arch: [...new Set(arch)], key, compression: compression as Compression };
}

function parsed() {
  try {
    return parseArgs({
      options: {
        out: { type: 'string', default: join(ROOT, 'dist/release') },
        arch: { type: 'string', multiple: true },
        key: { type: 'string' },
        repository: { type: 'string', default: 'localhost/kolla-pod' },
        compression: { type: 'string', default: 'gzip' },
        source: { type: 'string', default: '' },
        builder: { type: 'string', default: LOCAL_BUILDER },
        'key-url': { type: 'string' },
        'stale-evidence': { type: 'boolean', default: false },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

/** @throws ConfigError if the sources are not those of a commit, or state different versions */
async function sourceOf(uri: string): Promise<Source> {
  const different = [...stale(packageVersion()).keys()];
  if (different.length > 0)
    throw new ConfigError(
      `the version of package.json, ${packageVersion()}, is not in ${different.join(', ')}: run make version`,
    );
  const git = (...args: string[]) => must('git', ['-C', ROOT, ...args]);
  const { code, stdout, stderr } = await run('git', ['-C', ROOT, 'status', '--porcelain']);
  if (code !== 0) throw new ConfigError(`a release states its commit, and git shows none: ${stderr.trim()}`);
  if (stdout !== '')
    throw new ConfigError(`the work tree differs from its commit; commit or stash:\n${stdout.trimEnd()}`);
  // Charts and CRDs are copied as directories, with files that a .gitignore hides from `git status`.
  const others = await git('ls-files', '--others', '--', 'k8s');
  if (others !== '')
    throw new ConfigError(`files that git does not track would be released; remove them:\n${others.trimEnd()}`);
  const [commit = '', time = ''] = (await git('log', '-1', '--format=%H %cI')).trim().split(' ');
  return { uri, commit, time, lockfile: sha256(await readFile(join(ROOT, 'package-lock.json'))) };
}

/** @throws ConfigError if docs/evidence/ has what was seen of older sources */
async function checkEvidence(): Promise<void> {
  const lines = await staleEvidence();
  if (lines.length === 0) return;
  const fix = 'print it again, or release all the same with --stale-evidence (make release STALE_EVIDENCE=1)';
  throw new ConfigError(`evidence is older than what it is about; ${fix}:\n${lines.join('\n')}`);
}

async function imagesFor(name: string, directory: string, repository: string): Promise<BuiltImage[]> {
  const arch = name === IMAGE_ARCH.arm64 ? 'arm64' : 'x64';
  const prepared = async () => {
    // The longest build, of the operator's image, and the one that fails without Go.
    await checkToolchain(await helmBinary(arch, '4'));
    const target = await targetFor(arch);
    // Without it the binary is built all the same, with Node's symbols, and differs from that of other machines.
    await must(target.strip, ['--version'], { env: { ...process.env, ...target.env } });
    return target;
  };
  const target = await prepared().catch((cause: unknown) => {
    throw new UnavailableError(`${name} can't be built here: ${messageOf(cause)}; --arch builds one architecture`, {
      cause,
    });
  });
  return await buildImages({ directory, target, repository, say: (text) => say(`${name}: ${text}`) });
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
