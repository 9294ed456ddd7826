/** The charts' names in k8s/crds/openstacks.yaml, from the catalogue. */
import { UPGRADE_STAGES } from '../../src/catalog/index.ts';

const WIDTH = 120;

/** The CRD with the rule for a service without `chart`, and its message, updated. Error if it lacks one of them. */
export function withChartNames(crd: string): string {
  const names = UPGRADE_STAGES.flat().toSorted();
  const rule = `self.all(name, has(self[name].chart) || name in ['${names.join("', '")}'])`;
  const message = `a service without \`chart\` must be one of ${names.join(', ')}`;
  return folded(folded(crd, 'self.all(name, has(self[name].chart)', rule), 'a service without `chart`', message);
}

/** Replaces a folded block of YAML that starts with these words. */
function folded(crd: string, start: string, text: string): string {
  const lines = crd.split('\n');
  const first = lines.findIndex((line) => line.trimStart().startsWith(start));
  const indent = lines[first]?.search(/\S/) ?? 0;
  if (first === -1 || lines[first - 1]?.endsWith('>-') !== true)
    throw new Error(`the CRD has no folded block '${start}...'`);
  const count = lines.slice(first).findIndex((line) => line.search(/\S/) < indent);
  const wrapped = text.replaceAll(new RegExp(`(.{1,${WIDTH - indent}})(?: |$)`, 'g'), `${' '.repeat(indent)}$1\n`);
  return lines.toSpliced(first, count, ...wrapped.trimEnd().split('\n')).join('\n');
}
