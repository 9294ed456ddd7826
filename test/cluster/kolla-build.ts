/**
 * The real kolla-build from PyPI, with our template override:
 *
 *   pip install kolla, docker, setuptools -> a directory in the cache
 *   Kolla's templates -> a copy, limited to package registries -> Dockerfiles, or images on an engine
 *
 * registriesOnly() lists the parts omitted in a build from package registries: keys and repositories of other projects,
 * which only their own images need.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { KOLLA_VERSION, kollaPackage } from '../contract/kolla-package.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run, type Finished } from '../../tools/process.ts';

/** The Debian release on which this Kolla builds. */
export const SUITE = 'trixie';
/** The name of the image that `docker import` creates, which kolla-build gets as its base. */
export const BASE_IMAGE = 'kolla-pod.test/debian';
export const OVERRIDE = new URL('../../images/kolla/template-override.j2', import.meta.url).pathname;

const DEADLINE_MS = 20 * 60_000;

export interface KollaBuildOptions {
  /** The working directory, with a copy of the templates. */
  readonly directory: string;
  /** The address of the engine, and the input of the override. */
  readonly env: NodeJS.ProcessEnv;
  /** Excludes sources other than package registries. */
  readonly registriesOnly?: true;
  /** Changes the copy of the templates, to simulate another release. Only before Kolla 23, which reads its own package first. */
  readonly change?: (templates: string) => Promise<void>;
  /** Of Kolla. */
  readonly version?: string;
  /** The distribution of the images (default: debian). */
  readonly base?: string;
}

/** Tested by printing its help. */
export const canRunKollaBuild: Capability = async () => {
  try {
    const packages = await kollaBuildPackages();
    await must('python3', ['-m', 'kolla.cmd.build', '--version'], { env: { ...process.env, PYTHONPATH: packages } });
    return undefined;
  } catch (error) {
    return `kolla-build is not available here: ${messageOf(error).slice(0, 300)}`;
  }
};

async function kollaBuildPackages(version: string = KOLLA_VERSION): Promise<string> {
  return await cached('kolla-build', [version], async (directory) => {
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-warn-script-location'];
    const packages = [`kolla==${version}`, 'docker', 'setuptools'];
    await must('python3', ['-m', 'pip', 'install', ...quiet, '--target', directory, ...packages]);
  });
}

/** Builds Dockerfiles from the templates, under `docker/` in the returned directory. */
export async function kollaTemplates(options: KollaBuildOptions, images: readonly string[]): Promise<string> {
  const finished = await kollaBuild(options, ['--template-only', ...images]);
  if (finished.code !== 0) throw new Error(`kolla-build exited with ${finished.code}: ${finished.stderr.slice(-2000)}`);
  return join(options.directory, 'work/docker');
}

/** Runs kolla-build with our override. */
export async function kollaBuild(options: KollaBuildOptions, args: readonly string[]): Promise<Finished> {
  const { directory, env, version, base = 'debian' } = options;
  // A directory in which kolla-build looks by default: options cannot replace its templates, only add to them.
  const templates = join(directory, '.local/share/kolla/docker');
  await mkdir(join(directory, 'work'), { recursive: true });
  await cp(await kollaPackage(version), templates, { recursive: true });
  await options.change?.(templates);
  const overrides = options.registriesOnly ? [await registriesOnly(directory, templates)] : [];
  const given = [
    ['base', base],
    ['base-image', BASE_IMAGE],
    ['base-tag', SUITE],
    ['work-dir', join(directory, 'work')],
    ['template-override', OVERRIDE],
    ...overrides.map((path) => ['template-override', path]),
  ];
  const words = given.map(([flag, value]) => `--${flag}=${value}`);
  return await run('python3', ['-m', 'kolla.cmd.build', ...words, '--nopull', ...args], {
    cwd: directory,
    env: { ...env, HOME: directory, PYTHONPATH: await kollaBuildPackages(version), PYTHONDONTWRITEBYTECODE: '1' },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

/** Omits keys and preferences of other projects' repositories, whose packages are in other images. */
const EMPTIED = ['base_ubuntu_package_key_installation', 'base_ubuntu_package_apt_preferences'];
/** Omits a repository of OpenStack packages that base does not use. No block contains it, so the text is cut. */
const CUT = /\{# install Debian Openstack repos[^]*?\{% endif %\}\n/;

/**
 * @returns the path of an override for a build with only Debian's mirror; parts outside of blocks are removed from the
 * templates
 */
async function registriesOnly(directory: string, templates: string): Promise<string> {
  const base = join(templates, 'base/Dockerfile.j2');
  const text = await readFile(base, 'utf8');
  if (!CUT.test(text)) throw new Error(`${base} does not enable the repository that is cut here: has Kolla changed?`);
  await writeFile(base, text.replace(CUT, ''));
  const path = join(directory, 'registries-only.j2');
  const blocks = EMPTIED.map((name) => `{% block ${name} %}{% endblock %}\n`);
  await writeFile(path, ['{% extends parent_template %}\n', ...blocks].join(''));
  return path;
}
