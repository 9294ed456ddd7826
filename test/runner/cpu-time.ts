/**
 * Preloaded into each test file: at exit, writes the CPU time of the process and of the children it has reaped, so
 * that the runner's table separates CPU-bound files from waiting ones. `KOLLA_POD_TEST_CPU` is the directory to write
 * into.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpuTimeFile } from './cpu-time-file.ts';

/** Linux gives user space times in hundredths of a second on every architecture: USER_HZ. */
const TICKS_PER_SECOND = 100;
const directory = process.env['KOLLA_POD_TEST_CPU'];

if (directory !== undefined) {
  process.on('exit', () => {
    // The process name is in parentheses and may contain spaces. After it, fields 12 to 15 are utime, stime, cutime
    // and cstime.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ').slice(11, 15);
    const ticks = fields.reduce((sum, field) => sum + Number(field), 0);
    writeFileSync(cpuTimeFile(directory, process.argv[1]!), `${ticks / TICKS_PER_SECOND}`);
  });
}
