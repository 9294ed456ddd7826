import { helper, tests, type Capability } from './point.ts';

export const podLife: Capability = {
  name: 'pod-life',
  title: "A pod's life, end to end, on real parts",
  points: [
    {
      point: 'types, lint and format hold, type-aware, strict',
      command: 'node_modules/.bin/node test/run.ts check',
      match: /ℹ fail 0/,
    },
    {
      point: 'the pinned Node 24 of the lockfile runs everything',
      command: 'node_modules/.bin/node --version',
      match: /^v24\.21\.0$/,
    },
    {
      point: 'an unknown command ends with 64 and the nearest valid one',
      command: helper('kolla-probe tpc 127.0.0.1:1'),
      exit: 64,
      match: /did you mean 'tcp'/,
    },
    {
      point: 'an unknown option ends with 64 and the nearest valid one',
      command: helper('kolla-init --timout 3s'),
      exit: 64,
      match: /did you mean '--timeout'/,
    },
    {
      point: 'a wrong value ends with 64 and what would be right',
      command: helper('kolla-init --timeout 30'),
      exit: 64,
      match: /write 30s, 30m or 30ms/,
    },
    {
      point: 'every example of every help text is run by a test',
      command: tests('test/pod/examples.test.ts', '.'),
      match: /ℹ fail 0/,
    },
    {
      point: 'completion for bash, zsh and fish; man pages; the schema of kolla-pod.yaml',
      command: `${helper('kolla-pod completion bash')} && ${helper('kolla-pod completion zsh')} && ${helper('kolla-pod completion fish')} && ${helper('kolla-pod man kolla-init')} && ${helper('kolla-pod schema')}`,
      match: /"\$schema"/,
    },
    { point: 'kolla-pod explain tells an exit code', command: helper('kolla-pod explain 75'), match: /deadline/i },
    {
      point: 'kolla-pod doctor tells what is lacking and the fix',
      command: `${helper('kolla-pod doctor')}; true`,
      match: /Fix: /,
    },
    {
      point: 'make build makes every name, runs each, and prints the table of sizes',
      command: 'make build',
      match: /the whole +\d/,
    },
    {
      point: '--version of the binary costs at most 1.1 times the CPU of bare Node',
      command: 'node_modules/.bin/node build/binary.ts --evidence',
      match: /costs (0\.\d+|1|1\.0\d?|1\.1) of bare node/,
    },
    {
      point: 'built twice, the binary is the same file',
      command: 'make build-reproducible',
      match: /the same file: sha256 \w{64}/,
    },
    {
      point: 'NODE_OPTIONS in the pod does not reach the binary',
      command: 'NODE_OPTIONS=--bogus dist/bin/kolla-probe --version',
      match: /^kolla-probe 0\.1\.0$/,
    },
    {
      point: 'no config.json at the default path: kolla-init says so and goes on',
      command: helper('kolla-init --config-dir /nonexistent'),
      match: /no config\.json/,
    },
    {
      point: 'a named but missing config.json is 65',
      command: helper('kolla-init --config-json /nonexistent/config.json'),
      exit: 65,
      match: /\/nonexistent\/config\.json/,
    },
    {
      point: 'kolla-init waits for a Job by watching a real API server',
      command: tests('test/integration/kolla-init.test.ts', '.'),
      match: /ℹ fail 0/,
    },
    {
      point: 'kolla-db-sync on a real MariaDB: one of several migrates, the lock outlives nobody',
      command: tests("'test/integration/kolla-db-sync*.test.ts'", '.'),
      match: /ℹ fail 0/,
    },
    {
      point: 'kolla-log-ship into a real Elasticsearch: killed, stopped, refused, and every line once',
      command: tests('test/integration/kolla-log-ship.test.ts', '.'),
      match: /ℹ fail 0/,
    },
    {
      point: 'make demo, in a clean clone, as a user without root, leaving nothing behind',
      command: 'bash test/evidence/unchanged.sh bash test/demo/as-nobody.sh',
      match: /before and after are equal/,
    },
    {
      point: 'make e2e, twice in a row, leaving nothing behind',
      command: "bash test/evidence/unchanged.sh bash -c 'make e2e && make e2e'",
      match: /before and after are equal/,
    },
  ],
};
