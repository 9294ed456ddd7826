/** Data streams that roll over while it is unknown what they contain, on each server. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileLimit } from '../support/file-limit.ts';
import { until } from '../support/until.ts';
import { openStream } from './kolla-log-ship-data-stream-support.ts';
import {
  countOf,
  describeEach,
  inIndex,
  lines,
  shipOnce,
  startShipper,
  told,
  type ServerKind,
} from './kolla-log-ship-servers-support.ts';
import {
  ELASTICSEARCH_9_KIND,
  OPENSEARCH_3_KIND,
  SECURE_ELASTICSEARCH_8_KIND,
  SECURE_OPENSEARCH_3_KIND,
} from './log-servers.ts';

/** Four servers run one after the other. */
fileLimit(30);

interface Kind extends ServerKind {
  readonly hasKeys?: boolean;
  readonly hasUsers?: boolean;
}

const KINDS: readonly Kind[] = [
  { ...SECURE_ELASTICSEARCH_8_KIND, hasKeys: true },
  ELASTICSEARCH_9_KIND,
  OPENSEARCH_3_KIND,
  { ...SECURE_OPENSEARCH_3_KIND, hasUsers: true },
];

await describeEach(KINDS, (server, kind) => {
  test('a request whose answer is lost before a rollover is indexed once', async () => {
    await using stream = await openStream(server, 'lost');
    await using proxy = await stream.proxy();
    proxy.fates.push('lose', 'roll over');
    writeFileSync(stream.site.file, lines(0, 100));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 100);
    // Some of these documents are new, others are in the index before.
    proxy.fates.push('lose', 'roll over');
    appendFileSync(stream.site.file, lines(100, 200));
    await countOf(server, stream.name, 200);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual(await inIndex(server, stream.name), { documents: 200, distinct: 200 });
    assert.equal((await stream.indices()).length, 3);
  });

  test('two rollovers during an outage after a lost answer double nothing', async () => {
    await using stream = await openStream(server, 'twice');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 10));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 10);
    await stream.rollOver();
    proxy.fates.push('lose', 'lose', 'lose', 'roll over', 'lose');
    appendFileSync(stream.site.file, lines(10, 20));
    await countOf(server, stream.name, 20);
    await shipper.says(/accepts writes again/);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual(await inIndex(server, stream.name), { documents: 20, distinct: 20 });
  });

  test('killed before an answer and restarted after a rollover: each line is indexed once', async () => {
    await using stream = await openStream(server, 'killed');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 1000));
    {
      await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
      await countOf(server, stream.name, 1000);
      proxy.fates.push('hold');
      appendFileSync(stream.site.file, lines(1000, 3000));
      await countOf(server, stream.name, 1001);
      shipper.running.child.kill('SIGKILL');
      await shipper.running.ended;
    }
    await stream.rollOver();
    appendFileSync(stream.site.file, lines(3000, 3100));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 3100);
    // Both of its batches are answered: one may wait for its _mget while the other one is found.
    const position = `"mark":{"offset":${lines(0, 3100).length},`;
    const checkpoint = join(stream.site.state, 'checkpoint.json');
    await until(
      'its position to be saved',
      () => (existsSync(checkpoint) && readFileSync(checkpoint, 'utf8').includes(position)) || undefined,
    );
    assert.ok(proxy.passed.some(({ path }) => path.includes('/_mget?')));
    // Lines that are new since the start cannot have been sent.
    proxy.forget();
    appendFileSync(stream.site.file, lines(3100, 3200));
    await countOf(server, stream.name, 3200);
    // A document can be found before its request is answered.
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual([...new Set(proxy.passed.map(({ path }) => path.replace(/\?.*/, '')))], ['/_bulk']);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 3200, distinct: 3200 });
  });

  test('files that are read from their start, because the checkpoint is damaged, are indexed once after a rollover', async () => {
    await using stream = await openStream(server, 'torn');
    writeFileSync(stream.site.file, lines(0, 100));
    await shipOnce(stream.site, ...stream.args);
    await stream.rollOver();
    writeFileSync(join(stream.site.state, 'checkpoint.json'), 'torn');
    assert.equal((await shipOnce(stream.site, ...stream.args))['already'], 100);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 100, distinct: 100 });
  });

  test('while every request is answered, nothing else is asked', async () => {
    await using stream = await openStream(server, 'calm');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 3000));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 3000);
    await stream.rollOver();
    appendFileSync(stream.site.file, lines(3000, 3100));
    await countOf(server, stream.name, 3100);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    const asked = new Set(proxy.passed.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`));
    assert.deepEqual([...asked].toSorted(), ['POST /_bulk', `PUT /_data_stream/${stream.name}`]);
  });

  test('documents that may be in a closed index wait for it, and others overtake them', async () => {
    await using stream = await openStream(server, 'closed');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 10));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 10);
    const [old = ''] = await stream.indices();
    proxy.fates.push('lose', 'close');
    appendFileSync(stream.site.file, lines(10, 20));
    await shipper.says(new RegExp(`${old} cannot tell whether it has them \\(index_closed_exception`));
    appendFileSync(stream.site.file, lines(20, 30));
    await stream.countOfNewest(10);
    await told(server, 'POST', `/${old}/_open`);
    await countOf(server, stream.name, 30);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual(await inIndex(server, stream.name), { documents: 30, distinct: 30 });
  });

  test('killed while documents may be in an index before the last rollover: they are looked for there', async () => {
    await using stream = await openStream(server, 'waiting');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 10));
    const others = stream.site.file.replace('keystone.log', 'keystone-manage.log');
    const checkpoint = join(stream.site.state, 'checkpoint.json');
    const saved = () => readFileSync(checkpoint, 'utf8');
    let old = '';
    {
      await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
      await countOf(server, stream.name, 10);
      [old = ''] = await stream.indices();
      proxy.fates.push('lose', 'close');
      appendFileSync(stream.site.file, lines(10, 20));
      await shipper.says(/cannot tell whether it has them/);
      writeFileSync(others, lines(20, 30));
      await stream.countOfNewest(10);
      const size = lines(20, 30).length;
      await until('their position to be saved', () =>
        Promise.resolve(saved().includes(`"offset":${size}`) || undefined),
      );
      shipper.running.child.kill('SIGKILL');
      await shipper.running.ended;
    }
    assert.match(saved(), /"indexGeneration":1[,}]/);
    await told(server, 'POST', `/${old}/_open`);
    await shipOnce(stream.site, ...stream.args);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 30, distinct: 30 });
  });

  test('an index that is deleted after a lost answer gets no documents back, and new ones are shipped', async () => {
    await using stream = await openStream(server, 'deleted');
    await using proxy = await stream.proxy();
    writeFileSync(stream.site.file, lines(0, 10));
    await using shipper = await startShipper(stream.site, proxy.to, ...stream.args);
    await countOf(server, stream.name, 10);
    const [old = ''] = await stream.indices();
    proxy.fates.push('lose', 'close');
    appendFileSync(stream.site.file, lines(10, 20));
    await shipper.says(/cannot tell whether it has them/);
    await told(server, 'DELETE', `/${old}`);
    await countOf(server, stream.name, 10);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual(await inIndex(server, stream.name), { documents: 10, distinct: 10 });
  });

  const noUsers = kind.hasUsers ? false : 'the server has no users';
  test('a user with the documented permissions doubles nothing', { skip: noUsers }, async () => {
    await using stream = await openStream(server, 'permitted');
    await using proxy = await stream.proxy();
    proxy.fates.push('lose', 'roll over');
    writeFileSync(stream.site.file, lines(0, 10));
    const to = await stream.withUser(proxy.to, ['write', 'create_index', 'read', 'indices_monitor']);
    await using shipper = await startShipper(stream.site, to, ...stream.args);
    await countOf(server, stream.name, 10);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.doesNotMatch(shipper.log(), /cannot look/);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 10, distinct: 10 });
  });

  const noKeys = kind.hasKeys ? false : 'the server has no API keys';
  test(
    'without read permission it is logged what a lost connection may do, and lines are shipped',
    { skip: noKeys },
    async () => {
      await using stream = await openStream(server, 'unreadable');
      await using proxy = await stream.proxy();
      writeFileSync(stream.site.file, lines(0, 10));
      const to = await stream.withKey(proxy.to, ['create_doc', 'auto_configure']);
      await using shipper = await startShipper(stream.site, to, ...stream.args);
      await countOf(server, stream.name, 10);
      for (const [from, fates] of [
        [10, ['lose']],
        [20, ['lose', 'pass', 'lose']],
      ] as const) {
        proxy.fates.push(...fates);
        appendFileSync(stream.site.file, lines(from, from + 10));
        await countOf(server, stream.name, from + 10);
      }
      assert.equal(await shipper.running.stop(), 0, shipper.log());
      const warning =
        /cannot look for sent documents in logs-unreadable-default: status 403.*read and view_index_metadata/g;
      assert.equal(shipper.log().match(warning)?.length, 1, shipper.log());
      assert.deepEqual(await inIndex(server, stream.name), { documents: 30, distinct: 30 });
    },
  );

  test('an API key with four privileges is enough to double nothing', { skip: noKeys }, async () => {
    await using stream = await openStream(server, 'readable');
    await using proxy = await stream.proxy();
    proxy.fates.push('lose', 'roll over');
    writeFileSync(stream.site.file, lines(0, 10));
    const privileges = ['create_doc', 'auto_configure', 'read', 'view_index_metadata'];
    const to = await stream.withKey(proxy.to, privileges);
    await using shipper = await startShipper(stream.site, to, ...stream.args);
    await countOf(server, stream.name, 10);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.doesNotMatch(shipper.log(), /cannot look/);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 10, distinct: 10 });
  });
});
