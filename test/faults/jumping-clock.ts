/**
 * Preloaded into a program: its wall clock jumps back and forth by an hour, as when set by hand or by a bad NTP
 * server. Timers and performance.now() use the kernel's monotonic clock and are unaffected.
 */
const JUMP_MS = 3_600_000;
const EVERY_MS = 700;

const now = Date.now.bind(Date);
const began = performance.now();
Date.now = () => now() - (Math.floor((performance.now() - began) / EVERY_MS) % 2) * JUMP_MS;
