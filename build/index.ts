/**
 * Builds the binary (`node build/binary.ts`):
 *
 *   cmd/NAME.ts  -> bundle: one minified ASCII script per command (esbuild); its lazy imports stay lazy
 *   libraries.ts -> bundle: one script per library, shared by all commands that import() it (docs/adr/0012-libraries-once.md)
 *               -> warm:   a V8 code cache of each, created after its load path ran in the node that will read it
 *   node of the lockfile -> base: stripped if `strip` is available, its ICU data reduced to English
 *   base + sea-main.ts + bundles and caches as assets -> join (@yao-pkg/pkg) -> dist/kolla-pod, dist/bin/NAME
 *   core/ -> dist/kolla-core, with links for most of Kolla's own commands and for dist/rootless-bin/sudo
 *               -> check: runs every command -> report: sizes and start-up cost
 *
 * Everything is built in a temporary directory and renamed into place: concurrent builds do not interfere, and an
 * interrupted one leaves the old binary. Builds are reproducible byte for byte. What can fail: a command without its cmd
 * file, a package in no library, a bundle that does not load, a base for another machine.
 */
export { buildBinary, type Built } from './make.ts';
export { ALL_NAMES, NAMES, ROOTLESS_NAMES } from './names.ts';
