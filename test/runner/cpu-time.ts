/**
 * Loaded before each test file: when its process ends, writes what it and the processes that it waited for have cost, so that the
 * runner's table tells what works from what waits. `KOLLA_POD_TEST_CPU` is the directory to write into.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpuTimeFile } from './cpu-time-file.ts';

/** Linux gives user space times in hundredths of a second on every architecture: USER_HZ. */
const TICKS_PER_SECOND = 100;
const directory = process.env['KOLLA_POD_TEST_CPU'];

if (directory !== undefined) {
  process.on('exit', () => {
    // The name in it is in parentheses and may hold spaces. After it, fields 12 to 15 are utime, stime, cutime and cstime.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ').slice(11, 15);
    const ticks = fields.reduce((sum, field) => sum + Number(field), 0);
    writeFileSync(cpuTimeFile(directory, process.argv[1]!), `${ticks / TICKS_PER_SECOND}`);
  });
}
