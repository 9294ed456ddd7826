import { must } from './process.ts';

/** What runs print themselves. */
const PRINTED = [
  'docs/evidence',
  'docs/concepts/performance.md',
  'docs/reference/support.md',
  'docs/reference/tool-codes.md',
  'docs/images/status.png',
];

/** The commit of the work tree, and whether it has other changes than those of evidence. */
export async function commitNow(): Promise<string> {
  const head = (await must('git', ['rev-parse', '--short=12', 'HEAD'])).trim();
  const changed = await must('git', ['status', '--porcelain', '--', ...PRINTED.map((path) => `:!${path}`)]);
  return changed.trim() === '' ? head : `${head} with changes`;
}
