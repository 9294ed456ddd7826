import { EVERY, type Capability } from '../row.ts';

export const podLife: Capability = {
  name: 'pod-life',
  title: "A pod's life, end to end, on real parts",
  rows: [
    {
      point: 'an unknown command exits with 64 and suggests the nearest one',
      file: 'test/cli/run.test.ts',
      test: "an unknown command names the nearest, also for names of Object's properties",
    },
    {
      point: 'an unknown option exits with 64 and suggests the nearest one',
      file: 'test/cli/parse.test.ts',
      test: 'an unknown option names the nearest one',
    },
    {
      point: 'every error exits with the code of its class',
      file: 'test/cli/run.test.ts',
      test: /^an error of the class .+ exits with code \d+ and one line without a stack$/,
    },
    {
      point: 'an invalid value is reported with its place and the valid form',
      file: 'test/cli/parse.test.ts',
      test: 'an invalid value is reported with its source: the flag, the variable or the file',
    },
    {
      point: 'a duration without a unit is rejected with the fix',
      file: 'test/cli/words.test.ts',
      test: 'the error for a duration without a unit suggests units',
    },
    { point: 'a test runs every example of every help text', file: 'test/toolbox/examples.test.ts', test: EVERY },
    { point: 'completion for bash', file: 'test/toolbox/completion.test.ts', test: EVERY },
    { point: 'completion for zsh and fish', file: 'test/integration/completion.test.ts', test: EVERY },
    {
      point: 'man pages, and the schema of kolla-pod.yaml',
      file: 'test/toolbox/pages.test.ts',
      test: [/^the manual page of /, 'the schema has a section per helper with its options, and no secret'],
    },
    {
      point: 'kolla-pod explain describes an exit code',
      file: 'test/toolbox/pages.test.ts',
      test: 'explain knows a code by number and by name',
    },
    {
      point: 'kolla-pod doctor reports missing prerequisites with the fix',
      file: 'test/toolbox/doctor.test.ts',
      test: /^reports a missing .+, with the fix$/,
    },
    {
      point: 'the binary has every command, and each runs',
      file: 'test/build/binary.test.ts',
      test: 'every name is a link to its binary and prints its own name',
    },
    {
      point: 'the binary is reproducible',
      file: 'test/build/reproducible.test.ts',
      test: 'two concurrent rebuilds in other directories with other homes yield the same binary, and leave nothing else',
    },
    {
      point: 'NODE_OPTIONS in the pod does not affect the binary',
      file: 'test/build/binary.test.ts',
      test: "the service's options and modules for Node do not affect kolla-pod",
    },
    {
      point: 'no config.json at the default path: kolla-init logs it and continues',
      file: 'test/config/refuse.test.ts',
      test: 'a missing config.json at the default path is logged and is not an error',
    },
    {
      point: 'a given but missing config.json exits with 65',
      file: 'test/container/init/kolla-init.test.ts',
      test: 'a missing named config.json exits with 65',
    },
    {
      point: 'kolla-init installs files and waits for a Job that does not exist yet',
      file: 'test/smoke/kolla-init.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-init waits for a Job by watching a real API server',
      file: 'test/integration/kolla-init.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-db-sync on a real MariaDB: one of several migrates, and its lock is released when it exits',
      file: 'test/integration/kolla-db-sync-lock.test.ts',
      test: EVERY,
    },
    {
      point: 'kolla-log-ship into a real Elasticsearch: killed, stopped, rejected, and every line once',
      file: 'test/integration/kolla-log-ship.test.ts',
      test: EVERY,
    },
    {
      point: 'make demo leaves no process or directory, also if interrupted',
      file: 'test/integration/demo.test.ts',
      test: EVERY,
    },
    {
      point: 'a real node is removed with all its processes, also after SIGKILL of the test',
      file: 'test/e2e/node.test.ts',
      test: [
        'leaves no process, mount, namespace, cgroup or file',
        'works after SIGKILL of the test process; the next node removes its cgroups and files',
      ],
    },
  ],
};
