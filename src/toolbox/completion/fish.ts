import { sectionOf, type Helper } from '../../cli/command.ts';
import type { Option } from '../../cli/option.ts';
import { EVERYWHERE, positionsOf, type Position } from './model.ts';

/** A script for fish 3.1 or later. */
export function fishCompletion(helpers: readonly Helper[]): string {
  const positions = positionsOf(helpers);
  const pod = helpers.find(({ others }) => others !== undefined);
  const lines = positions.flatMap((position) => {
    const { helper } = position;
    const siblings = positions.filter((p) => p.helper === helper && p.command !== '').map((p) => p.command);
    const own = linesAt(helper, position, conditionOf(position, siblings));
    if (pod === undefined || helper === pod.name) return own;
    // The same completions after `kolla-pod probe`.
    const seen = `__fish_seen_subcommand_from ${sectionOf({ name: helper })} ${helper}`;
    return [...own, ...linesAt(pod.name, position, `${seen}; and ${conditionOf(position, siblings)}`)];
  });
  const others = (pod?.others ?? []).flatMap((other) => [sectionOf(other), other.name]);
  return [
    '# fish completion for kolla-pod and its helpers. In config.fish: kolla-pod completion fish | source',
    ...helpers.map(({ name }) => `complete -c ${name} -f`),
    ...lines.map((line) => line.replace('@OTHERS@', others.join(' '))),
    '',
  ].join('\n');
}

function conditionOf({ helper, command }: Position, siblings: readonly string[]): string {
  if (command !== '') return `__fish_seen_subcommand_from ${command}`;
  const taken = [...(helper === 'kolla-pod' ? ['@OTHERS@'] : []), ...siblings];
  return taken.length === 0 ? 'true' : `not __fish_seen_subcommand_from ${taken.join(' ')}`;
}

function linesAt(program: string, { words, flags }: Position, condition: string): string[] {
  const start = `complete -c ${program} -n ${quoted(condition)}`;
  return [
    ...words.map(({ word, help }) => `${start} -a ${quoted(word)} -d ${quoted(help)}`),
    ...flags.map((option) => `${start} ${flagPart(option)} -d ${quoted(option.help)}`),
    ...EVERYWHERE.map(({ word, help }) => `${start} -l ${word.slice(2)} -d ${quoted(help)}`),
  ];
}

function flagPart(option: Option): string {
  if (option.type === 'boolean') return `-l ${option.flag}`;
  if (option.type === 'path') return `-l ${option.flag} -r -F`;
  return option.values === undefined
    ? `-l ${option.flag} -x`
    : `-l ${option.flag} -x -a ${quoted(option.values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
