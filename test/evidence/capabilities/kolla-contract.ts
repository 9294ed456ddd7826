import { EVERY, type Capability } from '../row.ts';

export const kollaContract: Capability = {
  name: 'kolla-contract',
  title: 'The Kolla contract, as root and unprivileged',
  rows: [
    {
      point: 'every case in the directory runs, each against the real set_configs.py',
      file: 'test/contract/set-configs/drop-in.test.ts',
      test: ['every case was run, and names are unique', /^as Kolla: /],
    },
    {
      point: 'what set_configs.py of Kolla 18 to 23 installs, ours installs the same',
      file: 'test/contract/set-configs/releases.test.ts',
      test: EVERY,
    },
    {
      point: 'every deviation from the reference has a test and is listed in docs/reference/kolla-contract.md',
      file: 'test/contract/set-configs/differs.test.ts',
      test: EVERY,
    },
    {
      point: "--check: does not repeat Kolla's false alarms, and never exits with 2 for a difference",
      file: 'test/contract/set-configs/check-differs.test.ts',
      test: EVERY,
    },
    {
      point: '2,000 generated configurations: the same tree, exit code, log classes, state and run_command',
      file: 'test/contract/set-configs/at-length.test.ts',
      test: /^2000 generated configurations/,
    },
    {
      point: 'killed 200 times between writes to disk: every file is old or new, and the next run converges',
      file: 'test/contract/set-configs/kill.test.ts',
      test: /^200 kills/,
    },
    {
      point: 'a full disk and mount points: complete files, a readable state, rejected before any change',
      file: 'test/contract/set-configs/limits.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla_start behaves like start.sh: command, signals, limits, environment, exit codes',
      file: 'test/contract/kolla-start.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla_copy_cacerts does what copy_cacerts.sh intends',
      file: 'test/contract/copy-cacerts.test.ts',
      test: EVERY,
    },
    {
      point: 'run through sudo, it ignores the environment',
      file: 'test/build/raised.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-init passes the same cases with its own, stricter implementation',
      file: 'test/contract/kolla-init.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-init killed between writes to disk: every file is old or new',
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
      point: 'a destination that is a mount point is detected before any change; a file mount keeps its inode',
      file: 'test/config/mount-points.test.ts',
      test: EVERY,
    },
    {
      point: 'directories are mounted, not files, unless the directory is shared with the system',
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
      point: 'sudo in rootless images: runs commands as the same user, rejects others with the calling line',
      file: 'test/contract/sudo/sudo.test.ts',
      test: ["a command that needs root is rejected with the extend script's command", EVERY],
    },
    {
      point: 'kolla-core passes every case of the contract',
      file: 'test/contract/set-configs/core.test.ts',
      test: ['every case was run, and names are unique', /^as Kolla: /],
    },
    {
      point: 'nothing outside changes while a service replaces its files by links, pipes and directories',
      file: 'test/contract/set-configs/attacker.test.ts',
      test: [/^200 runs of kolla-core change nothing outside/, "Kolla's own tool is redirected outside"],
    },
    {
      point: 'sanitizers find no fault in kolla-core in its suites',
      file: 'test/native/sanitized.test.ts',
      test: EVERY,
    },
    {
      point: 'static analysis finds no fault in its sources',
      file: 'test/native/analyzed.test.ts',
      test: EVERY,
    },
    {
      point: 'every extend script of the kolla package starts unprivileged; those that cannot are listed',
      file: 'test/contract/extend-start.test.ts',
      test: EVERY,
    },
    {
      point: 'one ConfigMap for all replicas, each with its own address',
      file: 'test/container/init/overlays.test.ts',
      test: ['each replica gets its own address from one ConfigMap, and a second run changes nothing', EVERY],
    },
    {
      point: 'the real oslo.config reads the values set by overlays',
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
      point: "plan's mounts suffice for kolla-init: ten services, read-only root, their own uids",
      file: 'test/contract/plan.test.ts',
      test: EVERY,
    },
    {
      point: 'check lists differences, writes nothing, and shows no secret',
      file: 'test/container/init/check.test.ts',
      test: ['no secret planted in any of many files is shown, whatever their modes', EVERY],
    },
    {
      point: 'random documents with planted secrets: none is shown',
      file: 'test/config/check/reveal.test.ts',
      test: ['no secret planted in any INI, YAML or JSON file is ever shown', EVERY],
    },
    {
      point: 'kolla_start in an image that uses no other feature opens no connection',
      file: 'test/contract/dormant.test.ts',
      test: EVERY,
    },
    {
      point: 'watch: 1,000 consecutive swaps with concurrent readers; the last state is installed',
      file: 'test/container/init/watch-swaps.test.ts',
      test: /^1000 consecutive swaps: /,
    },
    {
      point: 'watch: an invalid version is rejected and counted, the old one stays',
      file: 'test/config/watch/watch-config.test.ts',
      test: ['an invalid version is rejected with all its problems, once, and the next valid one is installed', EVERY],
    },
    {
      point: 'watch: signal, exec, http, exit; a failed action is retried',
      file: 'test/container/init/watch.test.ts',
      test: EVERY,
    },
    {
      point: 'watch: the slow poll finds changes without a kernel event',
      file: 'test/container/init/watch-kernel.test.ts',
      test: ['if the kernel has no inotify watches left, polling finds the change', EVERY],
    },
    {
      point:
        "on a real node, restricted: a Pod from plan's output, Keystone by kolla_start, a ConfigMap patched while it runs",
      file: 'test/e2e/keystone.test.ts',
      test: [
        'a Pod printed by plan, with an image and a ConfigMap, satisfies config.json',
        'kolla_start executes the service and leaves no process of ours in front of it',
        'a patched ConfigMap updates the file and signals the service; an invalid one is rejected',
      ],
    },
    {
      point: "the migration page equals plan's output",
      file: 'test/container/init/migration-page.test.ts',
      test: EVERY,
    },
    {
      point: 'an invalid config.json exits with 65 and every problem, without any change',
      file: 'test/container/init/check.test.ts',
      test: 'check exits with code 65 for an invalid config.json, and for a directory without one',
    },
    {
      point: 'all problems of an invalid config.json are reported together',
      file: 'test/container/init/plan.test.ts',
      test: 'exits with code 65 for an invalid document, and reports all problems',
    },
  ],
};
