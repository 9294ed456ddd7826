import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Log } from '../../src/core/log.ts';
import { ALL_CHECKS } from '../../src/probe/index.ts';
import { prepareChecks } from '../../src/probe/serve/index.ts';
import { shellWords } from '../../src/probe/serve/config.ts';
import { allProbes } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };
const DEFAULTS = '/etc/mysql/healthcheck.cnf';

test("each container's check is accepted by kolla-probe, and liveness does not depend on other Pods", async () => {
  await using directory = await privateDirectory('advice');
  const file = join(directory.path, 'healthcheck.cnf');
  await writeFile(file, '[client]\nuser = healthcheck\n');
  for (const { container, readiness, liveness } of allProbes()) {
    const checkOf = (role: 'readiness' | 'liveness', words: string) => {
      const run = shellWords(words.replace(DEFAULTS, file));
      return { name: role, run, roles: [role], period: 10_000, timeout: 900, failures: 1, allowRemote: false };
    };
    const configs = [checkOf('readiness', readiness), checkOf('liveness', liveness)];
    await assert.doesNotReject(prepareChecks(configs, { log: SILENT, inherited: {} }, ALL_CHECKS), container);
  }
});

test('no two containers have the same name', () => {
  const names = allProbes().map(({ container }) => container);
  assert.deepEqual(names, [...new Set(names)]);
});

test('liveness checks neither connect to another Pod nor start a process', () => {
  for (const { container, liveness } of allProbes())
    assert.match(
      liveness,
      /^(?:process|listen|socket|file-age|tcp 127\.0\.0\.1|galera --defaults-file \S+ --unless-disconnected$) ?/,
      container,
    );
});
