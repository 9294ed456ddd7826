import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files, packageVersion, stale, stated, VERSION_FORM } from '../../build/version.ts';

const OTHER = ['9.9.9', '10.0.0-rc.1'];

test('every file states the version of package.json', () => {
  assert.deepEqual([...stale(packageVersion()).keys()], []);
  assert.ok(stale('9.9.9').size > 30);
});

test('setting another version replaces every statement of the old one, and setting the old one restores every file', () => {
  const version = packageVersion();
  const escaped = version.replaceAll('.', String.raw`\\?\.`);
  // In package-lock.json other packages have versions of their own.
  const left = new RegExp(String.raw`^.*(?<![\d.])${escaped}(?![\d.]).*$`, 'gm');
  for (const [name, text] of files())
    for (const other of OTHER) {
      const changed = stated(text, other);
      if (name !== 'package-lock.json') assert.deepEqual(changed.match(left) ?? [], [], name);
      assert.equal(stated(changed, version), text, name);
    }
});

test('a version has three numbers, and may be an alpha, a beta or a release candidate', () => {
  for (const version of [packageVersion(), ...OTHER]) assert.match(version, VERSION_FORM);
  for (const wrong of ['1.0', 'v1.0.0', '1.0.0-core', '1.0.0 ', '']) assert.doesNotMatch(wrong, VERSION_FORM);
});
