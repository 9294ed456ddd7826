import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkReason } from '../../src/net/dial/network-error.ts';

interface Fields {
  readonly message?: string;
  readonly address?: string;
  readonly port?: number;
  readonly path?: string;
  readonly hostname?: string;
}
const failed = (code: unknown, { message = 'what Node says', ...fields }: Fields = {}) =>
  Object.assign(new Error(message), { code, ...fields });

for (const [error, reason] of [
  [failed('ECONNREFUSED', { address: '127.0.0.1', port: 1 }), 'connection refused by 127.0.0.1:1 (ECONNREFUSED)'],
  [failed('ECONNREFUSED', { address: '::1', port: 1 }), 'connection refused by [::1]:1 (ECONNREFUSED)'],
  [failed('ECONNREFUSED', { address: '/run/x.sock' }), 'connection refused by /run/x.sock (ECONNREFUSED)'],
  [failed('ENOENT', { address: '/run/x.sock' }), '/run/x.sock does not exist'],
  [failed('ENOENT', { path: '/etc/x' }), '/etc/x does not exist'],
  [failed('ECONNRESET'), 'connection reset (ECONNRESET)'],
  [failed('ENOTFOUND', { hostname: 'nohost' }), 'cannot resolve nohost (ENOTFOUND)'],
  [failed('EAI_AGAIN', { hostname: 'nohost' }), 'cannot resolve nohost: no DNS server answers (EAI_AGAIN)'],
  [failed('CERT_HAS_EXPIRED'), 'its certificate or one of its CAs has expired: renew it, and have the server load it'],
  [
    failed('EPROTO', { message: 'x:SSL routines:ssl3_get_record:wrong version number:y' }),
    'the server does not speak TLS',
  ],
  [
    failed('EPROTO', { message: 'x:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:y' }),
    'TLS failed: sslv3 alert bad certificate',
  ],
  [
    failed('DEPTH_ZERO_SELF_SIGNED_CERT'),
    /^its certificate is not signed by a CA of this image's CA bundle; --ca-file/,
  ],
  [failed('ESTRANGE', { message: 'two\rlines' }), 'ESTRANGE: two lines'],
  [
    Object.assign(
      new AggregateError(['127.0.0.1', '::1'].map((address) => failed('ECONNREFUSED', { address, port: 9 }))),
      {
        code: 'ECONNREFUSED',
      },
    ),
    'connection refused by 127.0.0.1:9, [::1]:9 (ECONNREFUSED)',
  ],
  [new DOMException('aborted', 'TimeoutError'), /aborted$/],
] as const) {
  test(`${error.name} ${String((error as { code?: unknown }).code)} has the reason ${String(reason)}`, () => {
    const said = networkReason(error);
    if (reason instanceof RegExp) assert.match(said, reason);
    else assert.equal(said, reason);
  });
}
