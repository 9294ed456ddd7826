import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlderRelease, isReleaseName } from '../../src/core/release.ts';

test('releases are compared by year and number, also those that this version does not know, and tags', () => {
  for (const [older, newer] of [
    ['2025.2', '2026.1'],
    ['2026.1', '2026.2'],
    ['2024.2', '2031.1'],
    ['2026.1-ubuntu-noble', '2026.2'],
    ['2026.9', '2026.10'],
  ] as const) {
    assert.equal(isOlderRelease(older, newer), true, `${older}, ${newer}`);
    assert.equal(isOlderRelease(newer, older), false, `${newer}, ${older}`);
  }
  assert.equal(isOlderRelease('2026.1-ubuntu-noble', '2026.1-rocky-10'), false);
});

test('a name that is not a release of OpenStack is not older than any', () => {
  for (const name of ['main', '', '2026', '2026.1.5', '20261.1', 'v2026.1', undefined]) {
    assert.equal(isReleaseName(name), false, name);
    assert.equal(isOlderRelease(name, '2026.1'), false, name);
    assert.equal(isOlderRelease('2026.1', name), false, name);
  }
});
