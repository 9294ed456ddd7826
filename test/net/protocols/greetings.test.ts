import assert from 'node:assert/strict';
import { test } from 'node:test';
import { understandGreeting, understandStart, understandVersion } from '../../../src/net/protocols/greetings.ts';
import type { Understood } from '../../../src/net/dial/conversation.ts';
import type { Answer } from '../../../src/net/protocols/answer.ts';

type Case = readonly [name: string, bytes: Buffer, isGood: boolean, says: string];

/** A complete greeting is accepted, and a truncated one never is. */
function understands(what: string, understand: (bytes: Buffer) => Understood<Answer>, cases: readonly Case[]): void {
  for (const [name, bytes, isGood, says] of cases) {
    test(`${what}: ${name} is ${isGood ? 'good' : 'bad'}`, () => {
      for (let length = 0; length < bytes.length; length++) {
        const heard = understand(bytes.subarray(0, length));
        assert.ok(heard === undefined || !heard.is.isGood, `after ${length} bytes`);
      }
      assert.deepEqual(understand(bytes), { is: { isGood, says } });
    });
  }
}

const packet = (body: Buffer) => Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
const HTTP = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');

understands('MySQL', understandGreeting, [
  ['a greeting', packet(Buffer.from('\n8.0.36\0more')), true, 'greets as 8.0.36'],
  ["MariaDB's greeting", packet(Buffer.from('\n5.5.5-10.11.6-MariaDB\0more')), true, 'greets as 10.11.6-MariaDB'],
  [
    'a refusal',
    packet(Buffer.concat([Buffer.from([0xff, 0x10, 0x04]), Buffer.from('Too many connections')])),
    false,
    'error 1040: Too many connections',
  ],
  ['another protocol', HTTP, false, 'the server is not MySQL'],
]);

const frame = (classId: number, methodId: number) => Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, classId, 0, methodId]);

understands('AMQP', understandStart, [
  ['Connection.Start', frame(10, 10), true, 'speaks AMQP 0-9-1'],
  ['another method', frame(10, 50), false, 'the server does not speak AMQP'],
  ['the header of another version', Buffer.from('AMQP\0\u0001\0\0', 'latin1'), false, 'speaks another version of AMQP'],
  ['another protocol', HTTP, false, 'the server is not AMQP'],
]);

understands('memcached', understandVersion, [
  ['a version', Buffer.from('VERSION 1.6.18\r\n'), true, 'version 1.6.18'],
  [
    'an exceeded connection limit',
    Buffer.from('ERROR Too many open connections'),
    false,
    'it has reached its connection limit (its option -c)',
  ],
  ['an error', Buffer.from('ERROR\r\n'), false, 'the server is not memcached'],
  ['another protocol', HTTP, false, 'the server is not memcached'],
]);
