import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOslo, osloValue } from '../../src/oslo/value.ts';

const PLACE = { section: 'database', key: 'connection' };
const OTHERS = '[DEFAULT]\nmy_ip = 10.0.0.5\n[Other]\nhost = h$my_ip\n[database]\ninner = in\n';

const at = (value: string) => osloValue(`${OTHERS}connection = x${value}\n`, PLACE, {});

// Results of oslo.config 10.7.
for (const [written, read] of [
  ['pa$$w', 'xpa$w'],
  ['$$', 'x$'],
  [String.raw`\$`, 'x$'],
  [String.raw`\\$`, String.raw`x\$`],
  ['$$$', 'x$$'],
  [String.raw`$\$inner`, 'x$in'],
  ['a$', 'xa$'],
  ['$ a', 'x$ a'],
  ['$1', 'x$1'],
  ['a$-b', 'xa$-b'],
  ['$é', 'x$é'],
  ['${}', 'x${}'],
  ['${ my_ip}', 'x${ my_ip}'],
  ['${my_ip', 'x${my_ip'],
  ['p%%40', 'xp%%40'],
  ['$my_ip', 'x10.0.0.5'],
  ['$my_ip:3306/d', 'x10.0.0.5:3306/d'],
  ['${my_ip}x', 'x10.0.0.5x'],
  ['$inner', 'xin'],
  ['$database.inner', 'xin'],
  ['${Other.host}', 'xh10.0.0.5'],
  ['$$my_ip', 'x$my_ip'],
  [String.raw`\$my_ip`, 'x$my_ip'],
  ['a\n  $my_ip\n  b$$', 'xa\n10.0.0.5\nb$'],
] as const) {
  test(`${JSON.stringify(written)} is read as oslo.config reads it`, () => assert.equal(at(written), read));
}

for (const written of [
  '$hunter2',
  '${hunter2}',
  '$MY_IP',
  '$my_ip.',
  '$DEFAULT.my_ip',
  '${other.host}',
  '$connection',
]) {
  test(`${written}, which makes oslo.config end the service, is rejected with the option's name, not its value`, () => {
    assert.throws(
      () => at(written),
      (error: unknown) =>
        error instanceof RangeError && /\[database\] connection/.test(error.message) && !/hunter2/.test(error.message),
    );
  });
}

test('a variable takes precedence over the file, also for a referenced option', () => {
  const env = { OS_DATABASE__CONNECTION: 'v$my_ip', OS_DEFAULT__MY_IP: 'a$$' };
  assert.equal(osloValue(`${OTHERS}connection = f\n`, PLACE, env), 'va$');
  assert.equal(osloValue(OTHERS, PLACE, { OS_DATABASE__CONNECTION: '' }), '');
  assert.throws(
    () => osloValue('', PLACE, { OS_DATABASE__CONNECTION: 'a$hunter2' }),
    (error: Error) => /\$ in OS_DATABASE__CONNECTION/.test(error.message) && !error.message.includes('hunter2'),
  );
});

test('an unset option has no value', () => {
  assert.equal(osloValue(OTHERS, PLACE, {}), undefined);
});

test('an escaped value is read back unchanged', () => {
  for (const value of ['', 'a', 'pa$w', 'a$', '$$', '${x}', String.raw`a\$b`, String.raw`a\\$$b\\`, '$1'])
    assert.equal(osloValue(`[database]\nconnection = x${asOslo(value)}\n`, PLACE, {}), `x${value}`);
});
