import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setOsloOption } from '../../src/config/overlays/ini.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { keystoneTree, pythonOf } from '../cluster/keystone-tree.ts';
import { KEYS, randomOslo, SECTIONS } from '../config/overlays/random-oslo.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { oneOf, randomFrom } from '../support/random.ts';

/**
 * Prints the value that oslo.config has for every option in every file: a list per file, in the order of sections and
 * keys.
 */
const READ = `
import json, sys
from oslo_config import cfg
directory, count, sections, keys = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(','), sys.argv[4].split(',')
def read(name):
    conf = cfg.ConfigOpts()
    for section in sections:
        for key in keys:
            conf.register_opt(cfg.StrOpt(key), group=None if section == 'DEFAULT' else section)
    conf([], project='test', default_config_files=[name], default_config_dirs=[])
    return [getattr(conf if section == 'DEFAULT' else conf[section], key) for section in sections for key in keys]
print(json.dumps([[read('%s/%d.%s' % (directory, i, side)) for side in ('was', 'is')] for i in range(count)]))
`;

const FILES = 400;
const VALUES = ['10.0.0.3', 'fd00::3', '', ' a', '"b"', "'", 'x = y', '# c', '[d]', 'tcp://10.0.0.3:4567', 'é'];

describe('overlays in a file', { skip: (await canRunKeystone()) ?? false }, () => {
  test(`the real oslo.config reads the set value in ${FILES} files, and all others unchanged`, async () => {
    await using directory = await privateDirectory('oslo');
    await mkdir(join(directory.path, 'files'));
    const cases = [];
    for (let i = 0; i < FILES; i++) {
      const random = randomFrom(i + 1);
      const { text, section, key } = randomOslo(random);
      const setting = { section, key, value: oneOf(random, VALUES) };
      // oslo.config rejects options before the first section.
      const was = Buffer.from(`[DEFAULT]\n${text}`);
      const is = setOsloOption(was, setting);
      await writeFile(join(directory.path, `files/${i}.was`), was);
      await writeFile(join(directory.path, `files/${i}.is`), is);
      cases.push({ setting, is: is.toString() });
    }
    const python = await pythonOf(await keystoneTree());
    const args = ['-c', READ, join(directory.path, 'files'), String(FILES), SECTIONS.join(','), KEYS.join(',')];
    const read = JSON.parse(await must(python.command, args, { env: python.env })) as (string | null)[][][];
    for (const [i, { setting, is }] of cases.entries()) {
      const [before = [], after = []] = read[i] ?? [];
      const all = SECTIONS.flatMap((section) => KEYS.map((key) => ({ section, key })));
      assert.equal(after.length, all.length);
      for (const [n, { section, key }] of all.entries()) {
        const isSet = section === setting.section && key === setting.key;
        assert.equal(after[n], isSet ? setting.value : before[n], JSON.stringify({ i, section, key, is }));
        // The project's own parser gives the same result.
        assert.equal(osloOption(is, section, key) ?? null, after[n], JSON.stringify({ i, section, key, is }));
      }
    }
  });
});
