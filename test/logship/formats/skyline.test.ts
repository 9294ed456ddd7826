import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { documentOf } from './documents.ts';

const OPTIONS = {
  root: '/l',
  origin: { hostname: 'h', pod: undefined, namespace: undefined, node: undefined },
  zone: zoneTableNamed('UTC'),
  schema: 'ecs' as const,
  formats: [{ glob: '/**', format: 'skyline' as const }],
};
const TRACE = 'Traceback (most recent call last):\n  File "main.py", line 1, in login\nKeyError: \'user\'';

for (const [what, first, message] of [
  ['own log', '2026-11-20 08:15:42.123 | ERROR    | skyline_apiserver.main:login:12 - failed', 'failed'],
  ['gunicorn', '[2026-11-20 08:15:42 +0000].123 7 ERROR [-] Exception in worker', 'Exception in worker'],
] as const)
  test(`a traceback in Skyline's ${what} is error.stack_trace in ECS, and the first line is the message`, () => {
    using ecs = new FileFormat('/l/skyline/skyline.log', OPTIONS);
    const found = documentOf(ecs, `${first}\n${TRACE}`, 0) as Readonly<Record<string, unknown>>;
    assert.deepEqual([found['message'], found['error.stack_trace']], [message, TRACE]);
    const plain = documentOf(ecs, `${first}\n  more`, 0) as Readonly<Record<string, unknown>>;
    assert.deepEqual([plain['message'], plain['error.stack_trace']], [`${message}\n  more`, undefined]);
  });
