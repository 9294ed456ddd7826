/** The answers of Keystone and Nova that a service's tool asks for: a login, and a server whose tags can't be set. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

interface Stand extends AsyncDisposable {
  readonly url: string;
  /** Whether Nova has the servers of all instances. */
  hasServers: boolean;
  /** How often it was asked to set tags, which it refuses. */
  refusals: number;
}

/** Both at one address. No test has Nova's API without a whole cloud. */
export async function identityAndCompute(): Promise<Stand> {
  const answer = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const server = createServer((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '/', stand.url);
    const version = { id: 'v3.14', status: 'stable', links: [{ rel: 'self', href: `${stand.url}/v3/` }] };
    const [, id] = /\/servers\/([^/]+)/.exec(pathname) ?? [];
    if (id !== undefined && request.method === 'PUT') {
      stand.refusals++;
      answer(response, 403, { forbidden: { code: 403, message: 'Policy does not allow it.' } });
    } else if (id !== undefined && stand.hasServers)
      answer(response, 200, { server: { id, name: id, tags: [], metadata: {}, links: [] } });
    else if (id !== undefined)
      answer(response, 404, { itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } });
    else if (pathname.endsWith('/auth/tokens'))
      answer(response, 201, tokenAt(stand.url), { 'x-subject-token': 'of-the-test' });
    else if (pathname.startsWith('/v3')) answer(response, 200, { version });
    else if (pathname.startsWith('/v2.1'))
      answer(response, 200, { version: { ...version, id: 'v2.1', version: '2.100', min_version: '2.1' } });
    else answer(response, 300, { versions: { values: [version] } });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const stand: Stand = {
    url: `http://127.0.0.1:${port}`,
    hasServers: true,
    refusals: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return stand;
}

function tokenAt(url: string) {
  const endpoint = { interface: 'public', region: 'RegionOne', region_id: 'RegionOne', id: 'e', url: `${url}/v2.1` };
  const endpoints = ['public', 'internal', 'admin'].map((name) => ({ ...endpoint, interface: name }));
  const domain = { id: 'default', name: 'Default' };
  return {
    token: {
      methods: ['password'],
      user: { id: 'u', name: 'trove', domain },
      project: { id: 'p', name: 'service', domain },
      roles: [{ id: 'r', name: 'admin' }],
      issued_at: '2026-01-01T00:00:00.000000Z',
      expires_at: '2100-01-01T00:00:00.000000Z',
      catalog: [{ type: 'compute', name: 'nova', id: 'c', endpoints }],
    },
  };
}
