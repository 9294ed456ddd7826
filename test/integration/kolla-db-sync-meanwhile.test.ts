import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ownServices } from '../../src/catalog/own.ts';
import { resolveOptions, splitWords } from '../../src/cli/parse.ts';
import { takeTurn, type TakeTurn } from '../../src/migrate/turn/turn.ts';
import { SYNC_OPTIONS, type MigrationOptions } from '../../src/migrate/options/options.ts';
import type { Effects, Plan } from '../../src/migrate/plan/plan.ts';
import { prepareSync } from '../../src/migrate/prepare.ts';
import { sync } from '../../src/migrate/sync.ts';
import { underLock } from '../../src/migrate/under-lock.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb } from '../servers/index.ts';
import { databaseName } from '../support/names.ts';
import { recordedLog } from '../support/recorded-log.ts';

const skip = (await canRunMariadb()) ?? false;

/** Runs a complete migration. `other` is called after this run's first read of the record and before it takes the lock. */
async function migratedBeside(other: (plan: Plan, effects: Effects) => Promise<void>) {
  await using mariadb = await sharedMariadb();
  await using directory = await privateDirectory('meanwhile');
  const journal = join(directory.path, 'journal');
  await writeFile(journal, '');
  const name = databaseName('meanwhile').replaceAll('_', '-');
  const [service] = ownServices(
    'kolla-pod.yaml',
    {
      [name]: {
        databases: [{ name: 'meanwhile', url: [] }],
        migration: {
          phases: { all: [{ argv: ['sh', '-c', `echo migrated >>${journal}`] }] },
          check: { argv: ['true'], codes: { 0: 'complete' } },
        },
      },
    },
    [],
  );
  const database = databaseName('meanwhile');
  const env = {
    PATH: process.env['PATH'],
    KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://${database}:hidden@127.0.0.1:${mariadb.port}/${database}`,
    KOLLA_DB_SYNC_ADMIN_USER: 'root',
    KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
  };
  const words = splitWords([], SYNC_OPTIONS, true);
  const options = resolveOptions(SYNC_OPTIONS, words, env, undefined) as unknown as MigrationOptions;
  const { log, said } = recordedLog();
  using prepared = await prepareSync({ service: service!, options }, { log, inherited: env });
  const { plan, redact } = prepared;
  const effects = { signal: new AbortController().signal, log, redact };
  const take: TakeTurn = async (...args) => {
    await other(plan, effects);
    return await takeTurn(...args);
  };
  assert.equal(await sync(plan, effects, take), 0);
  return { journal: await readFile(journal, 'utf8'), said: said() };
}

describe('a migration finished by another run between the first check and the lock', { skip }, () => {
  test('is not repeated', async () => {
    const { journal, said } = await migratedBeside(async (plan, effects) => {
      assert.equal(await sync(plan, effects), 0);
    });
    assert.equal(journal, 'migrated\n');
    assert.match(said, /nothing to do: \S+ has finished it meanwhile/);
  });

  test('is not repeated either if other work has held the lock since', async () => {
    const { journal } = await migratedBeside(async (plan, effects) => {
      assert.equal(await sync(plan, effects), 0);
      await underLock(plan, 'bootstrap:tool', effects, async () => {});
    });
    assert.equal(journal, 'migrated\n');
  });

  test('runs if only other work has held the lock', async () => {
    const { journal } = await migratedBeside(async (plan, effects) => {
      await underLock(plan, 'bootstrap:tool', effects, async () => {});
    });
    assert.equal(journal, 'migrated\n');
  });
});
