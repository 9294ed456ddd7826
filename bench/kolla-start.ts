import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority } from '../test/cluster/authority.ts';
import { kollaPackage } from '../test/contract/kolla-package.ts';
import type { Tree } from '../test/contract/throw-away-root.ts';
import { rowOf, type DuelBench } from './bench.ts';
import { canDuelWithKolla, duel } from './in-root.ts';

const ROUNDS = 20;
/** Updating Debian's CA store takes seconds. */
const CA_ROUNDS = 5;
const REACH = 0.15;
const CA_REACH = 0.3;
const CONFIG = 'var/lib/kolla/config_files';

/** kolla_start with a no-op command, against Kolla's start.sh with its own set_configs.py and other scripts. */
export const kollaStart: DuelBench = {
  kind: 'duel',
  name: 'kolla-start',
  title: 'kolla_start: container start to service start',
  peer: "Kolla's start.sh, bash and Python",
  capability: canDuelWithKolla,
  async run(say) {
    const tree = await treeOf();
    const env = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' };
    const prepare = 'rm -rf /etc/service /etc/kolla/defaults /run_command';
    const against = async (work: string, script: string) => {
      say(work);
      const peer = `/usr/local/bin/${script}`;
      const taken = await duel({ tree, prepare, ours: '/ours/kolla_start', peer, rounds: ROUNDS, env });
      return rowOf(work, taken.ours, taken.peer, REACH);
    };
    const rows = [
      await against('trivial command; Kolla’s with a pass-through sudo', 'start.sh'),
      await against('trivial command; Kolla’s as root, without sudo', 'start-as-root.sh'),
    ];
    const store = { 'etc/ca-certificates.conf': await readFile('/etc/ca-certificates.conf', 'utf8') };
    const own = { [`${CONFIG}/ca-certificates/deployment.crt`]: makeAuthority('The Deployment').certificate };
    for (const again of [false, true]) {
      const work = `with a CA certificate ${again ? 'already in' : 'new to'} the store`;
      say(work);
      const taken = await duel({
        tree: { ...tree, ...store, ...own },
        prepare: again
          ? 'true'
          : `${prepare}; rm -f /usr/local/share/ca-certificates/*; update-ca-certificates --fresh`,
        ours: '/ours/kolla_start',
        peer: '/usr/local/bin/start-as-root.sh',
        rounds: again ? CA_ROUNDS + 1 : CA_ROUNDS,
        env,
      });
      // The first unchanged run of each side, which is left out, has added the certificate.
      rows.push(rowOf(work, taken.ours.slice(again ? 1 : 0), taken.peer.slice(again ? 1 : 0), CA_REACH));
    }
    return rows;
  },
};

async function treeOf(): Promise<Tree> {
  const scripts = join(await kollaPackage(), 'base');
  const script = async (name: string) => ({ text: await readFile(join(scripts, name), 'utf8'), mode: 0o755 });
  const start = await script('start.sh');
  const entry = { source: `/${CONFIG}/service.conf`, dest: '/etc/service/', owner: 'keystone', perm: '0600' };
  return {
    'etc/debian_version': '12\n',
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nkeystone:x:42425:42425::/:/bin/sh\n',
    'etc/group': 'root:x:0:\nkeystone:x:42425:\n',
    'usr/local/bin/start.sh': start,
    'usr/local/bin/start-as-root.sh': { ...start, text: start.text.replaceAll(/^sudo (?:-E )?/gm, '') },
    'usr/local/bin/sudo': { text: '#!/bin/sh\nif test "$1" = -E; then shift; fi\nexec "$@"\n', mode: 0o755 },
    'usr/local/bin/kolla_set_configs': await script('set_configs.py'),
    'usr/local/bin/kolla_copy_cacerts': await script('copy_cacerts.sh'),
    'usr/local/bin/kolla_install_projects': await script('install_projects.sh'),
    'usr/local/bin/kolla_extend_start': '',
    [`${CONFIG}/config.json`]: JSON.stringify({ command: 'true', config_files: [entry] }),
    [`${CONFIG}/service.conf`]: 'key = value\n',
  };
}
