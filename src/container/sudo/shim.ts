import { PRIVSEP, ROOTWRAP_NAME } from './decide.ts';
import { KEPT_NAMES, SECURE_PATH } from './environment.ts';

/**
 * `rootless-bin/sudo`: bash itself runs a rootwrap, and the binary, which lies one directory up, answers everything else. Cinder
 * limits the address space of what it calls to 1 GiB (`image_conversion_address_space_limit`), in which Node does not start.
 * What bash does here is what decide and environmentOf say of the same words.
 */
export const SUDO_SHIM = `#!/bin/bash
# sudo of kolla-pod, for containers without root. A service's rootwrap runs as the user that runs already: by this script, because
# services call it with less address space than kolla-pod needs. kolla-pod answers everything else.

if [[ \${1-} =~ ^(/[^=]*/)?${ROOTWRAP_NAME}$ && \${3##*/} != ${PRIVSEP} ]]; then
  name=$EUID group=$(id -g) home=/ shell=/bin/sh kept=()
  [[ ! -r /etc/passwd ]] || while IFS=: read -r user _ uid _ _ folder program; do
    [[ $uid != "$EUID" ]] || { name=$user home=$folder shell=\${program:-/bin/sh}; break; }
  done < /etc/passwd
  for variable in $(compgen -e); do
    [[ ! $variable =~ ^(${KEPT_NAMES})$ ]] || kept+=("$variable=\${!variable}")
  done
  exec env -i "\${kept[@]}" HOME="$home" SHELL="$shell" LOGNAME="$name" USER="$name" PATH=${SECURE_PATH} \\
    SUDO_USER="$name" SUDO_UID="$EUID" SUDO_GID="$group" "$@"
fi
exec -a sudo "$(dirname "$(readlink -f "$0")")/../kolla-pod" "$@"
`;
