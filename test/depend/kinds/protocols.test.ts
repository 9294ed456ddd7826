import assert from 'node:assert/strict';
import { test } from 'node:test';
import { understandStart } from '../../../src/depend/kinds/amqp.ts';
import { understandVersion } from '../../../src/depend/kinds/memcached.ts';
import { understandGreeting } from '../../../src/depend/kinds/mysql.ts';
import type { Heard } from '../../../src/platform/exchange.ts';
import type { Verdict } from '../../../src/depend/verdict.ts';

type Case = readonly [name: string, bytes: Buffer, is: Verdict['is'], state: string];

/** Whole, it is understood; cut anywhere before, it is never understood as met. */
function understands(what: string, understand: (bytes: Buffer) => Heard<Verdict>, cases: readonly Case[]): void {
  for (const [name, bytes, is, state] of cases) {
    test(`${what}: ${name} is ${is}`, () => {
      for (let length = 0; length < bytes.length; length++) {
        const heard = understand(bytes.subarray(0, length));
        assert.ok(heard.more === true || heard.is.is !== 'met', `after ${length} bytes`);
      }
      assert.deepEqual(understand(bytes), { is: { is, state } });
    });
  }
}

const packet = (body: Buffer) => Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
const HTTP = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');

understands('MySQL', understandGreeting, [
  ['a greeting', packet(Buffer.from('\n8.0.36\0more')), 'met', 'greets as 8.0.36'],
  ["MariaDB's greeting", packet(Buffer.from('\n5.5.5-10.11.6-MariaDB\0more')), 'met', 'greets as 10.11.6-MariaDB'],
  [
    'a refusal',
    packet(Buffer.concat([Buffer.from([0xff, 0x10, 0x04]), Buffer.from('Too many connections')])),
    'pending',
    'error 1040: Too many connections',
  ],
  ['another protocol', HTTP, 'pending', 'what answers there is not MySQL'],
]);

const frame = (classId: number, methodId: number) => Buffer.from([1, 0, 0, 0, 0, 0, 4, 0, classId, 0, methodId]);

understands('AMQP', understandStart, [
  ['Connection.Start', frame(10, 10), 'met', 'speaks AMQP 0-9-1'],
  ['another method', frame(10, 50), 'pending', 'what answers there does not begin as AMQP does'],
  [
    'the header of another version',
    Buffer.from('AMQP\0\u0001\0\0', 'latin1'),
    'pending',
    'speaks another version of AMQP',
  ],
  ['another protocol', HTTP, 'pending', 'what answers there is not AMQP'],
]);

understands('memcached', understandVersion, [
  ['its version', Buffer.from('VERSION 1.6.18\r\n'), 'met', 'version 1.6.18'],
  ['an error', Buffer.from('ERROR\r\n'), 'pending', 'what answers there is not memcached'],
  ['another protocol', HTTP, 'pending', 'what answers there is not memcached'],
]);
