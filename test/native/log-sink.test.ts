/** The log shipper's way to its servers on kolla-core: the test files of the functions, run on it. */
import { test } from 'node:test';
import { canBuildCore } from '../cluster/core-binary.ts';
import { fileLimit } from '../support/file-limit.ts';
import { passesOnCore } from '../support/core-files.ts';

fileLimit(5);

const skip = (await canBuildCore()) ?? false;

for (const file of ['sink/server', 'sink/proxy-env', 'sink/backing-indices', 'setup/setup'])
  test(file, { skip }, async () => await passesOnCore(`logship/${file}`, '1'));
