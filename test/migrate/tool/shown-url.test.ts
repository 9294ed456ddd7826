import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSamePlace, passwordsIn, shownUrl } from '../../../src/migrate/tool/shown-url.ts';

const SEVERAL = 'rabbit://u:p%25a@one:5672,v:q@two:5672//';

test('the passwords of a URL are hidden, for every host', () => {
  assert.equal(
    shownUrl('mysql+pymysql://nova:p/w:d@db/nova?charset=utf8'),
    'mysql+pymysql://nova:***@db/nova?charset=utf8',
  );
  assert.equal(shownUrl(SEVERAL), 'rabbit://u:***@one:5672,v:***@two:5672//');
  assert.equal(shownUrl('none:///'), 'none:///');
});

test('a password is hidden whole if it or the user contains @', () => {
  assert.equal(shownUrl('rabbit://u:p@q@one:5672,v:r@s@t@two:5672//'), 'rabbit://u:***@one:5672,v:***@two:5672//');
  assert.equal(shownUrl('rabbit://u@realm:p@one,v:q@two//'), 'rabbit://u@realm:***@one,v:***@two//');
  assert.deepEqual(passwordsIn('rabbit://u:p@q@one//'), ['p@q', 'p@q']);
});

test('the passwords of a URL are found encoded and decoded', () => {
  assert.deepEqual(passwordsIn(SEVERAL), ['p%25a', 'p%a', 'q', 'q']);
  assert.deepEqual(passwordsIn('rabbit://u:100%@h//'), ['100%', '100%']);
});

test('two URLs name the same server with another account, driver or query, and at the default port', () => {
  const here = 'mysql+pymysql://nova:a@db:3306/nova?charset=utf8';
  assert.ok(isSamePlace(here, 'mysql://other:b@db/nova'));
  assert.ok(!isSamePlace(here, 'mysql+pymysql://nova:a@db/nova_cell0'));
  assert.ok(!isSamePlace(here, 'mysql+pymysql://nova:a@db2/nova'));
  assert.ok(isSamePlace('rabbit://u:p@h//', 'rabbit://v:q@h//'));
});
