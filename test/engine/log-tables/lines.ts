/** Damaged lines of all formats, by a seed. */
import { numbersFrom } from '../../support/random.ts';

/** What is in the files of all formats. */
export const COMMON = [
  '',
  ' indented',
  'Traceback (most recent call last):',
  '  File "x.py", line 1, in main',
  'ValueError: "bad" \\ value\t\u0001\u007f',
  'Grüße 漢字 😀',
  '2026-11-20 08:15:42.123 7 ERROR nova.api Traceback (most recent call last):',
  '2026-11-20 08:15:42.123 7 ERROR nova.api   File "x.py"',
  '2026-11-20 08:15:42.123 8 ERROR nova.api [instance: 1] other',
  '2026-11-20 08:15:42.123 7 ERROR nova.api [None req-1 - - - - - -] first',
  '2026-11-20 08:15:42.123 7 INFO nova.api',
  '2026-02-30 08:15:42.123 7 INFO nova.api impossible',
  '2026-10-25 02:30:00.5 7 INFO nova.api twice',
  '2026-10-25T02:30:00,5+01:00 zoned',
  '2026-10-25 02:30:60.999 UTC zoned',
  '2026-03-29 02:30:00 GMT skipped',
  '0026-03-29 02:30:00 +0530 old',
  '{"@timestamp":"2026-11-20T08:15:42.123Z","level":"info","n":-1.5e3,"o":{"a":[1,{"b":null}]},"msg":"a \\u00fc \\"q\\""}',
  '{"ts":1763626542.123456,"msg":"x","t":true}',
  `{"t":${'['.repeat(31)}1${']'.repeat(31)}}`,
  `{"t":${'['.repeat(32)}1${']'.repeat(32)}}`,
  'ts=2026-11-20T08:15:42.123Z caller=main.go level="info" msg="a \\" b" t=1763626542',
  'time="2026-11-20 08:15:42" level=info ts=1763626542123456789 =',
  'I1120 08:15:42.123456       7 main.go:1] klog',
  '2026/11/20 08:15:42.5 slashes',
  '[2026-11-20T08:15:42,123][INFO ] brackets',
  '[Fri Nov 20 08:15:42.123456 2026] ctime',
  'Fri Nov  6 08:15:42 2026 ctime',
  '<30>Nov 20 08:15:42 host prog[7]: bsd',
  'Feb 29 23:59:60 host prog: no year',
  '<30>1 2026-11-20T08:15:42.123Z lb1 keepalived 12 ID7 [x@1 a="b"] entering MASTER state',
];

const TIMES = /\d\d(?=\D|$)/g;

/** @param samples lines of the format */
export function textOf(samples: readonly string[], seed: number, most: number): Buffer {
  const pick = numbersFrom(seed);
  const from = <T>(all: readonly T[]) => all[pick(all.length)]!;
  const usual = pick(4) > 0;
  const pieces: Buffer[] = [];
  const count = 1 + pick(most);
  let processes = 1 + pick(8);
  if (pick(30) === 0) processes = 400;
  let line = from(samples);
  for (let i = 0; i < count; i++) {
    if (pick(4) > 0) line = pick(3) === 0 ? from(COMMON) : from(samples);
    let text = line;
    if (pick(2) === 0) text = text.replace(/\b7\b/, String(pick(processes)));
    if (pick(6) === 0) text = text.replace(TIMES, (digits) => (pick(5) === 0 ? String(10 + pick(50)) : digits));
    if (pick(200) === 0) text += from([' x', '"', '\\', 'ü', '\t']).repeat(1 + pick(70_000));
    const bytes = Buffer.from(text);
    pieces.push(usual && pick(8) > 0 ? bytes : damaged(bytes, pick));
    pieces.push(Buffer.from(pick(20) === 0 ? '\r\n' : '\n'));
  }
  return Buffer.concat(pieces);
}

/** Changes, removes, repeats or inserts some bytes, but adds no line. */
function damaged(line: Buffer, pick: (below: number) => number): Buffer {
  let bytes = line;
  for (let times = pick(4); times >= 0; times--) {
    const at = pick(bytes.length + 1);
    const end = Math.min(bytes.length, at + pick(12));
    const rest = [bytes.subarray(at), bytes.subarray(end), bytes.subarray(Math.max(0, at - pick(12)))][pick(3)]!;
    bytes = Buffer.concat([bytes.subarray(0, at), any(pick), rest]);
  }
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 10) bytes[i] = 11;
  return bytes;
}

const BYTES = Buffer.from(' "\\[]{}<>:.,+-|=/0123456789TZae\t\r');

function any(pick: (below: number) => number): Buffer {
  const bytes = Buffer.alloc(pick(3));
  for (let i = 0; i < bytes.length; i++) bytes[i] = pick(3) === 0 ? pick(256) : BYTES[pick(BYTES.length)]!;
  return bytes;
}
