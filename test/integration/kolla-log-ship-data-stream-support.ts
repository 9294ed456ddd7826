import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchServer } from '../cluster/search-server.ts';
import { runHelper } from '../support/helper.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import { until } from '../support/until.ts';
import { openSite, told, type Site } from './kolla-log-ship-servers-support.ts';

/** `lose`: executed, but not answered. `hold`: executed, and never answered. The others happen before a request. */
export type Fate = 'pass' | 'lose' | 'hold' | 'roll over' | 'close';

/** A data stream that no other test uses. */
export async function openStream(server: SearchServer, name: string) {
  const site: Site = await openSite(server, 'unused');
  const stream = `logs-${name}-default`;
  const args = ['--data-stream', stream];
  const { code, stderr } = await runHelper('kolla-log-ship', ['setup', ...site.to, ...args, '--replicas', '0']);
  assert.equal(code, 0, stderr);
  const rollOver = () => told(server, 'POST', `/${stream}/_rollover`);
  const indices = async () => Object.keys((await told(server, 'GET', `/${stream}/_settings`)) as object).toSorted();
  return {
    site,
    name: stream,
    args,
    rollOver,
    indices,
    /** Resolves when the newest index has this many documents; a refresh of all fails while one is closed. */
    async countOfNewest(wanted: number) {
      const newest = (await indices()).at(-1);
      await until(`${wanted} documents in ${newest}`, async () => {
        await server.request('POST', `/${newest}/_refresh`);
        const { body } = await server.request('GET', `/${newest}/_count`);
        return (body as { count?: number }).count === wanted || undefined;
      });
    },
    /** A proxy in front of the server, and the fates of its next requests to ship. */
    async proxy() {
      const { port } = new URL(server.url);
      const proxy = await startHttpProxy({ port: Number(port), ca: server.login?.ca });
      const fates: Fate[] = [];
      proxy.before = async ({ path }) => {
        if (path.startsWith('/_data_stream')) return undefined;
        const fate = fates.shift();
        if (fate === 'roll over') await rollOver();
        if (fate === 'close') {
          await rollOver();
          await told(server, 'POST', `/${(await indices()).at(-2)}/_close`);
        }
        return fate === 'lose' || fate === 'hold' ? fate : undefined;
      };
      const url = `http://127.0.0.1:${proxy.port}`;
      const login = ['--user', String(server.login?.user), '--password-file', join(site.directory, 'password')];
      return Object.assign(proxy, {
        fates,
        to: ['--to', server.kind, '--url', url, ...(server.login === undefined ? [] : login)],
      });
    },
    /** The options of a shipper with an API key that has only these privileges on the data stream. */
    async withKey(to: readonly string[], privileges: readonly string[]) {
      const roles = { ship: { cluster: [], indices: [{ names: [stream], privileges }] } };
      const made = await told(server, 'POST', '/_security/api_key', { name: stream, role_descriptors: roles });
      writeFileSync(join(site.directory, 'key'), (made as { encoded: string }).encoded);
      return [...to.slice(0, to.indexOf('--user')), '--api-key-file', join(site.directory, 'key')];
    },
    /** The options of a shipper as a user with these permissions on the data stream, and those on the cluster. */
    async withUser(to: readonly string[], permissions: readonly string[]) {
      const api = '/_plugins/_security/api';
      const password = 'Neither-Short-Nor-Common-7';
      await told(server, 'PUT', `${api}/roles/${stream}`, {
        cluster_permissions: ['cluster_composite_ops'],
        index_permissions: [{ index_patterns: [stream], allowed_actions: permissions }],
      });
      await told(server, 'PUT', `${api}/internalusers/${stream}`, { password });
      await told(server, 'PUT', `${api}/rolesmapping/${stream}`, { users: [stream] });
      writeFileSync(join(site.directory, 'password'), password);
      return to.map((word) => (word === server.login?.user ? stream : word));
    },
    letters: () =>
      readFileSync(join(site.state, 'dead-letter.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text) as { reason: string; document: { Payload: string } }),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
