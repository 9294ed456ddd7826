import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { versionFor } from '../../tools/debian-pins.ts';
import { mirrorIn } from '../../tools/debian-sources.ts';

describe('a pin', () => {
  test('is taken as it is while the suite has it', () => {
    assert.equal(versionFor('rabbitmq-server=4.3.6-1', ['4.3.7-1', '4.3.6-1'], 'sid'), '4.3.6-1');
  });

  test('that is gone is replaced by the newest of the same minor', () => {
    assert.equal(
      versionFor('mariadb-server=1:11.8.9+ds-4', ['1:11.8.11+ds-1', '1:11.8.10+ds-1'], 'sid'),
      '1:11.8.11+ds-1',
    );
  });

  test('of which the suite has only another minor is an error that names both', () => {
    const gone = /sid has rabbitmq-server 4\.4\.0-1, and no 4\.3 any more: the pin rabbitmq-server=4\.3\.6-1/;
    assert.throws(() => versionFor('rabbitmq-server=4.3.6-1', ['4.4.0-1'], 'sid'), gone);
    assert.throws(() => versionFor('rabbitmq-server=4.3.6-1', ['4.30.0-1'], 'sid'), /no 4\.3 any more/);
    assert.throws(() => versionFor('rabbitmq-server=4.3.6-1', [], 'sid'), /sid has no rabbitmq-server/);
  });
});

describe("the machine's mirror of Debian", () => {
  test('comes with the keyring of its own entry, in either format', () => {
    const other = 'Types: deb\nURIs: https://example.org/x\nSigned-By: /other.gpg\n';
    const debian = 'Types: deb\n# a comment\nURIs: http://mirror.example/debian\nSuites: bookworm\nSigned-By: /a.gpg\n';
    const expected = { uri: 'http://mirror.example/debian', keyring: '/a.gpg' };
    assert.deepEqual(mirrorIn([other, debian]), expected);
    assert.deepEqual(mirrorIn([`${other}\n${debian}\n${other}`]), expected);
    const lines =
      'deb [signed-by=/b.gpg] https://example.org/x x main\ndeb [arch=amd64 signed-by=/a.gpg] http://mirror.example/debian/ bookworm main\n';
    assert.deepEqual(mirrorIn([lines]), expected);
  });

  test('may name no keyring, and is not its security archive', () => {
    const security = 'deb http://mirror.example/debian-security x main\n';
    assert.deepEqual(mirrorIn([`${security}deb http://m.example/debian x main`]), {
      uri: 'http://m.example/debian',
      keyring: undefined,
    });
    assert.throws(() => mirrorIn([security]), /name no mirror of Debian/);
  });
});
