import type { Helper } from '../../cli/command.ts';
import type { Option } from '../../cli/option.ts';
import { aliasesOf, EVERYWHERE, positionsOf, quoted, type Position } from './model.ts';

/** A script for zsh: to be sourced after compinit, or kept as `_kolla-pod` in a directory of $fpath. */
export function zshCompletion(helpers: readonly Helper[]): string {
  const positions = positionsOf(helpers);
  const names = helpers.map(({ name }) => name).join(' ');
  const aliases = aliasesOf(helpers).map(
    ({ words, helper }) => `      ${words.join('|')}) helper=${helper}; shift words; (( CURRENT-- )) ;;`,
  );
  const commands = positions.filter(({ command }) => command !== '').map((p) => quoted(`${p.helper} ${p.command}`));
  return `#compdef ${names}
# zsh completion for kolla-pod and its helpers. In ~/.zshrc, after compinit: source <(kolla-pod completion zsh)
_kolla-pod() {
  local helper=\${words[1]:t} command=
  if [[ $helper == kolla-pod ]] && (( CURRENT > 2 )); then
    case $words[2] in
${aliases.join('\n')}
    esac
  fi
  if (( CURRENT > 2 )); then
    case "$helper $words[2]" in
      ${commands.join('|')}) command=$words[2]; shift words; (( CURRENT-- )) ;;
    esac
  fi
  # Another program's command line follows.
  local dashes=\${words[(i)--]}
  if (( dashes < CURRENT )); then
    words=("\${(@)words[dashes+1,-1]}"); (( CURRENT -= dashes )); _normal; return
  fi
  case "$helper $command" in
${positions.map(positionCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _kolla-pod ]]; then _kolla-pod "$@"; else compdef _kolla-pod ${names}; fi
`;
}

function positionCase({ helper, command, words, flags }: Position): string {
  const list = words.map(({ word, help }) => quoted(`${escaped(word)}:${help}`));
  const first = list.length === 0 ? '_files' : `{ local -a all=(${list.join(' ')}); _describe word all }`;
  const specs = [
    ...flags.map(flagSpec),
    ...EVERYWHERE.map(({ word, help }) => quoted(`${word}[${help}]`)),
    quoted(`*:word:${first}`),
  ];
  return `    ${quoted(`${helper} ${command}`)}) _arguments ${specs.join(' ')} ;;`;
}

function flagSpec(option: Option): string {
  const again = option.repeat ? '*' : '';
  const help = option.help.replaceAll(/[[\]\\:]/g, (c) => `\\${c}`);
  if (option.type === 'boolean') return quoted(`${again}--${option.flag}[${help}]`);
  const values = option.type === 'path' ? '_files' : option.values === undefined ? ' ' : `(${option.values.join(' ')})`;
  return quoted(`${again}--${option.flag}=[${help}]:${option.type}:${values}`);
}

function escaped(word: string): string {
  return word.replaceAll(':', '\\:');
}
