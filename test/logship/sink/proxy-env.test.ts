import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../src/core/errors.ts';
import type { ProxyEnv } from '../../../src/logship/sink/proxy-env.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { freePort } from '../../../tools/port.ts';
import { logLines, runHelper } from '../../support/helper.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { log } from '../read/reading.ts';
import { openServer } from './sink-on-core.ts';

function server(url: string, proxyEnv: ProxyEnv) {
  const options = { kind: 'elasticsearch', urls: [new URL(url)], login: undefined, tls: {} } as const;
  return openServer(options, { log: log(), proxyEnv });
}

const never = new AbortController().signal;
const GET = { method: 'GET', path: '/' };

for (const [how, valueOf] of [
  ['without a scheme, as curl accepts it', (port: number) => `127.0.0.1:${port}`],
  ['without a scheme, with a login', (port: number) => `shipper:geheim@127.0.0.1:${port}`],
  ['with a scheme in capitals', (port: number) => `HTTP://127.0.0.1:${port}`],
  ['with the newline of the file that it comes from', (port: number) => `http://127.0.0.1:${port}\n`],
] as const) {
  test(`a proxy is used ${how}`, async () => {
    const asked: (string | undefined)[] = [];
    await using proxy = await listenHttp(({ url }, response) => response.end(String(asked.push(url))));
    using plain = server('http://es.invalid:9200', { HTTP_PROXY: valueOf(proxy.port) });
    await plain.ask(GET, never);
    assert.deepEqual(asked, ['http://es.invalid:9200/']);
    let tunnel = '';
    await using other = await listenTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', (head: Buffer) => {
        tunnel = head.toString();
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      });
    });
    using secure = server('https://es.invalid:9200', { https_proxy: valueOf(other.port) });
    await assert.rejects(secure.ask(GET, never), (error: Error) => !error.message.includes('geheim'));
    assert.match(tunnel, /^CONNECT es\.invalid:9200 /);
  });
}

test('an empty proxy counts as unset, also in errors about an unresponsive server', async () => {
  using s = server(`http://127.0.0.1:${await freePort()}`, { HTTP_PROXY: '', http_proxy: '' });
  await assert.rejects(s.ask(GET, never), (error: Error) => !error.message.includes('HTTP_PROXY'));
});

for (const value of [
  'socks5://shipper:geheim@proxy:1080',
  'http://shipper:geheim/1@proxy:3128',
  'http://shipper:12/geheim@proxy:3128',
  'shipper:12#geheim@proxy:3128',
  'http://shipper:geheim%@proxy:3128',
  'http://shipper:geheim@proxy:port',
]) {
  test(`the proxy ${value} is rejected with the name of its variable, and not shown`, () => {
    const isNamed = (error: unknown) =>
      error instanceof ConfigError && error.message.startsWith('https_proxy: ') && !error.message.includes('geheim');
    assert.throws(() => server('https://es:9200', { https_proxy: value, HTTPS_PROXY: 'http://proxy:3128' }), isNamed);
    using _ = server('http://es:9200', { https_proxy: value });
  });
}

test('exits with code 65 for a password that is invalid in a URL, which is not logged', async () => {
  await using directory = await privateDirectory('proxy');
  const env = { HTTPS_PROXY: 'http://shipper:geh/eim@proxy:3128' };
  const args = ['--root', directory.path, '--url', 'https://es.invalid:9200', '--once'];
  for (const words of [args, ['setup', '--url', 'https://es.invalid:9200']]) {
    const { code, stderr } = await runHelper('kolla-log-ship', words, { env });
    assert.equal(code, 65, stderr);
    assert.match(logLines(stderr).at(-1)?.msg ?? '', /HTTPS_PROXY: /);
    assert.doesNotMatch(stderr, /eim/);
  }
});
