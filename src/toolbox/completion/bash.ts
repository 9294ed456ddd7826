import type { Helper } from '../../cli/command.ts';
import type { Option } from '../../cli/option.ts';
import { aliasesOf, EVERYWHERE, positionsOf, quoted, type Position } from './model.ts';

/** A script for bash 4 or later; needs no bash-completion package. */
export function bashCompletion(helpers: readonly Helper[]): string {
  const positions = positionsOf(helpers);
  const aliases = aliasesOf(helpers).map(({ words, helper }) => `      ${words.join(' | ')}) helper=${helper} at=2 ;;`);
  const commands = positions.filter(({ command }) => command !== '').map((p) => quoted(`${p.helper} ${p.command}`));
  const values = positions.flatMap((position) => position.flags.flatMap((option) => valueCase(position, option)));
  return `# bash completion for kolla-pod and its helpers. In ~/.bashrc: source <(kolla-pod completion bash)
_kolla_pod() {
  local helper=\${COMP_WORDS[0]##*/} command= at=1 i
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $helper == kolla-pod ]] && ((COMP_CWORD > 1)); then
    case \${COMP_WORDS[1]} in
${aliases.join('\n')}
    esac
  fi
  if ((COMP_CWORD > at)); then
    case "$helper \${COMP_WORDS[at]}" in
      ${commands.join(' | ')}) command=\${COMP_WORDS[at]} ;;
    esac
  fi
  # Another program's command line follows.
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then COMPREPLY=($(compgen -c -f -- "$cur")); return; fi
  done
  # bash breaks --flag=value at the sign.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$helper $command $prev" in
${values.join('\n')}
  esac
  local words=
  case "$helper $command" in
${positions.map(wordCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _kolla_pod ${helpers.map(({ name }) => name).join(' ')}
`;
}

function wordCase({ helper, command, words, flags }: Position): string {
  const all = [
    ...words.map(({ word }) => word),
    ...flags.map(({ flag }) => `--${flag}`),
    ...EVERYWHERE.map((e) => e.word),
  ];
  return `    ${quoted(`${helper} ${command}`)}) words=${quoted(all.join(' '))} ;;`;
}

function valueCase({ helper, command }: Position, option: Option): string[] {
  const pattern = quoted(`${helper} ${command} --${option.flag}`);
  if (option.type === 'boolean') return [];
  if (option.type === 'path') return [`    ${pattern}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`];
  if (option.values === undefined) return [`    ${pattern}) return ;;`];
  return [`    ${pattern}) COMPREPLY=($(compgen -W ${quoted(option.values.join(' '))} -- "$cur")); return ;;`];
}
