import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { ConfigError } from '../../../src/core/errors.ts';
import { holdsSecret, makeOverlay, overlayNames } from '../../../src/config/overlays/index.ts';
import { SECTION_SCHEMAS } from '../../../src/toolbox/section-schemas.ts';

const NOVA = '/etc/nova/nova.conf';
const ENV = { POD_IP: '10.0.0.3', DB_PASSWORD: 'hunter2', EMPTY: '', TWO: 'a\nb', HOME: '/root' };

function refusal(section: unknown): string {
  let message = '';
  assert.throws(
    () => makeOverlay('kolla-pod.yaml', section, ENV),
    (error: Error) => {
      message = error.message;
      return error instanceof ConfigError;
    },
  );
  assert.doesNotMatch(message, /hunter2/);
  return message;
}

function applied(section: unknown, content: string, dest = NOVA): string {
  const overlay = makeOverlay('kolla-pod.yaml', section, ENV);
  assert.ok(overlay);
  return overlay.apply(dest, Buffer.from(content)).toString();
}

test('an INI key gets a value of this Pod', () => {
  const ini = [{ file: NOVA, key: 'my_ip', value: '$(POD_IP)' }];
  assert.equal(applied({ ini }, '[DEFAULT]\nmy_ip = x\n'), '[DEFAULT]\nmy_ip = 10.0.0.3\n');
  const url = [{ file: NOVA, section: 'vnc', key: 'url', value: 'http://$(POD_IP):6080/' }];
  assert.equal(applied({ ini: url }, ''), '[vnc]\nurl = http://10.0.0.3:6080/\n');
});

test("a name stands for this Pod's address in a network", () => {
  const addresses = { LOOP: '127.0.0.0/8', OTHER: '::1/128' };
  const ini = [
    { file: NOVA, key: 'local_ip', value: '$(LOOP)' },
    { file: NOVA, key: 'both', value: '$(POD_IP),$(LOOP)' },
  ];
  assert.equal(
    applied({ addresses: { LOOP: '127.0.0.0/8' }, ini }, ''),
    '[DEFAULT]\nlocal_ip = 127.0.0.1\nboth = 10.0.0.3,127.0.0.1\n',
  );
  const text = [{ file: '/a' }];
  assert.equal(applied({ addresses: { LOOP: '127.0.0.0/8' }, text }, '$(LOOP)', '/a'), '127.0.0.1');
  // The Pod spec needs no variable for it.
  assert.deepEqual(overlayNames('f', { addresses, ini }), ['POD_IP']);
});

test('a network without an address of this Pod is an error that names those that it has', () => {
  assert.match(
    refusal({ addresses: { TUNNEL_IP: '203.0.113.0/24' }, ini: [{ file: NOVA, key: 'a', value: '$(TUNNEL_IP)' }] }),
    /overlays\.addresses\.TUNNEL_IP: no interface that is up has an address in 203\.0\.113\.0\/24; there is .*127\.0\.0\.1 \(lo\)/,
  );
  assert.match(
    refusal({ addresses: { A: '203.0.113.0' } }),
    /overlays\.addresses\.A: must be a network, as 192\.0\.2\.0\/24/,
  );
  assert.match(refusal({ addresses: { 'A-B': '::/0' } }), /overlays\.addresses\.A-B: must be the name of an env/);
});

test('numbers and booleans are accepted as text', () => {
  const ini = [
    { file: NOVA, key: 'workers', value: 4 },
    { file: NOVA, key: 'debug', value: true },
  ];
  assert.equal(applied({ ini }, ''), '[DEFAULT]\nworkers = 4\ndebug = true\n');
});

test('$(NAME) is replaced in listed files only', () => {
  const section = { text: [{ file: '/etc//mysql/my.cnf' }] };
  assert.equal(applied(section, 'bind-address=$(POD_IP)\n', '/etc/mysql/my.cnf'), 'bind-address=10.0.0.3\n');
  assert.equal(applied(section, 'bind-address=$(POD_IP)\n'), 'bind-address=$(POD_IP)\n');
});

test("every other byte of a text is kept, including a shell's own $(", () => {
  const overlay = makeOverlay('f', { text: [{ file: '/a' }] }, { POD_IP: 'é' });
  const before = Buffer.concat([Buffer.from('$$ $(hostname -s) $ ( $() '), Buffer.from([0xff, 0, 0xc3])]);
  const after = overlay!.apply('/a', Buffer.concat([before, Buffer.from('$(POD_IP)')]));
  assert.deepEqual(after, Buffer.concat([before, Buffer.from('é')]));
});

test('$$ is an escaped dollar, as in a Pod', () => {
  const section = { text: [{ file: NOVA }] };
  assert.equal(
    applied(section, '$$(POD_IP) $$$(POD_IP) $$$$(POD_IP) $$(hostname)'),
    '$(POD_IP) $10.0.0.3 $$(POD_IP) $(hostname)',
  );
});

test('a long run of dollars is parsed in linear time', () => {
  const dollars = '$'.repeat(1_000_000);
  assert.equal(
    applied({ text: [{ file: NOVA }] }, `${dollars} ${dollars}(POD_IP)`),
    `${dollars} ${'$'.repeat(500_000)}(POD_IP)`,
  );
});

test('text is applied before keys, whose values are not expanded again', () => {
  const section = { ini: [{ file: NOVA, key: 'a', value: '$$(POD_IP)' }], text: [{ file: NOVA }] };
  assert.equal(
    applied(section, '[DEFAULT]\na = $(POD_IP)\nb = $(POD_IP)\n'),
    '[DEFAULT]\na = $(POD_IP)\nb = 10.0.0.3\n',
  );
});

test('an empty section changes nothing', () => {
  for (const section of [undefined, null, {}, { allow: ['A'] }, { ini: [], text: [] }])
    assert.equal(makeOverlay('f', section, {}), undefined);
});

test('every problem is reported with its location and the nearest key', () => {
  const message = refusal({
    alow: [],
    ini: [
      { file: 'nova.conf', kee: 'x', value: ['a'] },
      'text',
      { file: '/a/', key: 'a=b', value: 'x', section: '[b]' },
    ],
    text: [{ file: '/a', key: 'x' }],
    allow: ['A B'],
  });
  for (const problem of [
    "overlays.alow: there is no such key; did you mean 'allow'?",
    'overlays.ini[0].file: must be the absolute path of a file',
    "overlays.ini[0].kee: there is no such key; did you mean 'key'?",
    'overlays.ini[0].key: is missing',
    'overlays.ini[0].value: must be a word, but is Array',
    'overlays.ini[1]: must be a mapping, but is "text"',
    'overlays.ini[2].file: must be the absolute path',
    'overlays.ini[2].section: must be the name of a section, without brackets',
    'overlays.ini[2].key: must be the name of an option, without = and :',
    'overlays.text[0].key: there is no such key; try file',
    'overlays.allow[0]: must be the name of an environment variable',
  ])
    assert.ok(message.includes(problem), `${problem}\n  is not in\n${message}`);
  assert.match(refusal('x'), /kolla-pod.yaml: overlays: must be a mapping/);
});

test('a name that is not allowed, not set, empty or multi-line is rejected with the fix', () => {
  const message = refusal({
    allow: ['POD_IP', 'EMPTY', 'TWO', 'NODE_NAME'],
    ini: ['$(DB_PASSWORD)', '$(EMPTY)', '$(TWO)', '$(NODE_NAME)', '$(POD_PI)', '$(POD IP)', 'a\nb'].map((value, i) => ({
      file: NOVA,
      key: `k${i}`,
      value,
    })),
  });
  for (const problem of [
    'ini[0].value: $(DB_PASSWORD) is not allowed; add DB_PASSWORD to overlays.allow',
    'ini[1].value: $(EMPTY) is empty',
    'ini[2].value: $(TWO) has a line break',
    'ini[3].value: $(NODE_NAME) is not set; give the container an env of that name',
    "ini[4].value: $(POD_PI) is not allowed; did you mean 'POD_IP'?",
    "ini[5].value: '$(POD' is not $(NAME)",
    'ini[6].value: has a line break',
  ])
    assert.ok(message.includes(problem), `${problem}\n  is not in\n${message}`);
});

test('without allow, only variables that identify the Pod may be used', () => {
  assert.match(refusal({ ini: [{ file: NOVA, key: 'a', value: '$(HOME)' }] }), /\$\(HOME\) is not allowed/);
});

test('one key set twice is rejected', () => {
  const one = { file: NOVA, section: 'vnc', key: 'a', value: 'x' };
  assert.match(
    refusal({ ini: [one, { ...one, section: 'VNC', file: '/etc/nova/./nova.conf' }] }),
    /ini\[1\]: duplicates overlays.ini\[0\]/,
  );
});

test('a file that cannot be changed is rejected with its path, without its text', () => {
  assert.throws(() => applied({ ini: [{ file: NOVA, key: 'a', value: 'x' }] }, '[DEFAULT]\nhunter2\n'), {
    name: 'RangeError',
    message:
      'kolla-pod.yaml: overlays.ini[0]: line 2 is not KEY = VALUE; it is not a file for oslo.config: list it under overlays.text instead',
  });
  assert.throws(
    () => applied({ text: [{ file: NOVA }] }, '$(NODE_NAME)'),
    /overlays.text\[0\]: \$\(NODE_NAME\) is not set/,
  );
});

test('lists the names that a Pod must set, without their values', () => {
  const ini = [{ file: NOVA, key: 'a', value: '$(POD_IP) $$(NODE_NAME) $(HOST_IP)' }];
  assert.deepEqual(overlayNames('f', { ini }), ['HOST_IP', 'POD_IP']);
  assert.deepEqual(overlayNames('f', { ini, text: [{ file: '/a' }], allow: ['NODE_NAME', 'POD_IP'] }), [
    'HOST_IP',
    'NODE_NAME',
    'POD_IP',
  ]);
});

test('files with values of credential-like names are recorded, and so are the values', () => {
  const ini = [{ file: '/b', key: 'x', value: '$(DB_PASSWORD)' }];
  const overlay = makeOverlay('f', { allow: ['DB_PASSWORD', 'POD_IP'], ini, text: [{ file: '/a' }] }, ENV);
  assert.ok(overlay);
  assert.deepEqual(overlay.secrets, []);
  overlay.apply('/a', Buffer.from('$(POD_IP)'));
  overlay.apply('/b', Buffer.from('[x]\ny = $(POD_IP)\n'));
  overlay.apply('/c', Buffer.from('$(POD_IP)'));
  assert.deepEqual(
    [...overlay.used],
    [
      ['/a', ['POD_IP']],
      ['/b', ['DB_PASSWORD']],
    ],
  );
  assert.deepEqual(overlay.secrets, ['hunter2']);
  assert.deepEqual(
    ['/a', '/b', '/c'].map((dest) => holdsSecret(overlay, dest)),
    [false, true, false],
  );
});

test('the documented example works', async () => {
  const page = await readFile(new URL('../../../docs/reference/kolla-init.md', import.meta.url), 'utf8');
  const example = /```yaml\n(overlays:[^]*?)```/.exec(page)?.[1];
  const { overlays } = load(example ?? '') as { overlays: unknown };
  const overlay = makeOverlay('docs', overlays, { POD_IP: '10.0.0.3', NODE_NAME: 'n1' });
  assert.equal(
    overlay?.apply(NOVA, Buffer.from('[DEFAULT]\nmy_ip = x\n')).toString(),
    '[DEFAULT]\nmy_ip = 10.0.0.3\n\n[vnc]\nserver_listen = 10.0.0.3\n',
  );
  assert.equal(overlay?.apply('/etc/mysql/my.cnf', Buffer.from('$(NODE_NAME)')).toString(), 'n1');
});

test('the JSON Schema has exactly the keys that are read', () => {
  type Mapping = { readonly properties: object; readonly required: readonly string[] };
  const properties = SECTION_SCHEMAS.overlays.properties as Readonly<Record<string, { readonly items: Mapping }>>;
  const valid = {
    allow: ['POD_IP'],
    addresses: { LOOP: '127.0.0.0/8' },
    ini: [{ file: NOVA, section: 'a', key: 'b', value: 'c' }],
    text: [{ file: NOVA }],
    passwords: [{ file: NOVA, name: 'a', source: '/a', secret: 'b', key: 'c' }],
  };
  assert.deepEqual(Object.keys(properties), Object.keys(valid));
  assert.ok(makeOverlay('f', valid, ENV));
  for (const list of ['ini', 'text', 'passwords'] as const) {
    const [full] = valid[list] as Record<string, string>[];
    assert.deepEqual(Object.keys(properties[list]!.items.properties), Object.keys(full!));
    for (const key of Object.keys(full!)) {
      const without = Object.fromEntries(Object.entries(full!).filter(([name]) => name !== key));
      const isRequired = properties[list]!.items.required.includes(key);
      const make = () => makeOverlay('f', { [list]: [without] }, ENV);
      if (isRequired) assert.throws(make, new RegExp(`${list}\\[0\\].${key}: is missing`));
      else assert.ok(make());
    }
  }
});
