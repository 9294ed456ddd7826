import { oneOf, randomFrom } from '../../support/random.ts';

const WORDS = [
  'x',
  ' ',
  '"',
  '\\',
  '\t',
  '\0',
  '\r',
  'é',
  '日本',
  '😀',
  '\u2028',
  '\x7f',
  ']',
  '[',
  '-',
  'req-',
  'None',
  '7',
];
const CONTEXTS = [
  '',
  '[-] ',
  '[] ',
  '[-',
  '[req-1 ',
  '[None ',
  '[instance: 1f] ',
  '[None req-1 - - - - - -] ',
  '[None req-1 a b c d e f]',
  '[req-1 req-2 é b c d e f] ',
  '[req-1 req- a b c d e f] ',
  '[None req-1 a"b b c d e f] ',
  '[None req-1 a b c d e f]x] y ',
  '[req-"1 req-2 a b c d e f] ',
  '[None req-1 a b c d e ] ',
  '[Nonex req-1 a b c d e f] ',
  '[None req-1 a]b b c d e f] ',
];
const TIMES = [
  '2026-11-20 08:15:42.123',
  '2026-11-20 08:15:42,999',
  '2026-11-20 08:16:00.000',
  '2026-11-20 08:15:60.001',
  '2026-11-20T08:15:42.123',
  '2026-11-20 08:15:42',
  '2026-11-20 08:15:42.123456',
  '2026-02-30 08:15:42.123',
  '0000-01-01 00:00:00.000',
  '9999-12-31 23:59:59.999',
  '2026-11-20 08:15:42.',
  '2026-11-20 08:15:42.123Z',
  '2026-11-20 08:15:42.123+02:00',
  '2026-11-20 08:15:42.123 +0200',
  '2026-11-20 08:15:42.123 UTC',
  '2026-10-25 02:15:42.123',
  '2026-10-25 02:45:42.123',
  '2026-03-29 02:15:42.123',
  '2026-11-20 08:15:4x.123',
];
const LEVELS = ['INFO', 'ERROR', 'TRACE', 'DEBUG', 'WARNING', 'info', ''];
const MODULES = ['nova.api', 'n', 'é', 'a"b', '[x]', ''];
const PIDS = ['7', '8', '9', '1234567890123', '', '4294967299', 'x7'];

/** Lines in oslo.log's format, many of them unusual, and an unfinished one. The same seed gives the same bytes. */
export function hostileLog(count: number, seed: number): Buffer {
  const next = randomFrom(seed);
  const random = (below: number) => Math.floor(next() * below);
  const pick = <T>(values: readonly T[], likely = 2): T => (random(3) < likely ? values[0]! : oneOf(next, values));
  const hostile = () => Array.from({ length: random(12) }, () => pick(WORDS, 1)).join('');
  const text = () => (random(2) === 0 ? hostile() : 'started "é" \\ in 3 s');
  const lines: Buffer[] = [];
  for (let nth = 0; nth < count; nth++) {
    const line = `${pick(TIMES)} ${PIDS[random(3)] ?? ''}${random(20) === 0 ? pick(PIDS, 0) : ''} ${pick(LEVELS, 1)} ${pick(MODULES)} ${pick(CONTEXTS, 0)}${text()}`;
    const whole = [line, `  at ${text()}`, line.slice(0, random(40)), ''][random(20)] ?? line;
    lines.push(Buffer.from(`${whole}${random(9) === 0 ? '\r' : ''}\n`));
    // Invalid UTF-8 makes the whole chunk become strings, so only the last lines contain it.
    if (nth > count * 0.8 && random(200) === 0) lines.push(Buffer.from([...Buffer.from(line), 0xc3, 0x28, 0xff, 10]));
  }
  lines.push(Buffer.from('2026-11-20 08:15:42.123 7 INFO nova [-] unfinished'));
  return Buffer.concat(lines);
}
