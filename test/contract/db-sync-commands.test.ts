import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { KOLLA_USERS } from '../../src/catalog/kolla-users.ts';
import { SERVICES, type Phase, type Service } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { canHaveKolla, kollaPackage } from './kolla-package.ts';

const skip = (await canHaveKolla()) ?? false;

/** The script of a service in Kolla's package, and the phases that it runs with the listed variables. */
interface Row {
  readonly script: string;
  readonly ways: readonly (readonly [variables: readonly string[], ...phases: Phase[]])[];
  /** Variables of a second start, for services in which Kolla needs one for our phase `all`. */
  readonly second?: readonly string[];
}

const ALL: Row['ways'] = [[['KOLLA_BOOTSTRAP'], 'all']];
const OSM = [['KOLLA_OSM'], 'online'] as const;
const UPGRADE = [['KOLLA_UPGRADE'], 'expand'] as const;
const inUpgrade = (variable: string, phase: Phase) => [['KOLLA_UPGRADE', variable], phase] as const;

const KOLLA: Readonly<Record<string, Row>> = {
  aodh: { script: 'aodh/aodh-api', ways: ALL },
  barbican: { script: 'barbican/barbican-api', ways: ALL },
  blazar: { script: 'blazar/blazar-api', ways: ALL },
  ceilometer: {
    script: 'ceilometer/ceilometer-notification',
    ways: [[['KOLLA_BOOTSTRAP', 'CEILOMETER_DATABASE_TYPE=gnocchi'], 'all']],
  },
  // With KOLLA_OSM it skips the steps that the scripts of Nova and Placement run with KOLLA_BOOTSTRAP.
  cinder: { script: 'cinder/cinder-api', ways: [...ALL, OSM], second: ['KOLLA_OSM'] },
  cloudkitty: { script: 'cloudkitty/cloudkitty-api', ways: ALL },
  cyborg: { script: 'cyborg/cyborg-api', ways: ALL },
  designate: { script: 'designate/designate-central', ways: ALL },
  glance: {
    script: 'glance/glance-api',
    ways: [
      ...ALL,
      inUpgrade('GLANCE_DB_EXPAND', 'expand'),
      inUpgrade('GLANCE_DB_MIGRATE', 'migrate'),
      inUpgrade('GLANCE_DB_CONTRACT', 'contract'),
    ],
  },
  gnocchi: { script: 'gnocchi/gnocchi-api', ways: ALL },
  heat: { script: 'heat/heat-api', ways: ALL },
  horizon: { script: 'horizon', ways: ALL },
  ironic: { script: 'ironic/ironic-api', ways: [...ALL, UPGRADE, OSM] },
  keystone: {
    script: 'keystone/keystone',
    ways: [...ALL, [['KOLLA_UPGRADE'], 'expand', 'migrate'], [['KOLLA_FINISH_UPGRADE'], 'contract']],
  },
  magnum: { script: 'magnum/magnum-api', ways: ALL },
  manila: { script: 'manila/manila-api', ways: ALL },
  masakari: { script: 'masakari/masakari-api', ways: ALL },
  mistral: { script: 'mistral/mistral-api', ways: ALL },
  neutron: {
    script: 'neutron/neutron-server',
    ways: [...ALL, inUpgrade('NEUTRON_DB_EXPAND', 'expand'), inUpgrade('NEUTRON_DB_CONTRACT', 'contract')],
  },
  nova: { script: 'nova/nova-api', ways: [...ALL, UPGRADE, OSM] },
  'nova-cell': { script: 'nova/nova-conductor', ways: [...ALL, UPGRADE, OSM] },
  octavia: { script: 'octavia/octavia-api', ways: ALL },
  placement: { script: 'placement/placement-api', ways: [...ALL, UPGRADE, OSM] },
  skyline: { script: 'skyline/skyline-apiserver', ways: ALL },
  tacker: { script: 'tacker/tacker-server', ways: ALL },
  trove: { script: 'trove/trove-api', ways: ALL },
  watcher: { script: 'watcher/watcher-api', ways: ALL },
};

/** Programs in Kolla's scripts other than the services' tools, which are unavailable or unsuitable for a test. */
const OTHERS = ['chmod', 'chown', 'ln', 'mkdir', 'openstack', 'rm', 'stat', 'touch'];
const STUB = '#!/bin/bash\necho "ran: ${0##*/} $*"\n';

/** The command lines of the service's own tools in Kolla's script, with `/var/lib/kolla` at its place in the image. */
async function ranByKolla(service: Service, variables: readonly string[]): Promise<string[]> {
  const { script } = KOLLA[service.name] ?? { script: '' };
  await using directory = await privateDirectory('extend');
  const image = join(directory.path, 'kolla');
  const tools = programsOf(service);
  const stubs = [
    ...[...tools, ...OTHERS].map((name) =>
      name.startsWith('/') ? name.replace('/var/lib/kolla', image) : join(image, 'bin', name),
    ),
    ...service.migration.phases.all.flatMap((step) =>
      step.directory === undefined ? [] : [join(step.directory.replace('/var/lib/kolla', image), 'here')],
    ),
  ];
  for (const file of stubs) await executable(file, STUB);
  await executable(join(image, 'bin/sudo'), '#!/bin/bash\n[[ "$1 $2" == "-H -u" ]] && shift 3\nexec "$@"\n');
  const text = await readFile(join(await kollaPackage(), script, 'extend_start.sh'), 'utf8');
  const own = join(directory.path, 'extend_start.sh');
  await writeFile(own, text.replaceAll('/var/lib/kolla', image));
  const set = Object.fromEntries(
    variables.map((word) => word.split('=')).map(([name = '', value = '']) => [name, value]),
  );
  const { stdout } = await run('/bin/bash', [own], { env: { PATH: join(image, 'bin'), ...set } });
  const names = new Set(tools.map((tool) => basename(tool)));
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('ran: '))
    .map((line) => line.slice('ran: '.length).trim().replaceAll(image, '/var/lib/kolla'))
    .filter((line) => names.has(line.split(' ')[0] ?? ''));
}

async function executable(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
}

/** The programs of a service's steps, without `test`, which only checks whether Kolla's script has done its part. */
function programsOf({ migration }: Service): string[] {
  const all = Object.values(migration.phases).flatMap((steps) => steps.map(({ argv }) => argv[0]));
  return [...new Set(all)].filter((program) => program !== 'test');
}

function linesOf({ migration }: Service, phases: readonly Phase[]): string[] {
  return phases
    .flatMap((phase) => migration.phases[phase] ?? [])
    .filter(({ argv }) => argv[0] !== 'test')
    .map(({ argv: [program, ...words] }) => [basename(program), ...words].join(' '));
}

test("every service's steps are compared with a script of Kolla", () => {
  assert.deepEqual(
    Object.keys(KOLLA),
    SERVICES.map(({ name }) => name),
  );
});

for (const service of SERVICES) {
  const { ways, second = [] } = KOLLA[service.name] ?? { ways: [] };
  for (const [variables, ...phases] of ways) {
    const then = phases.includes('all') ? second : [];
    const names = [variables, then].filter((each) => each.length > 0).map((each) => each.join(' and '));
    test(
      `${service.name}, ${phases.join(' and ')}: equal to Kolla's script that runs ${names.join(', then ')}`,
      { skip },
      async () => {
        // Kolla's script passes Neutron's own tree here, and plugins if variables name them. Without --subproject the
        // tool uses all installed ones.
        const lines = [await ranByKolla(service, variables), then.length > 0 ? await ranByKolla(service, then) : []];
        const ran = lines.flat().map((line) => line.replace('--subproject neutron ', ''));
        assert.deepEqual(linesOf(service, phases), ran);
      },
    );
  }
}

test("every service's user is a user of Kolla", () => {
  for (const { name, user = '' } of SERVICES) assert.ok(Object.hasOwn(KOLLA_USERS, user), `${name}: ${user}`);
});
