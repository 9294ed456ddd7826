/** Open vSwitch and Neutron's agent beside it: what Neutron 28's agent, which may hang for ever, is kept from, and how it is ended. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { keyOf, podOf, podYamlOf, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

const NAMESPACES = ['--user', '--map-root-user', '--pid', '--fork', '--mount', '--mount-proc'];
const cannotUnshare = await run('unshare', [...NAMESPACES, 'true']).then(({ code, stderr }) => code !== 0 && stderr);

interface Hook {
  readonly exec: { readonly command: readonly string[] };
}

async function hooksOf(workload: string): Promise<Readonly<Record<string, Hook>>> {
  await using helm = await rendering('neutron');
  const found = workloadsOf(await helm.render()).find((one) => keyOf(one) === workload);
  assert.ok(found);
  const [container] = podOf(found).containers as readonly { readonly lifecycle?: Readonly<Record<string, Hook>> }[];
  return container?.lifecycle ?? {};
}

describe("the switch's agent", { skip: (await canRunHelm()) ?? false }, () => {
  test('is healthy while its loop logs, not while its process is there', async () => {
    await using helm = await rendering('neutron');
    const rendered = await helm.render();
    const agent = workloadsOf(rendered).find((one) => keyOf(one) === 'openvswitch-agent');
    assert.partialDeepStrictEqual(podYamlOf(rendered, agent!), {
      checks: {
        alive: {
          run: 'file-age /var/log/kolla/neutron/neutron-openvswitch-agent.log 5m',
          for: ['liveness', 'startup'],
        },
        ready: { run: 'connected neutron-openvswitch-agent 5672' },
      },
    });
  });

  for (const [what, trap, code] of [
    ['exits', "trap 'exit 3' TERM", 3],
    ['stays', "trap 'over=yes' TERM", 137],
  ] as const)
    test(`has ended when its preStop is over, if it ${what} at SIGTERM`, { skip: cannotUnshare }, async () => {
      const { preStop } = await hooksOf('openvswitch-agent');
      const [bash = '', ...words] = preStop?.exec.command ?? [];
      await using directory = await privateDirectory('agent');
      const agent = join(directory.path, 'neutron-openvswitch-agent');
      const text = `#!/bin/bash\n${trap}\necho up\nwhile :; do sleep 0.01; done\n`;
      await writeFile(agent, text, { mode: 0o755 });
      const hook = words.map((word) => word.replace('{1..20}', '{1..2}'));
      const script = 'coproc agent { exec "$1"; }; read -r <&"${agent[0]}"; shift; pid=$agent_PID; "$@"; wait "$pid"';
      const { code: ended, stderr } = await run('unshare', [
        ...NAMESPACES,
        'bash',
        '-c',
        script,
        'bash',
        agent,
        bash,
        ...hook,
      ]);
      assert.equal(ended, code, stderr);
    });

  test('its configuration is followed by the end of its process', async () => {
    await using helm = await rendering('neutron');
    const rendered = await helm.render({ config: { reload: 'live' } });
    const agent = workloadsOf(rendered).find((one) => keyOf(one) === 'openvswitch-agent');
    assert.partialDeepStrictEqual(podYamlOf(rendered, agent!), {
      init: { watch: { 'on-change': ['signal:KILL:neutron-openvswitch-agent'] } },
    });
  });
});

/**
 * Programs with a bridge whose controllers are files, ROW.target and ROW.probe; without the file `up` there is no database, and while
 * `young` has lines, one for each try, the switch has no bridge yet. The real ones run in make cloud GUEST=1.
 */
const PROGRAMS = {
  'ovs-vsctl': `tries=1
while [[ $1 == --* ]]; do [ "$1" = --retry ] && tries=50; shift; done
while [ ! -e up ]; do echo > asked; [ $((tries -= 1)) -gt 0 ] || exit 1; /bin/sleep 0.1; done
shopt -s nullglob
case $1 in
list-br) echo br-int ;;
list) for row in *.target; do echo "\${row%.target}"; done ;;
get-controller) cat *.target < /dev/null ;;
get) printf '"%s"\\n' "$(cat "$3.target")" ;;
set-controller) rm -f *.target *.probe; echo "$3" > new.target ;;
set) [ ! -e "$3.target" ] || tr -d '"' <<< "\${4#target=}" > "$3.target" ;;
esac`,
  'ovs-ofctl': `case "$*" in
*dump-flows*) echo " actions=drop" ;;
*replace-flows*) [ ! -s young ] || { sed -i 1d young; exit 1; }; cp br-int.flows restored ;;
esac`,
  'ovs-appctl': '',
  sleep: '',
};

test('a switch comes back with its flows and its controllers', { skip: (await canRunHelm()) ?? false }, async () => {
  const hooks = await hooksOf('openvswitch-vswitchd');
  await using directory = await privateDirectory('switch');
  const at = (name: string) => join(directory.path, name);
  for (const [name, text] of Object.entries(PROGRAMS))
    await writeFile(at(name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  const act = async (hook: 'preStop' | 'postStart') => {
    const [bash = '', ...words] = hooks[hook]?.exec.command ?? [];
    const here = words.map((word) => word.replace('/run/openvswitch', directory.path));
    const env = { ...process.env, PATH: `${directory.path}:${process.env['PATH']}` };
    const { code, stderr } = await run(bash, here, { env });
    assert.equal(code, 0, stderr);
  };
  const controllers = async () => {
    const names = (await readdir(directory.path)).filter((name) => /\.(target|probe)$/.test(name)).toSorted();
    return await Promise.all(names.map(async (name) => [name, (await readFile(at(name), 'utf8')).trim()]));
  };
  const probes = [
    ['a.probe', '10000'],
    ['b.probe', '5000'],
  ];
  const asSet = [probes[0], ['a.target', 'tcp:127.0.0.1:6633'], probes[1], ['b.target', 'tcp:127.0.0.1:1633']];
  const silent = [probes[0], ['a.target', 'tcp:127.0.0.1:1'], probes[1], ['b.target', 'tcp:127.0.0.1:1']];
  for (const [name = '', text = ''] of asSet as string[][]) await writeFile(at(name), `${text}\n`);
  // Its database is replaced at the same time.
  const stopping = act('preStop');
  await until('the database to be asked', () => existsSync(at('asked')) || undefined);
  await writeFile(at('up'), '');
  await stopping;
  assert.deepEqual(await controllers(), silent);
  // It ends again before it is whole, also together with its database.
  await act('preStop');
  await rm(at('up'));
  await act('preStop');
  assert.deepEqual(await controllers(), silent);
  await writeFile(at('up'), '');
  await writeFile(at('young'), 'once\ntwice\n');
  await act('postStart');
  assert.deepEqual(await controllers(), asSet);
  assert.equal(await readFile(at('restored'), 'utf8'), ' actions=drop\n');
  // The agent gives the bridge a controller of its own before the switch is whole.
  await act('preStop');
  for (const name of ['a.probe', 'a.target', 'b.probe', 'b.target']) await rm(at(name));
  await writeFile(at('c.target'), 'tcp:127.0.0.1:6633\n');
  await act('postStart');
  assert.deepEqual(await controllers(), [['c.target', 'tcp:127.0.0.1:6633']]);
  await rm(at('c.target'));
  await act('preStop');
  await act('postStart');
  assert.deepEqual(await controllers(), [], 'without a controller there is none to come back to');
});
