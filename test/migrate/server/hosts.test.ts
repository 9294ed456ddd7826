import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { atHosts, environmentAs, environmentAt, urlsOf } from '../../../src/migrate/server/hosts.ts';
import type { Source } from '../../../src/migrate/server/target.ts';
import { parseMysqlUrl } from '../../../src/mysql/index.ts';

function sourceAt(url: string, variable: string): Source {
  return {
    target: parseMysqlUrl(url),
    place: 'somewhere',
    url,
    environment: { [variable]: url },
    variables: [variable],
  };
}

const API = sourceAt('mysql+pymysql://nova:p%40ss@db:3307/nova_api?charset=utf8', 'OS_API_DATABASE__CONNECTION');
const MAIN = sourceAt('mysql+pymysql://nova:p%40ss@db:3307/nova', 'OS_DATABASE__CONNECTION');
const CELL = sourceAt('mysql+pymysql://nova:p%40ss@other:3307/nova_cell', 'OS_CELL__CONNECTION');

test('hosts replace the one in the URL, and use its port by default', () => {
  const [{ target }] = atHosts([API], ['n1,n2:3310', '[::1]', '[fd00::2]:3311']);
  assert.deepEqual(target.places, [
    { host: 'n1', port: 3307 },
    { host: 'n2', port: 3310 },
    { host: '::1', port: 3307 },
    { host: 'fd00::2', port: 3311 },
  ]);
});

test('without hosts nothing changes', () => {
  assert.deepEqual(atHosts([API, MAIN], []), [API, MAIN]);
});

test('an invalid host is rejected with an example', () => {
  for (const host of ['', 'n1:', 'n1:0', 'n1:x', 'fd00::2', 'mysql://n1', 'a b']) {
    assert.throws(
      () => atHosts([API], [host]),
      (error) => error instanceof UsageError && /such as mariadb-0:3307/.test(error.message),
      host,
    );
  }
});

test('the tool gets the URLs of the cluster of the node in use, at that node, and no others', () => {
  const sources = atHosts([API, MAIN, CELL], ['n1', 'n2']);
  assert.deepEqual(environmentAt(sources, { host: 'n2', port: 3307 }), {
    OS_API_DATABASE__CONNECTION: 'mysql+pymysql://nova:p%40ss@n2:3307/nova_api?charset=utf8',
    OS_DATABASE__CONNECTION: 'mysql+pymysql://nova:p%40ss@n2:3307/nova',
  });
});

test('with another account, the tool gets it in the URLs of every cluster', () => {
  const sources = atHosts([API, MAIN, CELL], ['n1', 'n2']);
  assert.deepEqual(environmentAs(sources, { host: 'n2', port: 3307 }, { user: 'nova_m7_1c09b3', password: 'a-_Aa1' }), {
    OS_API_DATABASE__CONNECTION: 'mysql+pymysql://nova_m7_1c09b3:a-_Aa1@n2:3307/nova_api?charset=utf8',
    OS_DATABASE__CONNECTION: 'mysql+pymysql://nova_m7_1c09b3:a-_Aa1@n2:3307/nova',
    OS_CELL__CONNECTION: 'mysql+pymysql://nova_m7_1c09b3:a-_Aa1@other:3307/nova_cell',
  });
});

test('a $ is escaped for oslo.config, which would treat it as an option, and both forms are secrets', () => {
  const url = 'mysql+pymysql://nova:pa$w@db:3307/nova';
  const sources = atHosts([sourceAt(url, 'OS_DATABASE__CONNECTION')], ['n1']);
  const spelled = String.raw`mysql+pymysql://nova:pa\$w@n1:3307/nova`;
  assert.deepEqual(environmentAt(sources, { host: 'n1', port: 3307 }), { OS_DATABASE__CONNECTION: spelled });
  const as = environmentAs(sources, { host: 'n1', port: 3307 }, { user: 'm', password: 'x' });
  assert.deepEqual(as, { OS_DATABASE__CONNECTION: 'mysql+pymysql://m:x@n1:3307/nova' });
  const secrets = urlsOf(sources[0]);
  assert.ok(secrets.includes(url) && secrets.includes(spelled));
});

test('every URL passed to the tool is known as a secret', () => {
  const [source] = atHosts([MAIN], ['n1', '[::1]']);
  assert.deepEqual(urlsOf(source), [
    MAIN.url,
    'mysql+pymysql://nova:p%40ss@n1:3307/nova',
    'mysql+pymysql://nova:p%40ss@[::1]:3307/nova',
  ]);
});
