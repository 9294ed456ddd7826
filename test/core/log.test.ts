import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Fields, type LogOptions } from '../../src/core/log.ts';

function logged(options: Partial<LogOptions>, say: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const terminal = { isTerminal: false, color: false, width: 80 };
  const write = (line: string) => void (text += line);
  const now = () => new Date('2026-11-21T03:00:00.123Z');
  say(createLog({ helper: 'kolla-x', level: 'info', format: 'json', terminal, write, now, ...options }));
  return text;
}

const json = (fields: Fields) => JSON.parse(logged({}, (log) => log.info('hello', fields))) as Record<string, unknown>;

test('a JSON line starts with time, level, helper and msg', () => {
  const line = logged({}, (log) => log.warn('hello', { port: 5 }));
  assert.equal(line, '{"time":"2026-11-21T03:00:00.123Z","level":"warn","helper":"kolla-x","msg":"hello","port":5}\n');
});

test('a field cannot replace our own', () => {
  assert.equal(json({ level: 'fatal', msg: 'other' })['level'], 'info');
  assert.equal(json({ msg: 'other' })['msg'], 'hello');
});

test('errors, big integers and cycles in fields do not break the log', () => {
  const circle: Record<string, unknown> = {};
  circle['me'] = circle;
  assert.equal(json({ cause: new Error('why') })['cause'], 'why');
  assert.equal(json({ size: 5n })['size'], '5');
  assert.equal(json({ circle })['msg'], 'hello');
});

test('lines below the level are left out', () => {
  const text = logged({ level: 'warn', format: 'text' }, (log) => {
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
  });
  assert.deepEqual(text.match(/\b[abcd]$/gm), ['c', 'd']);
});

test('a readable line has the time of day, the message and the fields', () => {
  const text = logged({ format: 'text' }, (log) => log.with({ pod: 'k-0' }).info('hello', { reason: 'two words' }));
  assert.equal(text, '03:00:00.123 info  hello pod=k-0 reason="two words"\n');
});

test('text from other programs cannot control the terminal', () => {
  const text = logged({ format: 'text' }, (log) => log.error('bad \u001B[2J\u009B server', { by: '\u0007x' }));
  assert.doesNotMatch(text, /(?!\n)\p{Cc}/u);
  assert.match(text, /bad \\u001b\[2J/);
});
