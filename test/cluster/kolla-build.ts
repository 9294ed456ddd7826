/**
 * The real kolla-build from PyPI, with our template override:
 *
 *   pip install kolla, docker, setuptools -> a directory in the cache
 *   Kolla's templates -> a copy, as far as package registries go -> Dockerfiles, or images on an engine
 *
 * What a build from package registries alone has to do without stands in registriesOnly(): keys and repositories of
 * other projects, which no image but their own needs.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { KOLLA_VERSION, kollaPackage } from '../contract/kolla-package.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run, type Finished } from '../../tools/process.ts';

/** The release of Debian that this Kolla builds on. */
export const SUITE = 'trixie';
/** As `docker import` names it; kolla-build is told so. */
export const BASE_IMAGE = 'kolla-pod.test/debian';
export const OVERRIDE = new URL('../../images/kolla/template-override.j2', import.meta.url).pathname;

const DEADLINE_MS = 20 * 60_000;

export interface KollaBuildOptions {
  /** For its work; the templates' copy is made in it. */
  readonly directory: string;
  /** What it finds the engine by, and what the override reads. */
  readonly env: NodeJS.ProcessEnv;
  /** Without what lies outside of package registries. */
  readonly registriesOnly?: true;
  /** Changes the templates' copy before it is used, as another release's would be. */
  readonly change?: (templates: string) => Promise<void>;
}

/** Proven by having it print its help. */
export const canRunKollaBuild: Capability = async () => {
  try {
    const packages = await kollaBuildPackages();
    await must('python3', ['-m', 'kolla.cmd.build', '--version'], { env: { ...process.env, PYTHONPATH: packages } });
    return undefined;
  } catch (error) {
    return `kolla-build can't be had here: ${messageOf(error).slice(0, 300)}`;
  }
};

async function kollaBuildPackages(): Promise<string> {
  return await cached('kolla-build', [KOLLA_VERSION], async (directory) => {
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-warn-script-location'];
    const packages = [`kolla==${KOLLA_VERSION}`, 'docker', 'setuptools'];
    await must('python3', ['-m', 'pip', 'install', ...quiet, '--target', directory, ...packages]);
  });
}

/** The Dockerfiles that it makes of the templates, under `docker/` in the directory that is returned. */
export async function kollaTemplates(options: KollaBuildOptions, images: readonly string[]): Promise<string> {
  const finished = await kollaBuild(options, ['--template-only', ...images]);
  if (finished.code !== 0) throw new Error(`kolla-build ended with ${finished.code}: ${finished.stderr.slice(-2000)}`);
  return join(options.directory, 'work/docker');
}

/** Runs kolla-build with our override. */
export async function kollaBuild(options: KollaBuildOptions, args: readonly string[]): Promise<Finished> {
  const { directory, env } = options;
  // One of the places where it looks for them; only further ones can be given.
  const templates = join(directory, '.local/share/kolla/docker');
  await mkdir(join(directory, 'work'), { recursive: true });
  await cp(await kollaPackage(), templates, { recursive: true });
  await options.change?.(templates);
  const overrides = options.registriesOnly ? [await registriesOnly(directory, templates)] : [];
  const given = [
    ['base', 'debian'],
    ['base-image', BASE_IMAGE],
    ['base-tag', SUITE],
    ['work-dir', join(directory, 'work')],
    ['template-override', OVERRIDE],
    ...overrides.map((path) => ['template-override', path]),
  ];
  const words = given.map(([flag, value]) => `--${flag}=${value}`);
  return await run('python3', ['-m', 'kolla.cmd.build', ...words, '--nopull', ...args], {
    cwd: directory,
    env: { ...env, HOME: directory, PYTHONPATH: await kollaBuildPackages(), PYTHONDONTWRITEBYTECODE: '1' },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

/** No keys and preferences of other projects' repositories; their packages are in other images. */
const EMPTIED = ['base_ubuntu_package_key_installation', 'base_ubuntu_package_apt_preferences'];
/** A repository of OpenStack packages, which base takes nothing from. It stands in no block. */
const CUT = /\{# install Debian Openstack repos[^]*?\{% endif %\}\n/;

/** @returns the path of an override for a build that reaches Debian's mirror alone; the templates lose what no block holds */
async function registriesOnly(directory: string, templates: string): Promise<string> {
  const base = join(templates, 'base/Dockerfile.j2');
  const text = await readFile(base, 'utf8');
  if (!CUT.test(text)) throw new Error(`${base} enables no repository where this one is cut: another Kolla?`);
  await writeFile(base, text.replace(CUT, ''));
  const path = join(directory, 'registries-only.j2');
  const blocks = EMPTIED.map((name) => `{% block ${name} %}{% endblock %}\n`);
  await writeFile(path, ['{% extends parent_template %}\n', ...blocks].join(''));
  return path;
}
