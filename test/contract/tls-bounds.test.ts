/** Servers of unusual or hostile records, and kolla-probe on both engines: it is done, or its deadline and limits end it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls';
import { privateDirectory } from '../../tools/directory.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { split } from '../engine/damaged/changes.ts';
import { DATA, HANDSHAKE, RecordLine, type Piece } from '../engine/damaged/records.ts';
import { CIPHER } from '../engine/damaged/sealed.ts';
import { listenTcp } from '../support/server.ts';
import { onBothEngines } from './tls-engines.ts';

const skip = (await canBuildCore()) ?? false;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('tls-bounds'));

const authority = makeAuthority('bounds');
const CA = join(path, 'ca.pem');
writeFileSync(CA, authority.certificate);
const { certificate, key } = authority.issue({ commonName: 'localhost', hosts: ['127.0.0.1'] });
const VERSIONS: Readonly<Record<string, SecureContextOptions>> = {
  'TLS 1.2': { maxVersion: 'TLSv1.2' },
  'TLS 1.3': { minVersion: 'TLSv1.3', ciphers: CIPHER },
};

/** Half of an answer in a record of its own. */
const [HALF, REST] = ['HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab', 'cd'];

interface Serving {
  readonly options: SecureContextOptions;
  /** What is sent instead of a record. */
  readonly pieces?: (piece: Piece) => readonly Piece[];
  readonly answer?: (socket: TLSSocket) => void;
}

/** A server of real TLS whose records may be replaced. */
async function serving({ options, pieces = (piece) => [piece], answer = halves }: Serving): Promise<number> {
  class Line extends RecordLine {
    protected override pieces(piece: Piece): readonly Piece[] {
      return pieces(piece);
    }
  }
  return await listening((raw) => {
    const line = new Line(raw);
    const secureContext = createSecureContext({ cert: certificate, key, ...options });
    const socket = new TLSSocket(line, { isServer: true, secureContext });
    socket.on('keylog', (logged: Buffer) => line.logged(logged.toString()));
    socket.on('error', () => {}).once('data', () => answer(socket));
  });
}

function halves(socket: TLSSocket): void {
  socket.write(HALF);
  socket.write(REST);
}

async function listening(serve: (socket: Socket) => void): Promise<number> {
  return stack.use(await listenTcp((socket) => serve(socket.on('error', () => {})))).port;
}

/** What both engines say of a GET. */
async function gets(port: number, words: readonly string[] = []): Promise<{ nodes: string; cores: string }> {
  return await onBothEngines(['http', `https://127.0.0.1:${port}/`, '--ca-file', CA, ...words]);
}

const HEALTHY = { nodes: '0', cores: '0' };

describe('TLS of unusual records', { skip }, () => {
  for (const [version, options] of Object.entries(VERSIONS)) {
    test(`${version}: records of one byte`, async () => {
      // The encrypted ones of TLS 1.2 cannot be split without its keys; the server itself sends those of the answer.
      const pieces = (piece: Piece) =>
        piece.type === HANDSHAKE && piece.content.length > 60 ? split(piece, 1) : [piece];
      const answer = (socket: TLSSocket) => Buffer.from(HALF + REST).forEach((byte) => socket.write(Buffer.of(byte)));
      assert.deepEqual(await gets(await serving({ options, pieces, answer })), HEALTHY);
    });

    test(`${version}: a chain of 60 KB, and one of more than the limits`, async () => {
      const bytes = Buffer.from(authority.certificate.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64').length + 3;
      const chainOf = (length: number) => certificate + authority.certificate.repeat(Math.floor(length / bytes));
      assert.deepEqual(await gets(await serving({ options: { ...options, cert: chainOf(60_000) } })), HEALTHY);
      // Node's limit is 100 KB, ours 64 KiB.
      const { nodes, cores } = await gets(await serving({ options: { ...options, cert: chainOf(110_000) } }));
      assert.match(nodes, /^1: .*: TLS failed: excessive message size$/);
      assert.equal(cores, nodes);
      const between = await gets(await serving({ options: { ...options, cert: chainOf(70_000) } }));
      assert.match(between.cores, /^1: .*: TLS failed: excessive message size$/);
    });
  }

  const update = (isAnswered: boolean): Piece => {
    return { type: HANDSHAKE, content: Buffer.from(`180000010${Number(isAnswered)}`, 'hex') };
  };

  test('TLS 1.3: new keys in the middle of an answer, also when ours are asked for', async () => {
    const options = VERSIONS['TLS 1.3']!;
    const pieces = (piece: Piece) => (piece.type === DATA ? [update(false), piece, update(true)] : [piece]);
    assert.deepEqual(await gets(await serving({ options, pieces })), HEALTHY);
  });

  test('TLS 1.3: new keys without end end with the deadline', async () => {
    const options = VERSIONS['TLS 1.3']!;
    const pieces = (piece: Piece) => (piece.type === DATA ? Array<Piece>(200).fill(update(false)) : [piece]);
    const answer = (socket: TLSSocket) => {
      const more = (error?: Error | null) => {
        if (!error && !socket.destroyed) socket.write(REST, (late) => setImmediate(more, late));
      };
      more();
    };
    const { nodes, cores } = await gets(await serving({ options, pieces, answer }), ['--timeout', '2s']);
    assert.match(nodes, /^1: .*: no response in 2s$/);
    assert.equal(cores, nodes);
  });

  test('TLS 1.2: a handshake anew is refused', async () => {
    const options = VERSIONS['TLS 1.2']!;
    const answer = (socket: TLSSocket) => {
      socket.write(HALF);
      socket.renegotiate({}, () => socket.write(REST));
    };
    const { cores } = await gets(await serving({ options, answer }));
    assert.match(cores, /^1: .*: TLS failed: no renegotiation$/);
  });
});

/** A record of the handshake. */
const record = (content: Buffer): Buffer => {
  const header = Buffer.from([HANDSHAKE, 3, 3, 0, 0]);
  header.writeUInt16BE(content.length, 3);
  return Buffer.concat([header, content]);
};

describe('TLS without an end', { skip }, () => {
  /** Sends the same bytes again and again. */
  const endless = (bytes: Buffer, everyMs: number) => (socket: Socket) => {
    const timer = setInterval(() => socket.write(bytes), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
  for (const [name, serve, expected] of [
    ['nothing', () => {}, /no response in 2s/],
    [
      'the beginning of a record',
      (socket: Socket) => void socket.write(Buffer.from('1603034000', 'hex')),
      /no response in 2s/,
    ],
    ['a record byte by byte', endless(Buffer.of(HANDSHAKE, 3, 3, 3), 20), /no response in 2s/],
    ['records of one byte', endless(record(Buffer.of(2)), 1), /TLS failed: excessive message size/],
    ['warnings', endless(Buffer.from('1503030002015a', 'hex'), 1), /TLS failed: too many warning alerts/],
    [
      'a message of 16 MB',
      (socket: Socket) => {
        socket.write(record(Buffer.from('02ffffff', 'hex')));
        endless(record(Buffer.alloc(16_000)), 1)(socket);
      },
      /TLS failed: excessive message size/,
    ],
  ] as const)
    test(name, async () => {
      const port = await listening(serve);
      for (const words of [
        ['http', `https://127.0.0.1:${port}/`],
        ['tls', `127.0.0.1:${port}`],
      ]) {
        const { nodes, cores } = await onBothEngines([...words, '--ca-file', CA, '--timeout', '2s']);
        assert.match(nodes, /^1: /);
        assert.match(cores, /^1: /);
        assert.match(cores, expected);
      }
    });
});
