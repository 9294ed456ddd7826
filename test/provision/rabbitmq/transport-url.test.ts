import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTransportUrl } from '../../../src/provision/rabbitmq/transport-url.ts';

test('every host of a cluster is read, with one account', () => {
  assert.deepEqual(parseTransportUrl('rabbit://nova:pw@r-0:5671,nova:pw@[fd00::1],nova:pw@r-2/nova?ssl=1'), {
    hosts: [
      { host: 'r-0', port: 5671 },
      { host: 'fd00::1', port: 5672 },
      { host: 'r-2', port: 5672 },
    ],
    user: 'nova',
    password: 'pw',
    vhost: 'nova',
  });
});

test('components are percent-encoded', () => {
  const { user, password, vhost } = parseTransportUrl('rabbit://a%40b:p%3A%2Fw@r/a%2Fb');
  assert.deepEqual([user, password, vhost], ['a@b', 'p:/w', 'a/b']);
});

for (const url of ['rabbit://u:p@r', 'rabbit://u:p@r/', 'rabbit://u:p@r//', 'rabbit://u:p@r/%2F']) {
  test(`the virtual host of ${url} is /`, () => {
    assert.equal(parseTransportUrl(url).vhost, '/');
  });
}

for (const [url, says] of [
  ['mysql://u:hidden@r/v', /'mysql' is not RabbitMQ's scheme/],
  ['rabbit://r/v', /names no user/],
  ['rabbit://u@r/v', /no password/],
  ['rabbit://u:hid@den@r/v', /second @/],
  ['rabbit://u:hidden@r,v:hidden@s/v', /different users/],
  ['rabbit://u:hidden@/v', /no host/],
  ['rabbit://u:hidden@r:x/v', /'r:x' are not HOST/],
  ['rabbit://u:hidden/@r/v', /host and port are not HOST.* \/ \? , are written %2F %3F %2C/],
  ['rabbit://u:hidden?@r/v', /host and port are not HOST/],
  ['rabbit://u:hidden,x@r/v', /host and port are not HOST/],
  ['rabbit://u:hid%den@r/v', /% that is not part of %XX/],
  ['hidden', /not a URL/],
] as const) {
  test(`reports what is wrong with ${url} without its password`, () => {
    assert.throws(
      () => parseTransportUrl(url),
      (error: Error) => says.test(error.message) && !error.message.includes('hidden'),
    );
  });
}
