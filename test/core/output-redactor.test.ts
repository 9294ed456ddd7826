import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputRedactor } from '../../src/core/output-redactor.ts';

const redact = outputRedactor({ DB_PASSWORD: 'of-the-environment', PATH: '/usr/bin' });

for (const [said, shown] of [
  ['of-the-environment is wrong, see /usr/bin', '*** is wrong, see /usr/bin'],
  ['password=hidden user=nova', 'password=*** user=nova'],
  ['X-Auth-Token: hidden', 'X-Auth-Token: ***'],
  ['password = "my hidden phrase" for nova', 'password = *** for nova'],
  [`password='it\\'s "hidden"', user='nova'`, `password=***, user='nova'`],
  ['{"password": "two hidden", "user": "nova"}', '{"password": ***, "user": "nova"}'],
  [
    String.raw`{"body": "{\"password\": \"two \\\"hidden\", \"user\": \"nova\"}"}`,
    String.raw`{"body": "{\"password\": ***, \"user\": \"nova\"}"}`,
  ],
  [`{'secret': b'two hidden', 'user': u'nova'}`, `{'secret': ***, 'user': u'nova'}`],
  ['password => "two hidden"', 'password => ***'],
  ['secret: "two hidden without an end', 'secret: ***'],
  ['Authorization: Bearer hidden', 'Authorization: ***'],
  ['> authorization:Basic aGlkZGVu', '> authorization:***'],
  ['Authorization: Digest username="nova", response="hidden"', 'Authorization: ***'],
  ['Set-Cookie: a=hidden; b=hidden too', 'Set-Cookie: ***'],
  [`curl -H 'Proxy-Authorization: Bearer hidden' http://api/`, `curl -H 'Proxy-Authorization: ***' http://api/`],
  ['{"Authorization": "Bearer hidden", "Accept": "*/*"}', '{"Authorization": ***, "Accept": "*/*"}'],
  ['token: Bearer hidden for nova', 'token: ***'],
  ['auth=basic aGlkZGVu', 'auth=***'],
  ['cannot connect to mysql://u:hidden@h/db', 'cannot connect to mysql://***@h/db'],
  ['mysql://u:hid/den@h/db', 'mysql://***@h/db'],
  ['mysql+pymysql://u:p@ss/hidden@h/db?charset=utf8', 'mysql+pymysql://***@h/db?charset=utf8'],
  ['rabbit://u:hidden@h1:5672,u:hidden@h2:5672/', 'rabbit://***@h2:5672/'],
  ['see http://docs/ and mail a@b', 'see http://docs/ and mail a@b'],
  ['msg="login with password=hidden"', 'msg="login with password=***'],
  ['msg="reloaded nova" level=info', 'msg="reloaded nova" level=info'],
] as const) {
  test(`no possible secret in '${said}' is shown`, () => {
    assert.equal(redact(said), shown);
    assert.doesNotMatch(redact(said), /hidden|aGlkZGVu/);
  });
}

for (const piece of ['a', '://', '://@', 'a=', 'pwd :', `pwd='\\`]) {
  test(`a line of 10 MB of '${piece}' is scanned in linear time`, () => {
    const line = piece.repeat(10_000_000 / piece.length);
    assert.ok(redact(line).length > 0);
  });
}
