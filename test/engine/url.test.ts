/** kolla-core's URL compared with Node's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { URL as Ours } from '../../src/engine/url.ts';

const FIELDS = [
  'protocol',
  'username',
  'password',
  'hostname',
  'port',
  'host',
  'origin',
  'href',
  'pathname',
  'search',
  'hash',
] as const;

const TEXTS = [
  'https://a/',
  'https://a:443/x',
  'https://a:80/x',
  'http://a:443/',
  'http://127.0.0.1:5000/v3',
  'http://127.0.0.1',
  'http://127.0.0.1:80/',
  'http://127.0.0.1:8080',
  'http://[::1]:9292/healthcheck',
  'http://[fd10:88::1:f]:5000/v3',
  'http://[2001:db8::1:0:0:1]/',
  'http://[2001:db8:0:1:1:1:1:1]/',
  'http://[::]:80/',
  'http://keystone:5000/v3/auth/tokens',
  'http://keystone-api.openstack.svc.cluster.local:5000/v3/',
  'http://a/b//c/',
  'http://a/.well-known/x~y/$&()*+,;=:@-_',
  'http://a?x=1&y=/../z?',
  'http://a/b?x=1',
  'http://1.2.3.4.example:65535/',
  'http://user@a/',
  'http://user:secret@a:8080/b',
  'http://a.b~c_d-e!$&()*+,:%40x%2Fy!$&()*+,@a/',
  'HTTP://a/',
  'http://A/',
  'http://@a/',
  'http://:secret@a/',
  'http://user:@a/',
  'http://us;er@a/',
  'http://user:sec=ret@a/',
  'http://user@b@a/',
  'http://a/b c',
  'http://a/%41',
  'http://a/../b',
  'http://a/b/..',
  'http://a/./b',
  'http://a/#x',
  'http://a/ä',
  'http://xn--4ca/',
  'http://a:0/',
  'http://a:080/',
  'http://a:65536/',
  'http://a:/',
  'http://1/',
  'http://127.1/',
  'http://0x7f.0.0.1/',
  'http://127.0.0.01/',
  'http://256.0.0.1/',
  'http://a.1/',
  'http://[0:0::1]/',
  'http://[2001:db8::0:1]/',
  'http://[FD10::1]/',
  'http://[::ffff:102:304]/',
  'http://[1:2]/',
  'http://[::ffff:1.2.3.4]/',
  'http://a..b/',
  'http://-a/',
  'http:///a',
  'http://',
  'a',
  '',
  ' http://a/',
  'http://a/\n',
  "http://a/?x='",
  'http://a?',
  'http:a/b',
  'http:\\\\a\\b\\..\\c',
  'http://a/b|c/{d}/^e/`f`/"g"/<h>',
  "http://a/'?x='y' z|{}^`#<a b>`{}",
  'http://a/b/%2E/%2e%2e/.%2e/c',
  'http://us er:p^w|d@a/',
  'http://a/\ud800',
  'http://a/😀?😀#😀',
  'http://4294967295/',
  'http://4294967296/',
  'http://0300.0250.0x01.1/',
  'http://09.1/',
  'http://1.2.3.4.5/',
  'http://1.2.3.4./',
  'http://1../',
  'http://./',
  'http://a b/',
  'http://a%62/',
  'http://a%2fb/',
  'http://a%c3%a4/'.replace('%c3%a4', '%ff'),
  'http://[1.2.3.4::]/',
  'http://[::1.2.3.4]/',
  'http://[::1%25eth0]/',
  'http://[::1]x/',
  'http://[::1/',
  'http://a:b:80/',
  'http://a:80b/',
  '\u0000 http://a/ \u001f',
  'ht\ntp://a/',
  'ftp://a/',
  'socks5://a:1/',
];

for (const text of TEXTS) test(`reads as Node: ${JSON.stringify(text)}`, () => void same(text));

for (const text of ['http://ä/', 'http://%C3%A4/'])
  test(`is no URL here: ${text}`, () => {
    assert.equal(Ours.parse(text), null);
    assert.throws(() => new Ours(text), /^TypeError: Invalid URL$/);
  });

test('reads random texts as Node', () => {
  const alphabet = [
    '//',
    ...Array.from('aA10.:/?#%@-=& [];\\\'"<>{}|^`~$+,_!*()\t\u0001\u007fé😀'),
    'b.c',
    '..',
    '%2e',
    '%41',
    '0x',
    '256',
    '80',
    '443',
    '[::1]',
    '[2001:db8::1:0:0:1]',
    '::',
    '1.2.3.4',
  ];
  let state = 7;
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  let read = 0;
  for (let i = 0; i < 300_000; i++) {
    const text = `http:${Array.from({ length: 1 + next(9) }, () => alphabet[next(alphabet.length)]).join('')}`;
    if (same(text)) read++;
  }
  assert.ok(read > 50_000, `${read} were read`);
});

/** Returns whether it is a URL. */
function same(text: string): boolean {
  const [ours, nodes] = [Ours.parse(text), URL.parse(text)];
  // Node has tables for names in other scripts.
  if (ours === null && nodes?.hostname.includes('xn--') === true) return false;
  if (nodes !== null && !nodes.protocol.startsWith('http')) assert.equal(ours, null, text);
  else if (ours === null || nodes === null) assert.deepEqual([ours, nodes], [null, null], text);
  else for (const field of FIELDS) assert.equal(ours[field], nodes[field], `${JSON.stringify(text)}: ${field}`);
  return nodes !== null;
}
