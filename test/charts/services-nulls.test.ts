/**
 * Each default of each chart set to null: the objects are rendered without it, or Helm's message names the chart and the value. The
 * library's own defaults: null-values.test.ts.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { chartNames, CHARTS } from '../../build/charts.ts';
import { isMapping } from '../../src/core/mapping.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { fileLimit } from '../support/file-limit.ts';
import { rendering } from './support.ts';

// 1,400 renderings: four minutes of one processor.
fileLimit(40);

const skip = (await canRunHelm()) ?? false;

/** What a template writes for a value that is not there. */
const HOLE = /<nil>|%!|<no value>|\[null|null\]/;

function* pathsIn(values: object, path: readonly string[] = []): Generator<readonly string[]> {
  for (const [key, value] of Object.entries(values)) {
    yield [...path, key];
    if (isMapping(value)) yield* pathsIn(value, [...path, key]);
  }
}

describe('null in place of a default of a chart', { skip }, () => {
  for (const name of chartNames())
    test(`${name} renders without it, or names it`, async () => {
      await using chart = await rendering(name);
      const defaults = load(readFileSync(`${CHARTS}${name}/defaults.yaml`, 'utf8')) as object;
      for (const path of pathsIn(defaults)) {
        const values = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), null) as object;
        const outcome = await chart.render(values, ['--is-upgrade']).then(
          ({ all }) => ({ text: JSON.stringify(all) }),
          (error: Error) => ({ message: error.message }),
        );
        if ('text' in outcome) assert.doesNotMatch(outcome.text, HOLE, path.join('.'));
        else assert.match(outcome.message, new RegExp(`execution error at [^ ]*: ${name}: |at '/`), path.join('.'));
      }
    });
});
