/**
 * Kolla's healthcheck names: its words and variables in, its stdout and exit codes out, and a reason on stderr besides.
 *
 *   name, argv, environment -> names.ts: one file a script -> KollaQuestion, or what is wrong with the words
 *   as a process:   runKolla() -> asked once under its deadline -> stdout, reason on stderr, exit 0 or 1
 *   as a shim:      shim.ts writes a bash script a name, which starts no process -> door-file.ts: port and token
 *                   -> words.ts: name, arguments and variables as counted bytes -> door.ts in the resident server -> the same
 *                   question, asked there -> 200 and 503 are the answer; for anything else the shim becomes the binary
 *
 * The server answers only what it sees as its asker does: a question about processes needs the asker's PID namespace, one
 * about files its mount namespace. What can fail: no server, another's token, a server that hangs; then the binary answers.
 */
export { isKollaName } from './names.ts';
export { KOLLA_NAMES, type KollaName } from './variables.ts';
export { openDoor } from './door.ts';
export { DOOR_FILE, readDoorFile, writeDoorFile } from './door-file.ts';
export { shimFor } from './shim.ts';
