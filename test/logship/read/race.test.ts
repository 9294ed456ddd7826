import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, renameSync, truncateSync } from 'node:fs';
import { test } from 'node:test';
import { listed, type List, type Listing } from '../../../src/logship/read/listing.ts';
import { reading, type Reading, type ReadingOptions } from './reading.ts';

const FILE = 'a.log';
const LINES = 10;
const numbered = (to: number) => Array.from({ length: to }, (_, n) => `line ${n}`);

/**
 * A directory whose name sorts before FILE: files are opened in name order, so the warning about it is logged just before
 * FILE is opened.
 */
const FIRST = '0.log';

/** The log of a service, with its logrotate. */
class Service {
  readonly #path: (name?: string) => string;
  lines = 0;

  constructor(r: Reading) {
    this.#path = (name = FILE) => r.path(name);
  }

  append(): void {
    for (let n = 0; n < LINES; n++) appendFileSync(this.#path(), `line ${this.lines++}\n`);
  }

  /** Renames FILE.1 to FILE.2 and so on, FILE to FILE.1, and continues in a new file. */
  rename(): void {
    this.#moveOn();
    renameSync(this.#path(), this.#path(`${FILE}.1`));
    this.append();
  }

  /** Rotates by copytruncate instead: copies FILE to FILE.1, and truncates FILE. */
  copytruncate(): void {
    this.#moveOn();
    copyFileSync(this.#path(), this.#path(`${FILE}.1`));
    truncateSync(this.#path());
    this.append();
  }

  #moveOn(): void {
    for (let n = 9; n > 0; n--)
      if (existsSync(this.#path(`${FILE}.${n}`)))
        renameSync(this.#path(`${FILE}.${n}`), this.#path(`${FILE}.${n + 1}`));
  }
}

/** An action that runs once, when the test chooses. */
interface Race {
  act: () => void;
}

/**
 * A restart from a checkpoint after some rotations. Each line must be read once, in order, despite one more rotation
 * during the poll.
 */
async function raced(
  away: number,
  options: ReadingOptions,
  race: Race,
  how: (service: Service) => void,
): Promise<void> {
  await using r = await reading(options);
  mkdirSync(r.path(FIRST));
  const service = new Service(r);
  service.append();
  await r.poll();
  service.append();
  await r.restart();
  for (let n = 0; n < away; n++) service.rename();
  let times = 0;
  race.act = () => {
    if (times++ === 0) how(service);
  };
  for (let n = 0; n < 3; n++) await r.poll();
  assert.ok(times > 0, 'nothing happened during the poll');
  assert.deepEqual(r.lines, numbered(service.lines));
  assert.equal(new Set(r.ids).size, service.lines);
  assert.equal(r.counts.lostBytes, 0);
}

/** Runs the action when the reader logs this text. */
function atWords(race: Race, words: string): ReadingOptions {
  return { heard: (text) => void (text.includes(words) && race.act()) };
}

/** Runs the action during, or right after, the nth listing of the directory in a poll. */
function atListing(
  race: Race,
  { nth, isWithin }: { readonly nth: number; readonly isWithin: boolean },
): ReadingOptions {
  let listings = 0;
  const list: List = (directory, isWanted) => {
    const before = listed(directory, isWanted);
    if (race.act === nothing || ++listings !== nth) return before;
    race.act();
    return isWithin ? untouched(before, listed(directory, isWanted)) : before;
  };
  return { list };
}

const nothing = (): void => {};

/** Leaves out the files renamed meanwhile, because a listing during renames may miss files. */
function untouched(before: Listing, now: Listing): Listing {
  const inodes = new Map(before.map(({ name, stat }) => [name, stat.ino]));
  return now.filter(({ name, stat }) => inodes.get(name) === stat.ino);
}

const BEFORE_OPENING = `${FIRST} is not a file`;
const BEFORE_OPENING_ROTATED = 'was rotated unseen: reading';

for (const away of [0, 1, 2, 3]) {
  const whole = `after ${away} rotations: each line is read once`;

  for (const times of [1, 2])
    test(`a file renamed ${times} times before it is opened, ${whole}`, async () => {
      const race = { act: nothing };
      await raced(away, atWords(race, BEFORE_OPENING), race, (service) => {
        for (let n = 0; n < times; n++) service.rename();
      });
    });

  test(`a file copied and truncated before it is opened, ${whole}`, async () => {
    const race = { act: nothing };
    await raced(away, atWords(race, BEFORE_OPENING), race, (service) => service.copytruncate());
  });
}

for (const away of [1, 2, 3])
  for (const nth of [1, 2])
    for (const isWithin of [true, false])
      test(`a file renamed ${isWithin ? 'within' : 'after'} listing ${nth}, after ${away} rotations: each line is read once`, async () => {
        const race = { act: nothing };
        await raced(away, atListing(race, { nth, isWithin }), race, (service) => service.rename());
      });

for (const away of [2, 3])
  test(`a file renamed before a rotated one is opened, after ${away} rotations: each line is read once`, async () => {
    const race = { act: nothing };
    await raced(away, atWords(race, BEFORE_OPENING_ROTATED), race, (service) => service.rename());
  });

test('a new file renamed before it is opened: each line is read once', async () => {
  const race = { act: nothing };
  await using r = await reading(atWords(race, BEFORE_OPENING));
  await r.poll();
  const service = new Service(r);
  service.append();
  mkdirSync(r.path(FIRST));
  race.act = () => service.rename();
  for (let n = 0; n < 3; n++) await r.poll();
  assert.deepEqual(r.lines, numbered(2 * LINES));
});

for (const rotations of [0, 1])
  test(`on start a directory is listed as often for many files as for few, after ${rotations} rotations`, async () => {
    let listings = 0;
    const list: List = (...args) => {
      listings++;
      return listed(...args);
    };
    await using r = await reading({ list, patterns: ['*.log', 'more/*.log'] });
    mkdirSync(r.path('more'));
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const paths = numbers.flatMap((n) => [r.path(`${n}.log`), r.path(`more/${n}.log`)]);
    const append = () => {
      for (const path of paths) appendFileSync(path, `line of ${path}\n`);
    };
    append();
    await r.poll();
    append();
    await r.restart();
    if (rotations > 0) {
      for (const path of paths) renameSync(path, `${path}.1`);
      append();
    }
    listings = 0;
    await r.poll();
    assert.equal(r.lines.length, paths.length * (2 + rotations));
    assert.ok(listings <= 4, `${listings} listings of two directories`);
  });
