/**
 * docs/how-to/configmaps.md, "From kolla-ansible": the real kolla-ansible and Ansible from PyPI, by the page's own commands, on this
 * machine without a container engine; then kolla-pod configmaps and kolla-init plan of what they wrote.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory, type Directory } from '../../tools/directory.ts';
import { must, run } from '../../tools/process.ts';
import { KOLLA_ANSIBLE_VERSION } from '../contract/kolla-ansible.ts';
import { blocksOf, readPages } from '../docs/page.ts';
import { fileLimit } from '../support/file-limit.ts';
import { runHelper } from '../support/helper.ts';
import type { Printed } from '../toolbox/configmaps/directory.ts';

/** Ansible takes a minute of CPU time. */
fileLimit(20);
const GENCONFIG_MS = 15 * 60_000;
const ANSIBLE_VERSION = '12.3.0';
/** The package ansible has a hundred; these are the ones that kolla-ansible requires. */
const COLLECTIONS = [
  ...['netcommon', 'posix', 'utils'].map((name) => `ansible/${name}`),
  ...['crypto', 'general', 'docker'].map((name) => `community/${name}`),
  'containers/podman',
];
const UNPACK = `
import sys, zipfile
wheel, directory, *collections = sys.argv[1:]
with zipfile.ZipFile(wheel) as file:
    wanted = tuple(f'ansible_collections/{name}/' for name in collections)
    file.extractall(directory, [name for name in file.namelist() if name.startswith(wanted)])
`;

/** The packages of the page's `pip install`, in a directory for PYTHONPATH. */
async function kollaAnsible(): Promise<string> {
  return await cached('kolla-ansible-program', [KOLLA_ANSIBLE_VERSION, ANSIBLE_VERSION], async (directory) => {
    const pip = (...args: readonly string[]) =>
      must('python3', ['-m', 'pip', ...args, '--quiet', '--disable-pip-version-check', '--only-binary', ':all:']);
    await pip('install', '--no-warn-script-location', '--target', directory, `kolla-ansible==${KOLLA_ANSIBLE_VERSION}`);
    await using wheels = await privateDirectory('wheels');
    await pip('download', '--no-deps', '--dest', wheels.path, `ansible==${ANSIBLE_VERSION}`);
    const [wheel = ''] = await readdir(wheels.path);
    await must('python3', ['-c', UNPACK, join(wheels.path, wheel), directory, ...COLLECTIONS]);
  });
}

const canHaveIt: Capability = async () => {
  return await kollaAnsible().then(
    () => undefined,
    (error: unknown) => `kolla-ansible can't be installed here: ${messageOf(error).slice(0, 200)}`,
  );
};

const shells = (await readPages())
  .filter(({ name }) => name === 'how-to/configmaps')
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);
const install = shells.find((text) => text.includes('pip install'));
const generate = shells.find((text) => text.includes('kolla-ansible genconfig'));

test("the page's versions are those that are tested", () => {
  assert.ok(install?.includes(`kolla-ansible==${KOLLA_ANSIBLE_VERSION} ansible==${ANSIBLE_VERSION} `), install);
});

describe('kolla-ansible genconfig without a container engine', { skip: (await canHaveIt()) ?? false }, () => {
  let directory: Directory;
  let services: string;
  let names: string[];
  before(async () => {
    directory = await privateDirectory('genconfig');
    const program = await kollaAnsible();
    const env = {
      PATH: `${join(program, 'bin')}:${process.env['PATH']}`,
      PYTHONPATH: program,
      PYTHONDONTWRITEBYTECODE: '1',
      // Outside of a virtual environment it does not find them itself.
      KOLLA_ANSIBLE_DATA_FILES_PATH: join(program, 'share/kolla-ansible'),
      HOME: join(directory.path, 'home'),
      LC_ALL: 'C.UTF-8',
      ANSIBLE_NOCOLOR: '1',
      // An engine that this machine may have is not used.
      DOCKER_HOST: 'unix:///nonexistent',
    };
    await mkdir(env.HOME);
    const signal = AbortSignal.timeout(GENCONFIG_MS);
    const began = performance.now();
    const { code, stdout, stderr } = await run('bash', ['-e', '-c', generate ?? 'false'], {
      cwd: directory.path,
      env,
      signal,
    });
    assert.equal(code, 0, (stdout + stderr).slice(-3000));
    services = join(directory.path, 'services');
    names = (await readdir(services)).toSorted();
    console.log(`genconfig: ${names.length} services in ${Math.round((performance.now() - began) / 1000)} s`);
  });

  after(async () => await directory?.[Symbol.asyncDispose]());

  test('the services of the page are written', () => {
    const nova = ['api', 'compute', 'conductor', 'libvirt', 'metadata', 'novncproxy', 'scheduler', 'ssh'];
    assert.deepEqual(names, ['keystone', 'keystone-fernet', 'keystone-ssh', ...nova.map((name) => `nova-${name}`)]);
  });

  test('each directory becomes ConfigMaps and Secrets, its passwords Secrets', async () => {
    for (const name of names) {
      const { code, stdout, stderr } = await runHelper('kolla-pod', [
        'configmaps',
        join(services, name),
        '-n',
        'openstack',
      ]);
      assert.equal(code, 0, `${name}: ${stderr}`);
      const objects = loadAll(stdout) as Printed[];
      const files = (await readdir(join(services, name), { recursive: true, withFileTypes: true })).filter((each) =>
        each.isFile(),
      );
      assert.equal(objects.length, files.length, name);
    }
    const { stdout } = await runHelper('kolla-pod', ['configmaps', join(services, 'nova-api')]);
    const conf = (loadAll(stdout) as Printed[]).find(({ metadata }) => metadata.name.startsWith('nova-api-nova.conf-'));
    assert.equal(conf?.kind, 'Secret');
  });

  test('kolla-init plan takes each but that of nova-libvirt, which only root runs', async () => {
    const refused: string[] = [];
    for (const name of names) {
      const { code, stderr } = await runHelper('kolla-init', ['plan', '--config-dir', join(services, name)]);
      if (code === 0) continue;
      refused.push(name);
      assert.match(stderr, /names no owner but root.*pass --user NAME/, name);
    }
    assert.deepEqual(refused, ['nova-libvirt']);
  });
});
