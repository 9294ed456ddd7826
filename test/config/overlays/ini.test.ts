import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setOsloOption } from '../../../src/config/overlays/ini.ts';
import { osloOption } from '../../../src/oslo/ini.ts';
import { randomFrom } from '../../support/random.ts';
import { randomOslo } from './random-oslo.ts';

const set = (text: string, value = '10.0.0.3', section = 'DEFAULT', key = 'my_ip') =>
  setOsloOption(Buffer.from(text), { section, key, value }).toString();

test('the value of an existing option is replaced in place, and the delimiter is kept', () => {
  assert.equal(
    set('# mine\n[DEFAULT]\n# my_ip = x\nmy_ip=127.0.0.1\ndebug = true\n'),
    '# mine\n[DEFAULT]\n# my_ip = x\nmy_ip=10.0.0.3\ndebug = true\n',
  );
  assert.equal(set('[DEFAULT]\nmy_ip  :\t127.0.0.1\n'), '[DEFAULT]\nmy_ip  :\t10.0.0.3\n');
  assert.equal(set('[DEFAULT]\nmy_ip =\n'), '[DEFAULT]\nmy_ip = 10.0.0.3\n');
});

test('continuation lines of the old value are removed with it', () => {
  assert.equal(set('[DEFAULT]\nmy_ip = a\n  b\n\tc\nx = 1\n  y\n'), '[DEFAULT]\nmy_ip = 10.0.0.3\nx = 1\n  y\n');
  assert.equal(set('[DEFAULT]\nmy_ip = a\n  b'), '[DEFAULT]\nmy_ip = 10.0.0.3');
});

test('if an option is set several times, the last one is changed, since it applies', () => {
  assert.equal(
    set('[DEFAULT]\nmy_ip = a\nmy_ip = b\n[x]\nmy_ip = c\n[DEFAULT]\nmy_ip = d\n'),
    '[DEFAULT]\nmy_ip = a\nmy_ip = b\n[x]\nmy_ip = c\n[DEFAULT]\nmy_ip = 10.0.0.3\n',
  );
});

test('a new option is added after the last one of its section', () => {
  assert.equal(
    set('[DEFAULT]\na = 1\n  2\n\n# about b\n[b]\nc = 1\n'),
    '[DEFAULT]\na = 1\n  2\nmy_ip = 10.0.0.3\n\n# about b\n[b]\nc = 1\n',
  );
  assert.equal(set('[DEFAULT]\n[b]\n'), '[DEFAULT]\nmy_ip = 10.0.0.3\n[b]\n');
  assert.equal(set('[DEFAULT]\na = 1'), '[DEFAULT]\na = 1\nmy_ip = 10.0.0.3');
});

test('a new section is added at the end', () => {
  assert.equal(set('[b]\nc = 1\n'), '[b]\nc = 1\n\n[DEFAULT]\nmy_ip = 10.0.0.3\n');
  assert.equal(set('[b]\nc = 1'), '[b]\nc = 1\n\n[DEFAULT]\nmy_ip = 10.0.0.3\n');
  assert.equal(set(''), '[DEFAULT]\nmy_ip = 10.0.0.3\n');
});

test('section names are case-insensitive, except for DEFAULT, as in oslo.config', () => {
  assert.equal(set('[VNC]\nmy_ip = a\n', 'b', 'vnc'), '[VNC]\nmy_ip = b\n');
  assert.equal(set('[default]\nmy_ip = a\n', 'b'), '[default]\nmy_ip = a\n\n[DEFAULT]\nmy_ip = b\n');
});

test("the file's line ends are kept", () => {
  assert.equal(set('[DEFAULT]\r\nmy_ip = a\r\n[b]\r\n', 'b'), '[DEFAULT]\r\nmy_ip = b\r\n[b]\r\n');
  assert.equal(set('[a]\r\n', 'b', 'a'), '[a]\r\nmy_ip = b\r\n');
});

test('invalid UTF-8 is kept', () => {
  const before = Buffer.from([0x5b, 0x61, 0x5d, 0x0a, 0x23, 0xff, 0xa0, 0x0a, 0x62, 0x3d, 0xc3, 0x28, 0xa0, 0x0a]);
  const after = setOsloOption(before, { section: 'a', key: 'name', value: 'José' });
  assert.deepEqual(after, Buffer.concat([before, Buffer.from('name = José\n')]));
});

test('a value with a leading space or quotes is read back unchanged', () => {
  for (const value of [' a', 'a ', '"a"', "'a'", '"', '', 'a # b', '$x', '%(y)s', 'a = b'])
    assert.equal(osloOption(set('[DEFAULT]\nmy_ip = x\n', value), 'DEFAULT', 'my_ip'), value, value);
});

for (const [text, line] of [
  ['[mysqld]\nskip-name-resolve\n', 2],
  ['  a = 1\n', 1],
  ['[a\n', 1],
  ['[a]\n= 1\n', 2],
] as const) {
  test(`${JSON.stringify(text)}, which oslo.config would not read, is rejected with its line number`, () => {
    assert.throws(() => set(text), new RegExp(`^RangeError: line ${line} is`));
  });
}

test('on any file: the value is read back, nothing else changes, and repeating it changes nothing', () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const random = randomFrom(seed);
    const { text, section, key } = randomOslo(random);
    const value = `10.0.0.${Math.floor(random() * 256)}`;
    const after = set(text, value, section, key);
    const context = JSON.stringify({ seed, text, section, key, after });
    assert.equal(osloOption(after, section, key), value, context);
    assert.equal(set(after, value, section, key), after, context);
    for (const [otherSection, otherKey] of optionsOf(text))
      if (otherSection !== section || otherKey !== key)
        assert.equal(osloOption(after, otherSection, otherKey), osloOption(text, otherSection, otherKey), context);
    const [was, is] = [text, after].map((one) => new Set(one.split('\n')));
    const added = [...is!].filter((line) => !was!.has(line) && line !== '');
    assert.ok(added.length <= 2, context);
    assert.deepEqual(commentsOf(after), commentsOf(text), context);
  }
});

function optionsOf(text: string): [string, string][] {
  let section = 'DEFAULT';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('[')) section = line.slice(1, -1);
    return /^[a-z]/.test(line) ? [[section, line.slice(0, line.search(/[=:]/)).trim()] as [string, string]] : [];
  });
}

function commentsOf(text: string): string[] {
  return text.split('\n').filter((line) => /^[#;]/.test(line));
}
