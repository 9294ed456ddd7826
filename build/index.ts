/**
 * How the binary is made (`node build/binary.ts`):
 *
 *   cmd/NAME.ts  -> bundle: one minified ASCII script a name (esbuild); its lazy imports stay lazy
 *   libraries.ts -> bundle: one script a library, for all names that import() it (docs/adr/0012-libraries-once.md)
 *               -> warm:   a V8 code cache of each, taken after its load path ran in the very node that will read it
 *   node of the lockfile -> base: stripped where `strip` is at hand, its ICU data trimmed to English
 *   base + sea-main.ts + bundles and caches as assets -> join (@yao-pkg/pkg) -> dist/kolla-pod, dist/bin/NAME
 *   core/ -> dist/kolla-core, to which most of Kolla's own names and dist/rootless-bin/sudo are links
 *               -> check: every name is run -> report: sizes, and the cost of starting
 *
 * Everything is made in a directory of its own beside its place, and renamed: two builds side by side don't meet, and an
 * interrupted one leaves the old binary. The same sources give the same file, byte for byte. What can fail: a name
 * without its cmd file, a package that is in no library, a bundle that does not load, a base that is not for this machine.
 */
export { buildBinary, type Built } from './make.ts';
export { ALL_NAMES, NAMES, ROOTLESS_NAMES } from './names.ts';
