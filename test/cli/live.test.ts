import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { LiveRegion, type Room } from '../../src/cli/live.ts';

const TERMINAL = { isTerminal: true, color: false, width: 80 };

/** A minimal terminal for the region. As on a real one, lines that are too wide take more rows. */
class FakeScreen extends EventEmitter {
  columns: number;
  rows = 10;
  writes = 0;
  #lines: string[] = [''];
  #row = 0;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  write(text: string): void {
    this.writes++;
    // eslint-disable-next-line no-control-regex
    for (const [part] of text.matchAll(/\u001B\[\??\d*[A-Za-z]|[^]/g)) this.#take(part);
  }

  /** A terminal that becomes narrower wraps existing lines. */
  resize(columns: number): void {
    const cursorAtEnd = this.#row === this.#lines.length - 1;
    assert.ok(cursorAtEnd, 'the cursor stays below everything');
    this.columns = columns;
    this.#lines = this.#lines.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']);
    this.#row = this.#lines.length - 1;
    this.emit('resize');
  }

  get lines(): string[] {
    return this.#lines.slice(0, this.#row);
  }

  #take(part: string): void {
    // eslint-disable-next-line no-control-regex
    const [, count, letter] = /^\u001B\[(\??\d*)([A-Za-z])$/.exec(part) ?? [];
    const line = this.#lines[this.#row] ?? '';
    if (letter === 'A') this.#row = Math.max(0, this.#row - Number(count));
    else if (letter === 'K') this.#lines[this.#row] = line.slice(0, this.#column);
    else if (letter === 'J') this.#lines = [...this.#lines.slice(0, this.#row), ''];
    else if (letter !== undefined) assert.match(count ?? '', /^\?2026$/, `unknown: ${JSON.stringify(part)}`);
    else if (part === '\r') this.#column = 0;
    else if (part === '\n') {
      this.#row++;
      this.#column = 0;
      if (this.#row === this.#lines.length) this.#lines.push('');
    } else {
      this.#lines[this.#row] = line.slice(0, this.#column) + part + line.slice(this.#column + 1);
      this.#column++;
    }
  }

  #column = 0;
}

function region(columns = 40) {
  const screen = new FakeScreen(columns);
  return { screen, live: new LiveRegion(screen, TERMINAL) };
}

const lines =
  (...texts: readonly string[]) =>
  () =>
    texts.map((text) => ({ text }));

test('lines update in place, and log lines appear above them', () => {
  const { screen, live } = region();
  live.write('before\n');
  live.show(lines('a waiting', 'b waiting'));
  live.show(lines('a met', 'b waiting'));
  live.write('a warning\n');
  live.show(lines('a met', 'b met'));
  assert.deepEqual(screen.lines, ['before', 'a warning', 'a met', 'b met']);
});

test('each change is one write, and without a change nothing is written', () => {
  const { screen, live } = region();
  live.show(lines('a'));
  live.show(lines('b'));
  assert.equal(screen.writes, 2);
  live.show(lines('b'));
  assert.equal(screen.writes, 2);
});

test('a display with fewer lines erases the previous ones', () => {
  const { screen, live } = region();
  live.show(lines('a', 'b', 'c'));
  live.show(lines('c'));
  assert.deepEqual(screen.lines, ['c']);
});

test('long lines are truncated, so that no line takes two rows', () => {
  const { screen, live } = region(20);
  live.show(lines('a line that is longer than the screen'));
  assert.deepEqual(screen.lines, ['a line that is l...']);
});

test('a narrowed or widened terminal shows each line once', () => {
  const { screen, live } = region(40);
  live.write('above\n');
  live.show(lines('x'.repeat(35), 'y'.repeat(10)));
  screen.resize(20);
  assert.deepEqual(screen.lines, ['above', `${'x'.repeat(16)}...`, 'y'.repeat(10)]);
  screen.resize(60);
  assert.deepEqual(screen.lines, ['above', 'x'.repeat(35), 'y'.repeat(10)]);
});

test('the number of displayed rows leaves space for the cursor', () => {
  const { live } = region(40);
  const rooms: Room[] = [];
  live.show((room) => {
    rooms.push(room);
    return [];
  });
  assert.deepEqual(rooms, [{ columns: 39, lines: 8 }]);
});

test('on exit the lines stay, and a later resize draws nothing', () => {
  const { screen, live } = region();
  live.show(lines('done'));
  live.leave();
  live.write('after\n');
  const { writes } = screen;
  screen.resize(80);
  assert.equal(screen.writes, writes);
  assert.deepEqual(screen.lines, ['done', 'after']);
  assert.equal(screen.listenerCount('resize'), 0);
});

test('control characters in text from other programs do not reach the terminal', () => {
  const { screen, live } = region();
  live.show(lines('a\u001B[2Jb\nc'));
  assert.deepEqual(screen.lines, ['a [2Jb c']);
});

test('a terminal that reports no size, as of `docker run --tty` in a script, is taken for one of 80 columns', () => {
  const written: string[] = [];
  const live = new LiveRegion(
    { columns: 0, rows: 0, write: (text) => written.push(text), on: () => {}, off: () => {} },
    TERMINAL,
  );
  const rooms: Room[] = [];
  for (const text of ['mysql://db: connection refused', 'mysql://db: ready'])
    live.show((room) => {
      rooms.push(room);
      return [{ text }];
    });
  assert.deepEqual(rooms, [
    { columns: 79, lines: 22 },
    { columns: 79, lines: 22 },
  ]);
  assert.match(written[0] ?? '', /mysql:\/\/db: connection refused/);
  assert.ok(written[1]?.includes('\u001B[1Amysql://db: ready'), written[1]);
});
