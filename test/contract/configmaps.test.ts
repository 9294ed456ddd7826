/** kolla-ansible's templates with a password in every possible place: no password may be in a ConfigMap. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'node:test';
import { judge } from '../../src/toolbox/configmaps/secrecy.ts';
import { canHaveKollaAnsible, rolesDirectory } from './kolla-ansible.ts';

const skip = (await canHaveKollaAnsible()) ?? false;

/** Variables that contain a secret. Others only have `password` in their names (`nova_keystone_password_length`). */
const SECRET = /^\s*\w*(?:_password|_secret|secret_key|_secret_key|_pass|private_key|_key_base64)\b/;
/** A word that no template contains. */
const VALUE = 'h1dden';
/** Passwords that contain the delimiters of other files' syntax. */
const AWKWARD = [',h1dden', ';h1dden', '<h1dden', '#h1dden', 'none,h1dden', '@h1dden', '/a/h1dden'];

/**
 * Rendered as by kolla-ansible, as far as secrets are concerned: statements become empty, values other than secrets
 * become a word.
 */
function rendered(template: string, secret: string): string {
  return template.replaceAll(/\{%[^]*?%\}|\{#[^]*?#\}/g, '').replaceAll(/\{\{([^]*?)\}\}/g, (_, expression: string) => {
    if (!SECRET.test(expression)) return 'word';
    return expression.includes('bcrypt') ? `$2b$12$${secret}` : secret;
  });
}

test('no template with a secret is a ConfigMap, and config.json without a secret is one', { skip }, async () => {
  const roles = await rolesDirectory();
  const shown: string[] = [];
  const count = { templates: 0, withSecrets: 0, documents: 0, secretDocuments: [] as string[] };
  for await (const path of glob('*/templates/**/*.j2', { cwd: roles })) {
    const template = await readFile(`${roles}/${path}`, 'utf8');
    const text = rendered(template, VALUE);
    const name = basename(path, '.j2');
    count.templates++;
    if (text.includes(VALUE)) count.withSecrets++;
    for (const secret of text.includes(VALUE) ? [VALUE, ...AWKWARD] : []) {
      const bytes = Buffer.from(rendered(template, secret));
      // World-readable: only its content decides.
      const file = { path: name, bytes, mode: 0o644, entries: [{ name, perm: 0o644 }] };
      if (!judge(file).isSecret) shown.push(`${path}: ${secret}`);
    }
    // Without its statements this is invalid JSON and cannot be judged.
    if (!name.endsWith('.json') || !isJson(text)) continue;
    count.documents++;
    // In the directory of a service this is config.json.
    const document = { path: 'config.json', bytes: Buffer.from(text), mode: 0o600, entries: [] };
    if (judge(document).isSecret && !text.includes(VALUE)) count.secretDocuments.push(path);
  }
  assert.deepEqual(shown, []);
  assert.ok(count.templates > 300 && count.withSecrets > 60 && count.documents > 100, JSON.stringify(count));
  assert.deepEqual(count.secretDocuments, []);
  console.log(`configmaps: ${count.templates} templates, ${count.withSecrets} with secrets, all of them Secrets`);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
