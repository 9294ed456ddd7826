import { EVERY, type Capability } from '../row.ts';

export const kollaContract: Capability = {
  name: 'kolla-contract',
  title: 'The Kolla contract, as root and without',
  rows: [
    {
      point: 'cases run = cases in the directory, none excluded, each against the real set_configs.py',
      file: 'test/contract/set-configs/drop-in.test.ts',
      test: ['every case was run, and names are unique', /^as Kolla: /],
    },
    {
      point: "every result that is not the reference's has a test and stands in docs/reference/kolla-contract.md",
      file: 'test/contract/set-configs/differs.test.ts',
      test: EVERY,
    },
    {
      point: "--check: Kolla's false alarms are none of ours, and never 2 for what is a difference",
      file: 'test/contract/set-configs/check-differs.test.ts',
      test: EVERY,
    },
    {
      point: '2,000 generated configurations: the same tree, code, log classes, state and run_command',
      file: 'test/contract/set-configs/at-length.test.ts',
      test: /^2000 generated configurations/,
    },
    {
      point: 'killed 200 times between effects on the disk: every file old or new, the next run converges',
      file: 'test/contract/set-configs/kill.test.ts',
      test: /^200 kills/,
    },
    {
      point: 'a full disk and mount points: whole files, a readable state, refused before anything is touched',
      file: 'test/contract/set-configs/limits.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla_start starts what start.sh starts: command, signals, limits, environment, exit codes',
      file: 'test/contract/kolla-start.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla_copy_cacerts does what copy_cacerts.sh is meant to do',
      file: 'test/contract/copy-cacerts.test.ts',
      test: EVERY,
    },
    {
      point: 'raised by sudo, the environment changes nothing and writes nothing',
      file: 'test/build/raised.test.ts',
      test: EVERY,
    },
    {
      point: "kolla-init plays the drop-in's cases by its own, stricter path",
      file: 'test/contract/kolla-init.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-init killed at its effects on the disk: every file old or new',
      file: 'test/integration/config-kill.test.ts',
      test: /^60 kills/,
    },
    { point: 'kolla-init on a full volume', file: 'test/config/full-disk.test.ts', test: EVERY },
    {
      point: 'nothing is written when nothing changes, ctime included',
      file: 'test/config/entries.test.ts',
      test: 'nothing is written when nothing changes, for every kind of entry',
    },
    {
      point: 'a destination that is a mount point is found before anything is touched; a file mount keeps its inode',
      file: 'test/config/mount-points.test.ts',
      test: EVERY,
    },
    {
      point: 'directories are mounted, never files, but where the directory is shared with the system',
      file: 'test/config/mounts.test.ts',
      test: EVERY,
    },
    {
      point: "volumes are seeded from the image by the service's uid",
      file: 'test/config/rootless.test.ts',
      test: EVERY,
    },
    {
      point: "CA certificates without root: OpenSSL trusts the deployment's server through the prepared store",
      file: 'test/contract/ca-store.test.ts',
      test: ['with the store prepared by kolla-init, OpenSSL trusts a server of the deployment, and no other', EVERY],
    },
    {
      point: 'sudo in rootless images: runs as the same user, refuses the rest with the line that asked',
      file: 'test/contract/sudo/sudo.test.ts',
      test: ["a command that needs root is rejected with the extend script's command", EVERY],
    },
    {
      point: 'kolla-core plays every case of the contract',
      file: 'test/contract/set-configs/core.test.ts',
      test: ['every case was run, and names are unique', /^as Kolla: /],
    },
    {
      point: 'nothing outside changes while a service swaps its files for links, pipes and directories',
      file: 'test/contract/set-configs/attacker.test.ts',
      test: [/^200 runs of kolla-core change nothing outside/, "Kolla's own tool is redirected outside"],
    },
    {
      point: 'kolla-core has no fault that a sanitizer sees in its suites',
      file: 'test/native/sanitized.test.ts',
      test: EVERY,
    },
    {
      point: 'nor one that an analyzer sees in its sources',
      file: 'test/native/analyzed.test.ts',
      test: EVERY,
    },
    {
      point: 'every extend script of the kolla package is started without root; those that cannot are listed',
      file: 'test/contract/extend-start.test.ts',
      test: EVERY,
    },
    {
      point: 'one ConfigMap, and each replica its own address',
      file: 'test/container/init/overlays.test.ts',
      test: ['each replica gets its own address from one ConfigMap, and a second run changes nothing', EVERY],
    },
    {
      point: 'the real oslo.config reads what overlays set',
      file: 'test/integration/overlays.test.ts',
      test: /the real oslo\.config reads/,
    },
    { point: 'owners: satisfied, or an error with the fix', file: 'test/config/owner.test.ts', test: EVERY },
    {
      point: 'plan prints volumes, mounts, securityContext and init container, as YAML and JSON, offline',
      file: 'test/container/init/plan.test.ts',
      test: EVERY,
    },
    {
      point: 'what plan mounts is all that kolla-init needs: ten services, read-only root, their own uids',
      file: 'test/contract/plan.test.ts',
      test: EVERY,
    },
    {
      point: 'check says what differs, writes nothing, and shows no secret',
      file: 'test/container/init/check.test.ts',
      test: ['no secret planted in any of many files is shown, whatever their modes', EVERY],
    },
    {
      point: 'random documents with planted secrets: none is ever shown',
      file: 'test/config/check/reveal.test.ts',
      test: ['no secret planted in any INI, YAML or JSON file is ever shown', EVERY],
    },
    {
      point: 'dormant: kolla_start in an image that asks nothing of us opens no connection',
      file: 'test/contract/dormant.test.ts',
      test: EVERY,
    },
    {
      point: 'watch: 1,000 swaps in a row, readers beside it; the last state stands',
      file: 'test/container/init/watch-swaps.test.ts',
      test: /^1000 swaps in a row/,
    },
    {
      point: 'watch: a version that does not validate is refused and counted, the old one stays',
      file: 'test/config/watch/watch-config.test.ts',
      test: ['an invalid version is rejected with all its problems, once, and the next valid one is installed', EVERY],
    },
    {
      point: 'watch: signal, exec, http, exit; a failing action is tried again',
      file: 'test/container/init/watch.test.ts',
      test: EVERY,
    },
    {
      point: 'watch: the slow poll finds what the kernel does not tell',
      file: 'test/container/init/watch-kernel.test.ts',
      test: ['if the kernel has no inotify watches left, polling finds the change', EVERY],
    },
    {
      point:
        "on a real node, restricted: a Pod of plan's own output, Keystone by kolla_start, a ConfigMap patched while it runs",
      file: 'test/e2e/keystone.test.ts',
      test: [
        'a Pod printed by plan, with an image and a ConfigMap, satisfies config.json',
        'kolla_start executes the service and leaves no process of ours in front of it',
        'a patched ConfigMap updates the file and signals the service; an invalid one is rejected',
      ],
    },
    {
      point: 'the migration page is what plan prints',
      file: 'test/container/init/migration-page.test.ts',
      test: EVERY,
    },
    {
      point: 'a wrong config.json is 65 with every problem, and nothing was touched',
      file: 'test/container/init/check.test.ts',
      test: 'exits with 65 for an invalid config.json, and compares nothing for a missing one',
    },
    {
      point: 'every problem of a wrong config.json is told at once',
      file: 'test/container/init/plan.test.ts',
      test: 'exits with 65 for an invalid document, with all problems at once',
    },
  ],
};
