/** Parses `docker run` commands of the documentation, so that they can run as plain processes without an engine. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

export interface DockerRun {
  readonly env: Readonly<Record<string, string>>;
  /** Paths on the host, by path in the container. */
  readonly volumes: ReadonlyMap<string, string>;
  readonly command: readonly string[];
}

/** The `docker run` command of docs/PAGE.md that has this argument, however its lines are broken. */
export async function documentedRun(page: string, word: string): Promise<DockerRun> {
  const text = await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const line = lines.find((each) => each.startsWith('docker run') && each.includes(word));
  assert.ok(line, `docs/${page}.md has no docker run with ${word}`);
  return dockerRun(line);
}

/** Parses the arguments of a `docker run`; an unknown one is an error. */
function dockerRun(line: string): DockerRun {
  const words = line.split(/\s+/).slice(2);
  const env: Record<string, string> = {};
  const volumes = new Map<string, string>();
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === 'IMAGE') return { env, volumes, command: words };
    if (word === '--rm') continue;
    const value = words.shift() ?? '';
    if (word === '-e') {
      const [name = '', ...rest] = value.split('=');
      env[name] = rest.join('=');
    } else if (word === '-v') {
      const [source = '', destination = ''] = value.split(':');
      volumes.set(destination, source);
    } else assert.equal(word, '--network');
  }
  throw new Error(`no IMAGE in: ${line}`);
}
