import { helper, tests, type Capability } from './point.ts';

const contract = (file: string, names?: string) => tests(`test/contract/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

export const kollaContract: Capability = {
  name: 'kolla-contract',
  title: 'The Kolla contract, as root and without',
  points: [
    {
      point: 'cases run = cases in the folder, none excluded, each against the real set_configs.py',
      command: contract('set-configs/drop-in'),
      match: /cases run: (\d+), cases there are: \1/,
    },
    {
      point: "every result that is not the reference's has a test and stands in docs/kolla-contract.md",
      command: contract('set-configs/differs'),
      match: NO_FAILURE,
    },
    {
      point: "--check: Kolla's false alarms are none of ours, and never 2 for what is a difference",
      command: contract('set-configs/check-differs'),
      match: NO_FAILURE,
    },
    {
      point: '2,000 generated configurations: the same tree, code, log classes, state and run_command',
      command: contract('set-configs/property'),
      match: /seed \d+/,
    },
    {
      point: 'killed 200 times between effects on the disk: every file old or new, the next run converges',
      command: contract('set-configs/kill'),
      match: /200/,
    },
    {
      point: 'a full disk and mount points: whole files, a readable state, refused before anything is touched',
      command: contract('set-configs/limits'),
      match: NO_FAILURE,
    },
    {
      point: 'kolla_start starts what start.sh starts: command, signals, limits, environment, exit codes',
      command: contract('kolla-start'),
      match: NO_FAILURE,
    },
    {
      point: 'kolla_copy_cacerts does what copy_cacerts.sh is meant to do',
      command: contract('copy-cacerts'),
      match: NO_FAILURE,
    },
    {
      point: 'raised by sudo, the environment changes nothing and writes nothing',
      command: tests('test/build/raised.test.ts'),
      match: /raised by sudo, NODE_V8_COVERAGE changes nothing/,
    },
    {
      point: "kolla-init plays the drop-in's cases by its own, stricter path",
      command: contract('kolla-init'),
      match: /cases run: \d+, alike: \d+, listed: \d+/,
    },
    {
      point: 'kolla-init killed at its effects on the disk: every file old or new',
      command: tests('test/integration/config-kill.test.ts'),
      match: /60 of 60 were killed/,
    },
    { point: 'kolla-init on a full volume', command: tests('test/config/full-disk.test.ts'), match: NO_FAILURE },
    {
      point: 'nothing is written when nothing changes, ctime included',
      command: tests('test/config/entries.test.ts', 'nothing at all'),
      match: /✔ nothing at all is written/,
    },
    {
      point: 'a destination that is a mount point is found before anything is touched; a file mount keeps its inode',
      command: tests('test/config/mount-points.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: 'folders are mounted, never files, but where the folder is shared with the system',
      command: tests('test/config/mounts.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: "volumes are seeded from the image by the service's uid",
      command: tests('test/config/rootless.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: "CA certificates without root: OpenSSL trusts the deployment's server through the prepared store",
      command: contract('ca-store'),
      match: /✔ through the store that kolla-init prepares, OpenSSL trusts/,
    },
    {
      point: 'sudo in rootless images: runs as the same user, refuses the rest with the line that asked',
      command: contract('sudo'),
      match: /✔ what asks for root is refused with the line of the extend script/,
    },
    {
      point: 'every extend script of the kolla package is started without root; those that cannot are listed',
      command: contract('extend-start'),
      match: /\d+ scripts, \d+ starts without root: \d+ pass, \d+ listed/,
    },
    {
      point: 'one ConfigMap, and each replica its own address',
      command: tests('test/init/overlays.test.ts'),
      match: /✔ each replica gets its own address/,
    },
    {
      point: 'the real oslo.config reads what overlays set',
      command: tests('test/integration/overlays.test.ts'),
      match: /✔ the real oslo\.config reads/,
    },
    {
      point: 'owners: satisfied, or an error with the fix',
      command: tests('test/config/owner.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: 'plan prints volumes, mounts, securityContext and init container, as YAML and JSON, offline',
      command: tests('test/init/plan.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: 'what plan mounts is all that kolla-init needs: ten services, read-only root, their own uids',
      command: contract('plan'),
      match: NO_FAILURE,
    },
    {
      point: 'check says what differs, writes nothing, and shows no secret',
      command: tests('test/init/check.test.ts'),
      match: /✔ no secret planted in any of many files comes out/,
    },
    {
      point: 'random documents with planted secrets: none is ever shown',
      command: tests('test/config/check/reveal.test.ts'),
      match: /✔ no secret planted in any INI, YAML or JSON file/,
    },
    {
      point: 'dormant: kolla_start in an image that asks nothing of us opens no connection',
      command: contract('dormant'),
      match: NO_FAILURE,
    },
    {
      point: 'watch: 1,000 swaps in a row, readers beside it; the last state stands',
      command: tests('test/init/watch-swaps.test.ts'),
      match: /✔ 1000 swaps in a row/,
    },
    {
      point: 'watch: a version that does not validate is refused and counted, the old one stays',
      command: tests('test/config/watch/watch-config.test.ts'),
      match: /✔ a version that does not validate is refused/,
    },
    {
      point: 'watch: signal, exec, http, exit; a failing action is tried again',
      command: tests('test/init/watch.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: 'watch: the slow poll finds what the kernel does not tell',
      command: tests('test/init/watch-kernel.test.ts'),
      match: /✔ where the kernel has no watches left/,
    },
    {
      point:
        "on a real node, restricted: a Pod of plan's own output, Keystone by kolla_start, a ConfigMap patched while it runs",
      command: tests('test/e2e/keystone.test.ts'),
      match: /✔ a ConfigMap that is patched reaches a running service/,
    },
    {
      point: 'the migration page is what plan prints',
      command: tests('test/init/migration-page.test.ts'),
      match: NO_FAILURE,
    },
    {
      point: 'a wrong config.json is 65 with every problem, and nothing was touched',
      command: helper('kolla-init --config-json /nonexistent/config.json'),
      exit: 65,
      match: /nonexistent/,
    },
  ],
};
