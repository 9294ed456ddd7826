/**
 * Giving back the disk that shipped lines take, because a pod has no logrotate and its volume has a limit.
 *
 *   what every destination's checkpoint on disk says (marks) -> range (whole blocks before the lowest mark, but not the
 *   first ones and not the last) -> reclaimer (the file at that path is still that content) -> punch (util-linux
 *   `fallocate --punch-hole --keep-size` on our own descriptor)
 *
 * The file keeps its size, and every byte its offset; what is given back reads as zeros. So no writer has to know, no position
 * moves, and a restart goes on as ever. Only what a checkpoint on disk calls acknowledged is given back: after a crash nothing
 * is read again that is gone. What can fail is said once, with its fix, and shipping goes on without.
 * mount: whether the log root's volume ends with its pod, in which case nobody else looks after it (--reclaim auto).
 */
export { startReclaiming, type Reclaiming } from './start.ts';
