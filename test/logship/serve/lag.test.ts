import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileLag, Lags } from '../../../src/logship/serve/lag.ts';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { destination, file } from './states.ts';

test('the age is that of the oldest unacknowledged byte', () => {
  const lag = new FileLag();
  lag.look(file({ bytes: 100, left: 100 }), 0);
  lag.look(file({ bytes: 250, left: 250 }), 1000);
  lag.look(file({ bytes: 250, left: 150 }), 2000);
  assert.equal(lag.age(3000), 2000, 'the first 100 are acknowledged: the others were first seen at 1000');
  lag.look(file({ bytes: 250, left: 0 }), 4000);
  assert.equal(lag.age(9000), 0);
});

test('with a steady flow of which the last two seconds are unacknowledged, the age does not grow', () => {
  const lag = new FileLag();
  for (let second = 1; second <= 300; second++) {
    lag.look(file({ bytes: second * 1000, left: Math.min(second, 2) * 1000 }), second * 1000);
    if (second > 2) assert.equal(lag.age(second * 1000), 1000);
  }
});

test('unread bytes count too', () => {
  const lag = new FileLag();
  lag.look(file({ unread: 50, left: 50 }), 0);
  assert.equal(lag.age(500), 500);
});

test('an hour of growth uses as much memory as a minute, and the age stays right', () => {
  const lag = new FileLag();
  for (let second = 0; second < 3600; second++) lag.look(file({ unread: second + 1, left: second + 1 }), second * 1000);
  assert.equal(lag.age(3_600_000), 3_600_000);
});

test('while nothing waits the files are not asked', () => {
  let asked = 0;
  const fileStates = () => {
    asked++;
    return [file({ bytes: 10, left: state.lagBytes }), file({ path: '/idle.log', bytes: 10 })];
  };
  let state = destination({ lagBytes: 10, fileStates });
  using lags = new Lags(() => [state]);
  lags.look(0);
  assert.equal(lags.ofFile(state.name, file().path, 1000), 1000);
  assert.equal(lags.ofFile(state.name, '/idle.log', 1000), 0);
  state = { ...state, lagBytes: 0 };
  for (let second = 1; second <= 5; second++) lags.look(second * 1000);
  assert.equal(asked, 1);
  assert.equal(lags.ofFile(state.name, file().path, 6000), 0);
});

test('a destination is quiet while lines wait and none is settled', () => {
  const fileStates = () => [file({ bytes: 10, left: 10 })];
  let state = destination({ lagBytes: 10, counts: { ...newCounts(), documents: 2 }, fileStates });
  using lags = new Lags(() => [state]);
  lags.look(0);
  lags.look(5000);
  assert.equal(lags.quiet(state.name, 8000), 8000);
  assert.equal(lags.ofFile(state.name, file().path, 8000), 8000);
  state = { ...state, counts: { ...newCounts(), documents: 2, already: 1 } };
  lags.look(9000);
  assert.equal(lags.quiet(state.name, 9500), 500);
  state = { ...state, lagBytes: 0 };
  lags.look(20_000);
  assert.equal(lags.quiet(state.name, 20_000), 0);
  assert.equal(lags.quiet('another', 20_000), 0);
});
