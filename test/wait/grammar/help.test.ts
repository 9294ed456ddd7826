import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from '../../../src/wait/kinds/index.ts';
import { WAIT_NOTES } from '../../../src/wait/grammar/help.ts';
import { parseDependency } from '../../../src/wait/index.ts';
import { runHelper } from '../../support/helper.ts';

const [waits, options] = WAIT_NOTES.map(({ rows }) => rows);

/** A term of the help with its placeholders replaced. */
function filled(term: string): string {
  return term
    .replace('WAIT', 'job/a')
    .replace('RESOURCE.GROUP', 'certificates.cert-manager.io')
    .replaceAll(/\[|\]/g, '')
    .replace('HOST:PORT', 'a:1')
    .replace('HOST', 'a')
    .replace('/PATH', '/a')
    .replace('NAME', 'a');
}

test('every wait of the help can be parsed', () => {
  for (const [term] of waits ?? []) assert.doesNotThrow(() => parseDependency(filled(term)), term);
});

test('every option of the help is accepted by its kinds', () => {
  const bases = ['job/a?', 'pod?', 'pod?label=a=b&', 'deployment/a?'];
  const isValid = (text: string) => {
    try {
      parseDependency(text);
      return true;
    } catch {
      return false;
    }
  };
  const value = (term: string) => term.replace('KEY=VALUE', 'a=b').replace('NAME', 'a').replace('ID', '1');
  for (const [term] of options ?? [])
    assert.ok(
      bases.some((base) => isValid(base + value(term))),
      term,
    );
});

test('the help names every kind of wait', () => {
  const text = (waits ?? []).flat().join(' ');
  for (const { word } of KINDS) assert.ok(text.includes(word), word);
});

test('kolla-init --help and its manual page contain the grammar', async () => {
  const [help, page] = await Promise.all([
    runHelper('kolla-init', ['--help'], { env: { COLUMNS: '100' } }),
    runHelper('kolla-pod', ['man', 'init']),
  ]);
  for (const [term] of waits ?? []) {
    assert.ok(help.stdout.includes(term), term);
    assert.ok(page.stdout.replaceAll('\\', '').includes(term), term);
  }
});
