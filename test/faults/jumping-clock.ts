/**
 * Imported before a program: its wall clock jumps back by an hour and forth again, over and over, as one does that is set
 * by hand or by a bad time server. Timers and performance.now() are the kernel's monotonic clock, and go on.
 */
const JUMP_MS = 3_600_000;
const EVERY_MS = 700;

const now = Date.now.bind(Date);
const began = performance.now();
Date.now = () => now() - (Math.floor((performance.now() - began) / EVERY_MS) % 2) * JUMP_MS;
