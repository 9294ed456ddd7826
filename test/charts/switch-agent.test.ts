/** Open vSwitch and Neutron's agent beside it: what Neutron 28's agent, which may hang for ever, is kept from, and how it is ended. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { keyOf, podOf, podYamlOf, workloadsOf } from './service-charts.ts';
import { rendering } from './support.ts';

const NAMESPACES = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount', '--mount-proc'] as const;
const cannotUnshare = await run('unshare', [...NAMESPACES.slice(1), 'true']).then(
  ({ code, stderr }) => code !== 0 && stderr,
);

interface Hook {
  readonly exec: { readonly command: readonly string[] };
  readonly sleep?: object;
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
      await writeFile(agent, `#!/bin/bash\n${trap}\necho up\nwhile :; do sleep 0.01; done\n`);
      await chmod(agent, 0o755);
      const hook = words.map((word) => word.replace('{1..20}', '{1..2}'));
      const script = 'coproc agent { exec "$1"; }; read -r <&"${agent[0]}"; shift; pid=$agent_PID; "$@"; wait "$pid"';
      const { code: ended, stderr } = await run('unshare', [
        ...NAMESPACES.slice(1),
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

test(
  'the switch has a controller that never answers while it is replaced',
  { skip: (await canRunHelm()) ?? false },
  async () => {
    const { preStop, postStart } = await hooksOf('openvswitch-vswitchd');
    for (const hook of [preStop, postStart]) {
      const [bash = '', , script = ''] = hook?.exec.command ?? [];
      const { code, stderr } = await run(bash, ['-n', '-c', script]);
      assert.equal(code, 0, stderr);
    }
    assert.equal(preStop?.sleep, undefined);
    assert.match(
      preStop?.exec.command.at(-1) ?? '',
      / dump-flows .*> \$bridge\.flows;.* tcp:127\.0\.0\.1:1; done < controllers; sleep 8$/,
    );
    assert.match(
      postStart?.exec.command.at(-1) ?? '',
      / replace-flows \$bridge \$bridge\.flows;.* bash -e controllers /,
    );
  },
);
