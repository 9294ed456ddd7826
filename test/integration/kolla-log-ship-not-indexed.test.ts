/** Documents that a server does not index, although its reply has no errors. */
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStream } from './kolla-log-ship-data-stream-support.ts';
import {
  countOf,
  describeEach,
  inIndex,
  line,
  lines,
  shipOnce,
  startShipper,
  told,
  type ServerKind,
} from './kolla-log-ship-servers-support.ts';
import { ELASTICSEARCH_9_KIND, SECURE_OPENSEARCH_3_KIND } from './log-servers.ts';

interface Kind extends ServerKind {
  readonly hasFailureStore?: boolean;
}

const KINDS: readonly Kind[] = [{ ...ELASTICSEARCH_9_KIND, hasFailureStore: true }, SECURE_OPENSEARCH_3_KIND];

await describeEach(KINDS, (server, kind) => {
  test('a document that a pipeline drops is a dead letter, and is logged once', async () => {
    await using stream = await openStream(server, 'dropped');
    await told(server, 'PUT', '/_ingest/pipeline/dropping', { processors: [{ drop: {} }] });
    writeFileSync(stream.site.file, lines(0, 10));
    await shipOnce(stream.site, ...stream.args);
    await told(server, 'PUT', `/${stream.name}/_settings`, { 'index.default_pipeline': 'dropping' });
    appendFileSync(stream.site.file, lines(10, 13));
    const { acknowledged, rejected } = await shipOnce(stream.site, ...stream.args);
    assert.deepEqual([acknowledged, rejected], [0, 3]);
    const letters = stream.letters();
    assert.deepEqual(letters.map(({ document }) => document.Payload).toSorted(), ['line 10', 'line 11', 'line 12']);
    assert.match(letters[0]?.reason ?? '', /noop: an ingest pipeline drops it/);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 10, distinct: 10 });
  });

  const noStore = kind.hasFailureStore ? false : 'the server has no failure store';
  test('a document in the failure store is a dead letter, and is logged once', { skip: noStore }, async () => {
    await using stream = await openStream(server, 'failing');
    const options = { failure_store: { enabled: true } };
    await told(server, 'PUT', '/_index_template/failing', {
      index_patterns: [stream.name],
      priority: 1000,
      data_stream: {},
      template: { data_stream_options: options, mappings: { properties: { Pid: { type: 'integer' } } } },
    });
    writeFileSync(stream.site.file, lines(0, 10) + line(10, '99999999999') + line(11, '99999999999') + lines(12, 20));
    await using shipper = await startShipper(stream.site, stream.site.to, ...stream.args);
    await countOf(server, stream.name, 18);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    // Its last lines may still be on the way to the file.
    await shipper.says(/"acknowledged":18,"already":0,"rejected":2/);
    assert.equal(shipper.log().match(/the server rejects a line: it is in the failure store/g)?.length, 1);
    const payloads = stream.letters().map(({ document }) => document.Payload);
    assert.deepEqual(payloads.toSorted(), ['line 10', 'line 11']);
    assert.deepEqual(await inIndex(server, stream.name), { documents: 18, distinct: 18 });
    await told(server, 'POST', `/${stream.name}::failures/_refresh`);
    assert.equal(await server.count(`${stream.name}::failures`), 2, 'the failure store has them');
    // Sent again, a document that is indexed is not one that failed.
    writeFileSync(join(stream.site.state, 'checkpoint.json'), 'torn');
    const again = await shipOnce(stream.site, ...stream.args);
    assert.deepEqual([again['already'], again['rejected']], [18, 2]);
    assert.equal(stream.letters().length, 2);
  });
});
