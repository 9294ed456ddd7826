/** kolla-core's URL compared with Node's: equal for accepted URLs, which are sent as written. */
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
  'pathname',
  'search',
] as const;

const READ = [
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
];

const LEFT = [
  'https://a/',
  'HTTP://a/',
  'http://A/',
  'http://user@a/',
  'http://user:secret@a/',
  'http://a/b c',
  'http://a/%41',
  'http://a/../b',
  'http://a/b/..',
  'http://a/./b',
  'http://a/#x',
  'http://a/ä',
  'http://ä/',
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
];

for (const text of READ)
  test(`parses as in Node: ${text}`, () => {
    const [ours, nodes] = [Ours.parse(text), URL.parse(text)];
    assert.ok(ours !== null && nodes !== null);
    for (const field of FIELDS) assert.equal(ours[field], nodes[field], field);
  });

for (const text of LEFT)
  test(`left to kolla-pod: ${JSON.stringify(text)}`, () => {
    assert.equal(Ours.parse(text), null);
    assert.throws(() => new Ours(text), /^TypeError: Invalid URL$/);
  });

test('each accepted random text is parsed as by Node', () => {
  const alphabet = [
    'http://',
    'a',
    'b.c',
    '1',
    '0',
    '.',
    ':',
    '/',
    '?',
    '#',
    '%',
    '@',
    '[::1]',
    '[2001:db8::1:0:0:1]',
    '-',
    'A',
    '..',
    '80',
    '=',
    '&',
    ' ',
  ];
  let state = 7;
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  let read = 0;
  for (let i = 0; i < 100_000; i++) {
    const text = `http://${Array.from({ length: 1 + next(7) }, () => alphabet[next(alphabet.length)]).join('')}`;
    const ours = Ours.parse(text);
    if (ours === null) continue;
    read++;
    const nodes = URL.parse(text);
    assert.ok(nodes !== null, text);
    for (const field of FIELDS) assert.equal(ours[field], nodes[field], `${text}: ${field}`);
  }
  assert.ok(read > 1000, `${read} were read`);
});
