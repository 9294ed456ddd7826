/**
 * Starts the service.
 *
 *   installs the configuration (as root, by sudo, or kolla-init before) -> CA certificates into the image's store -> one
 *   execve into the image's bash, which sources kolla_extend_start and executes the service
 *
 * Without root the store is a volume, filled before by kolla-init's prepareCaStore; and calls of sudo in scripts are
 * handled by sudo/.
 *
 * A failure before the execve exits with one line: 69 or 77 if the configuration is not installed, the code of
 * update-ca-certificates, 126 or 127 without bash. A failure after it exits with bash's code, or the service's: none of
 * our processes remains.
 */
export { areInBundle, bringsCaCertificates, checkCertificates } from '../ca/added.ts';
export { copyCaCertificates } from '../ca/certificates.ts';
export { caVolumes, checkCaStore, prepareCaStore } from '../ca/prepare.ts';
export { sourcesOf } from '../ca/store.ts';
export { privilegeOf, startFacts, ROOTLESS_RUN_COMMAND, RUN_COMMAND } from './privilege.ts';
export { becomeService } from './service.ts';
export { runUpdate } from '../ca/update.ts';
