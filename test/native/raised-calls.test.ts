/** Names that sudo may raise have no sockets, TLS, inotify, digests, links, holes, gzip and tables of logs: the host's table of calls is by name. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RAISED_NAMES } from '../../src/cli/raised.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';

const skip = (await canBuildCore()) ?? false;
const directory = await privateDirectory('raised-calls');
after(async () => await directory[Symbol.asyncDispose]());

test(
  'sockets, TLS, inotify, digests, links, holes, gzip and tables of logs exist for kolla-probe, and for no name that sudo may raise',
  { skip },
  async () => {
    const names = ['kolla-probe', ...RAISED_NAMES];
    const core = await coreBinary(directory.path, names, 'test/native/fixtures');
    const calls = await Promise.all(names.map(async (name) => (await must(join(core.names, name), [])).trim()));
    assert.deepEqual(calls, [
      'open socket connect tlsContext tlsOpen inotify addWatch hash link punch gzip logTable',
      ...[...RAISED_NAMES].map(() => 'open'),
    ]);
  },
);
