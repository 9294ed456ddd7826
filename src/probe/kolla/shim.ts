import { DOOR_FILE, DOOR_PATH } from './door-file.ts';
import { KOLLA_VARIABLES, type KollaName } from './variables.ts';

/** Where Kolla's own tools lie, which its sudoers name. */
export const BINARY = '/usr/local/bin/kolla-pod';

/**
 * The script that stands under one of Kolla's names in an image: no process but bash's own. Words and variables go as
 * counted bytes, so that none of them can end the request; nothing of theirs is evaluated.
 * @param binary what it becomes where nobody answers: a path, or a name for PATH to find
 */
export function shimFor(name: KollaName, binary: string = BINARY): string {
  const variables = KOLLA_VARIABLES[name].join(' ');
  return SHIM.replaceAll(/@(?<key>[A-Z]+)@/g, (_, key: string) => VALUES[key]?.({ name, binary, variables }) ?? '');
}

interface Parts {
  readonly name: KollaName;
  readonly binary: string;
  readonly variables: string;
}

const VALUES: Readonly<Record<string, (parts: Parts) => string>> = {
  NAME: ({ name }) => name,
  BINARY: ({ binary }) => `'${binary.replaceAll("'", String.raw`'\''`)}'`,
  VARIABLES: ({ variables }) => variables,
  FILE: () => DOOR_FILE,
  PATH: ({ name }) => `${DOOR_PATH}${name}`,
};

// In a compound command a redirection that fails is no reason to end, also in bash's POSIX mode.
const SHIM = String.raw`#!/bin/bash
# @NAME@, as Kolla's. Asks the resident kolla-probe of this pod, for which it starts no process; where that gives no
# answer it becomes kolla-pod, which answers itself. Made by kolla-pod shims.

word() { question+="$1${'$'}{#2}:$2,"; }

ask() {
  local LC_ALL=C IFS= file=${'$'}{KOLLA_PROBE_DOOR_FILE:-@FILE@} port= token= proof= question= line= reply= name
  [[ -f $file && -r $file ]] && { read -r port; read -r token; read -r proof; } < "$file"
  [[ $port =~ ^[0-9]{1,5}$ && $token$proof =~ ^[0-9a-f]{64}$ ]] || return
  word p $$
  for name in @VARIABLES@; do [[ ! -v $name ]] || word e "$name=${'$'}{!name}"; done
  for line; do word a "$line"; done
  {
    printf 'POST @PATH@ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' \
      "$token" "${'$'}{#question}" "$question" >&3 && read -r -t 0.8 -u 3 line || return
    # It is at it: its own deadline counts. Silence is short enough for the binary within the kubelet's second.
    [[ $line != 'HTTP/1.1 102 '* ]] || { read -r -t 1 -u 3 && read -r -t 30 -u 3 line; } || return
    read -r -t 1 -N 65536 -u 3 reply
  } 2> /dev/null 3<> "/dev/tcp/127.0.0.1/$port"
  case $line in 'HTTP/1.1 200 '*) code=0 ;; 'HTTP/1.1 503 '*) code=1 ;; *) return 1 ;; esac
  reply=${'$'}{reply#*$'\r\n\r\n'}
  [[ $reply =~ ^$proof\ ([0-9]{1,5})\ ([0-9]{1,5})$'\n' ]] || return
  reply=${'$'}{reply#*$'\n'}
  (( ${'$'}{#reply} == BASH_REMATCH[1] + BASH_REMATCH[2] )) || return
  out=${'$'}{reply:0:BASH_REMATCH[1]} why=${'$'}{reply:BASH_REMATCH[1]}
}

trap '' PIPE
if ask "$@"; then
  printf %s "$out"
  [[ -z $why ]] || printf '%s\n' "$why" >&2
  exit "$code"
fi
trap - PIPE
exec -a @NAME@ @BINARY@ "$@"
`;
