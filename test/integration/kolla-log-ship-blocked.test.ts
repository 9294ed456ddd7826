import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canRunElasticsearch, startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import { countOf, openSite, startShipper, told } from './kolla-log-ship-servers-support.ts';

const skip = (await canRunElasticsearch()) ?? false;
let server: Elasticsearch;

before(async () => {
  if (skip === false) server = await startElasticsearch();
});
after(async () => {
  if (skip === false) await server[Symbol.asyncDispose]();
});

/** More than three times the memory, which one file's documents would fill. */
const WAITING = 40_000;
const MEMORY = ['--in-flight-bytes', String(8 * 1024 * 1024)];
const PADDING = 'x'.repeat(400);

const lines = (day: number, from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, n) => `2026-11-${day} 08:15:42.123 7 INFO keystone.server [-] line ${from + n} ${PADDING}\n`,
  ).join('');

for (const block of ['write', 'read_only_allow_delete'])
  test(
    `lines for an index with the block ${block} wait in their file, and all others are indexed`,
    { skip },
    async () => {
      await using site = await openSite(server, `blocked-${block.replaceAll('_', '-')}`);
      const old = `${site.prefix}-2026.11.19`;
      const setBlock = (is: boolean | null) =>
        told(server, 'PUT', `/${old}/_settings`, { [`index.blocks.${block}`]: is });
      await told(server, 'PUT', `/${old}`);
      await setBlock(true);
      writeFileSync(site.file, lines(19, 0, WAITING));
      const other = join(site.directory, 'keystone/other.log');
      // One request has documents of both indices.
      writeFileSync(other, lines(20, 0, 10) + lines(19, WAITING, WAITING + 10));
      await using shipper = await startShipper(site, [...site.to, ...MEMORY], '--multiline-timeout', '200ms');
      await countOf(server, site.day, 10);
      await shipper.says(/their files are not read on/);
      const fresh = join(site.directory, 'keystone/fresh.log');
      for (let round = 1; round <= 5; round++) {
        appendFileSync(fresh, lines(20, 1000 * round, 1000 * round + 1000));
        await countOf(server, site.day, 10 + 1000 * round);
      }
      assert.equal(await server.count(old), 0);
      await setBlock(null);
      await countOf(server, old, WAITING + 10);
      assert.equal(await shipper.running.stop(), 0);
      assert.deepEqual(
        { old: await server.count(old), day: await server.count(site.day) },
        { old: WAITING + 10, day: 5010 },
      );
    },
  );
