import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_CHECKS } from '../../src/probe/index.ts';
import { prepareChecks, readChecks, startChecks } from '../../src/probe/serve/index.ts';
import { healthOf } from '../../src/probe/serve/part.ts';
import { RestartableChecks } from '../../src/sidecar/components/checks.ts';
import { listenTcp } from '../support/server.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { until } from '../support/until.ts';

async function preparedFor(port: number) {
  const api = { run: `tcp 127.0.0.1:${port}`, for: ['startup', 'readiness'], period: '100ms' };
  return await prepareChecks(
    readChecks('kolla-pod.yaml', { api }),
    { log: recordedLog().log, inherited: {} },
    ALL_CHECKS,
  );
}

test('a check that has not run yet fails startup and readiness probes', async () => {
  const checks = new RestartableChecks(await preparedFor(1));
  assert.deepEqual(
    checks.snapshot().map(({ name, state, asked }) => [name, state, asked]),
    [['api', 'unknown', 0]],
  );
  for (const role of ['startup', 'readiness'] as const)
    assert.deepEqual(healthOf(role, checks.snapshot()), { isOk: false, word: 'waiting' });
});

test('without further runs a check keeps its state, then becomes unseen', async () => {
  await using server = await listenTcp(() => {});
  const prepared = await preparedFor(server.port);
  const checks = new RestartableChecks(prepared);
  const stateOf = () => checks.snapshot()[0]?.state;
  let clock = 0;
  const timing = { now: () => clock, random: () => 0 };
  {
    const { log } = recordedLog();
    await using running = startChecks(prepared, { signal: new AbortController().signal, log }, { timing });
    checks.show(running);
    await until('the first verdict', () => Promise.resolve(stateOf() === 'healthy' || undefined));
  }
  assert.equal(stateOf(), 'healthy');
  clock += 401; // three periods and the timeout
  assert.equal(stateOf(), 'unseen');
  assert.equal(healthOf('readiness', checks.snapshot()).word, 'unhealthy');
});
