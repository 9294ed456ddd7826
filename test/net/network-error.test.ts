import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkReason } from '../../src/net/network-error.ts';

const failed = (code: unknown, message = 'what Node says') => Object.assign(new Error(message), { code });

for (const [error, reason] of [
  [failed('ECONNREFUSED'), 'ECONNREFUSED: nothing listens there'],
  [failed('ENOTFOUND'), 'ENOTFOUND: no such host name'],
  [failed('CERT_HAS_EXPIRED'), 'its certificate, or one that it is signed by, has expired'],
  [failed('EPROTO', 'x:SSL routines:ssl3_get_record:wrong version number:y'), 'what answers there does not speak TLS'],
  [
    failed('EPROTO', 'x:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:y'),
    'TLS failed: sslv3 alert bad certificate',
  ],
  [
    failed('DEPTH_ZERO_SELF_SIGNED_CERT'),
    /^its certificate is not signed by an authority that this image trusts; --ca-file/,
  ],
  [failed('ESTRANGE', 'two\rlines'), 'ESTRANGE: two lines'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED: nothing listens there'],
  [new DOMException('aborted', 'TimeoutError'), /aborted$/],
] as const) {
  test(`${error.name} ${String((error as { code?: unknown }).code)} is told in words of who runs a service`, () => {
    const said = networkReason(error);
    if (reason instanceof RegExp) assert.match(said, reason);
    else assert.equal(said, reason);
  });
}
