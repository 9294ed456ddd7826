import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenTcp } from '../test/support/server.ts';
import type { Capability } from '../tools/capability.ts';
import { inMemory, privateDirectory } from '../tools/directory.ts';
import type { FiguresBench } from './bench.ts';
import { round, type Figure } from './figure.ts';
import { canMeasure, measuring, type Measured } from './measured.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const ROUNDS = 20;
const FILES = 20;
const BYTES = 4000;
const REACH = { cpuMs: 12, megabytes: 4 } as const;

const canRun: Capability = async () =>
  existsSync(join(DIST, 'bin/kolla-init')) ? await canMeasure() : 'dist/bin does not exist: run `make build`';

/**
 * kolla-init in kolla-core and in kolla-pod, alternately: installs files into an in-memory volume, and waits for a port.
 */
export const kollaInit: FiguresBench = {
  kind: 'figures',
  name: 'kolla-init',
  title: 'kolla-init: 20 files and a tcp wait',
  peer: 'kolla-init in kolla-pod (Node)',
  subject: 'kolla-core',
  capability: canRun,
  async run(say) {
    await using directory = await privateDirectory('bench-init', inMemory());
    await using server = await listenTcp(() => {});
    const [root, config, pod] = ['root', 'config', 'pod'].map((name) => join(directory.path, name)) as [
      string,
      string,
      string,
    ];
    const { uid, gid } = userInfo();
    for (const path of [join(root, 'etc'), config, pod]) await mkdir(path, { recursive: true });
    await writeFile(join(root, 'etc/passwd'), `keystone:x:${uid}:${gid}::/:/bin/sh\n`);
    await writeFile(join(root, 'etc/group'), `keystone:x:${gid}:\n`);
    await writeFile(
      join(config, 'config.json'),
      JSON.stringify({ command: 'true', config_files: await filesIn(config) }),
    );
    await symlink(join(DIST, 'kolla-pod'), join(pod, 'kolla-init'));
    const measure = await measuring(directory.path);
    const words = ['--root', root, '--config-dir', config, '--wait', `tcp://127.0.0.1:${server.port}`];
    const taken = { core: [] as Measured[], pod: [] as Measured[] };
    const figures: Figure[] = [];
    for (const again of [false, true]) {
      say(again ? 'unchanged' : 'first start');
      for (const runs of Object.values(taken)) runs.length = 0;
      for (let i = 0; i < ROUNDS; i++)
        for (const [who, at] of [
          ['core', join(DIST, 'bin')],
          ['pod', pod],
        ] as const) {
          if (!again)
            for (const made of ['etc/service', 'run']) await rm(join(root, made), { recursive: true, force: true });
          taken[who].push(await measure([join(at, 'kolla-init'), ...words], { PATH: process.env['PATH'] }));
        }
      const when = again ? 'unchanged' : 'first start';
      figures.push(
        figure(`${when}: CPU`, 'ms', taken, 'cpuMs', again ? undefined : REACH.cpuMs),
        figure(`${when}: memory`, 'MB', taken, 'megabytes', again ? undefined : REACH.megabytes),
      );
    }
    return figures;
  },
};

async function filesIn(directory: string): Promise<object[]> {
  const names = Array.from({ length: FILES }, (_, i) => `service-${i}.conf`);
  for (const name of names) await writeFile(join(directory, name), `# ${name}\n`.padEnd(BYTES, 'key = value\n'));
  return names.map((name) => ({
    source: `/var/lib/kolla/config_files/${name}`,
    dest: `/etc/service/${name}`,
    owner: 'keystone',
    perm: '0600',
  }));
}

/** Minimum CPU time, maximum memory. */
function figure(
  what: string,
  unit: string,
  { core, pod }: Readonly<Record<'core' | 'pod', readonly Measured[]>>,
  of: 'cpuMs' | 'megabytes',
  reach: number | undefined,
): Figure {
  const value = (runs: readonly Measured[]) =>
    round((of === 'cpuMs' ? Math.min : Math.max)(...runs.map((one) => one[of])), 1);
  return { what, unit, ours: value(core), peer: value(pod), ...(reach !== undefined && { reach }) };
}
