import type { Helper } from '../../cli/command.ts';
import { aliasesOf, EVERYWHERE, positionsOf, type Position } from './model.ts';

/**
 * A script for tcsh. Its `complete` knows a word's number but not the command before it, so each completion asks a script
 * for sh, which tcsh keeps in a variable. That script is one line without single quotes and exclamation marks: tcsh
 * expands these in any quotes.
 */
export function tcshCompletion(helpers: readonly Helper[]): string {
  const names = helpers.map(({ name }) => name);
  return [
    '# tcsh completion for kolla-pod and its helpers. kolla-pod completion tcsh > ~/.kolla-pod.tcsh; in ~/.tcshrc: source ~/.kolla-pod.tcsh',
    `set _kolla_pod = '${scriptOf(helpers)}'`,
    ...names.map((name) => `complete ${name} 'p@*@\`sh -c "$_kolla_pod:q"\`@'`),
    '',
  ].join('\n');
}

function scriptOf(helpers: readonly Helper[]): string {
  const positions = positionsOf(helpers);
  const aliases = aliasesOf(helpers).map(({ words, helper }) => `${words.join('|')}) helper=${helper}; shift;;`);
  const commands = positions.filter(({ command }) => command !== '').map((p) => `"${p.helper} ${p.command}"`);
  return [
    'set -f',
    'line=$COMMAND_LINE',
    'set -- $line',
    'case "$line" in *" ") set -- "$@" "";; esac',
    'helper=${1##*/}',
    'shift',
    'files() { set +f; ls -dp -- "$cur"* 2>/dev/null; exit; }',
    `if [ "$helper" = kolla-pod ] && [ $# -gt 1 ]; then case "$1" in ${aliases.join(' ')} esac; fi`,
    'command= cur= prev= other=',
    `if [ $# -gt 1 ]; then case "$helper $1" in ${commands.join('|')}) command=$1;; esac; fi`,
    'for word do prev=$cur; cur=$word; [ "$prev" = -- ] && other=1; done',
    // Another program's command line follows.
    '[ -n "$other" ] && files',
    `case "$helper $command $prev" in ${positions.flatMap(valueCases).join(' ')} esac`,
    `case "$helper $command" in ${positions.map(wordCase).join(' ')} esac`,
  ].join('; ');
}

function valueCases({ helper, command, flags }: Position): string[] {
  const at = (option: { readonly flag: string }) => `"${helper} ${command} --${option.flag}"`;
  const valued = flags.filter(({ type }) => type !== 'boolean');
  const [paths, others] = [valued.filter(({ type }) => type === 'path'), valued.filter(({ type }) => type !== 'path')];
  const free = others.filter(({ values }) => values === undefined);
  return [
    ...(paths.length === 0 ? [] : [`${paths.map(at).join('|')}) files;;`]),
    ...(free.length === 0 ? [] : [`${free.map(at).join('|')}) exit;;`]),
    ...others.flatMap((option) =>
      option.values === undefined ? [] : [`${at(option)}) echo "${option.values.join(' ')}"; exit;;`],
    ),
  ];
}

function wordCase({ helper, command, words, flags }: Position): string {
  const all = [...flags.map(({ flag }) => `--${flag}`), ...EVERYWHERE.map(({ word }) => word)];
  const operands = words.length === 0 ? 'files' : `echo "${words.map(({ word }) => word).join(' ')}"`;
  return `"${helper} ${command}") case "$cur" in -*) echo "${all.join(' ')}";; *) ${operands};; esac;;`;
}
