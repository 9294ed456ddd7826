/**
 * Becoming the service.
 *
 *   who may put the configuration in place (root, sudo, kolla-init before us) -> CA certificates into the image's store ->
 *   one execve into the image's bash, which sources kolla_extend_start and becomes the service
 *
 * Without root the store is a volume, which prepareCaStore fills for kolla-init before any of this; and where scripts call
 * sudo, sudo/ answers.
 *
 * What fails before the execve ends us with one line: 69 or 77 when the configuration is not installed, the code of
 * update-ca-certificates, 126 or 127 without a bash. What fails after it ends with bash's code, or the service's: none of us
 * is left.
 */
export { areInBundle, bringsCaCertificates, checkCertificates } from '../ca/added.ts';
export { copyCaCertificates } from '../ca/certificates.ts';
export { caVolumes, checkCaStore, prepareCaStore } from '../ca/prepare.ts';
export { sourcesOf } from '../ca/store.ts';
export { privilegeOf, startFacts, ROOTLESS_RUN_COMMAND, RUN_COMMAND } from './privilege.ts';
export { becomeService } from './service.ts';
export { runUpdate } from '../ca/update.ts';
