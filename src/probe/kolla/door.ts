import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { firstBytes } from '../../cli/first-bytes.ts';
import { isLoopback } from '../../net/http/peer.ts';
import { DOOR_PATH, newToken } from './door-file.ts';
import { isKollaName, questionFor } from './names.ts';
import { askOnce, saidOf, WordsError, type KollaQuestion, type Said } from './question.ts';
import { Recent } from './recent.ts';
import { sharesWith } from './shares.ts';
import { askedOf, parseWords } from './words.ts';

/** Where the shims of a pod ask: `POST /kolla/NAME`, with the token of the door file. */
export interface Door {
  /** For the door file: who asks must know it. */
  readonly token: string;
  /** For the door file: by it who asked knows that it is we who answer. */
  readonly proof: string;
  /**
   * Answers one request whose path begins with `/kolla/`. Never rejects.
   *
   * 200 healthy, 503 unhealthy, each with what Kolla's script prints and the reason. Else the asker shall look for itself:
   * 400 and 413 for words that are none of a shim's, 401 another pod's token, 403 not from loopback, 404, 405, 501 for what
   * can't be seen from here. `102` comes first where the answer takes a while.
   */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface DoorOptions {
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
  /** How long an answer is good for the same question. */
  readonly keepMs?: number;
  readonly questionFor?: (name: string, argv: readonly string[], env: NodeJS.ProcessEnv) => KollaQuestion;
  readonly proc?: string;
}

const KEEP_MS = 1000;
const MOST_QUESTIONS = 64;
const MOST_BYTES = 131_072;
/** A shim takes a server that says nothing for 0.8 s for a dead one. */
const STILL_THERE_MS = 300;
/** A shim reads no more of the answer. */
const STDOUT_BYTES = 32_768;
const REASON_BYTES = 8192;

export function openDoor(options: DoorOptions): Door {
  const { signal, keepMs = KEEP_MS, proc } = options;
  const understand = options.questionFor ?? ((name, argv, env) => questionOf(name, argv, env));
  const [token, proof] = [newToken(), newToken()];
  const recent = new Recent<Said>(keepMs, MOST_QUESTIONS);
  // A question that is asked again knows where it found its answer.
  const questions = new Map<string, KollaQuestion>();

  function keep(key: string, question: KollaQuestion): void {
    questions.delete(key);
    questions.set(key, question);
    const [oldest] = questions.keys();
    if (questions.size > MOST_QUESTIONS && oldest !== undefined) questions.delete(oldest);
  }

  async function said(name: string, body: Buffer): Promise<Said | 400 | 501> {
    const asked = wordsOf(body);
    if (asked === undefined) return 400;
    try {
      const key = JSON.stringify([name, asked.argv, asked.env]);
      const question = questions.get(key) ?? understand(name, asked.argv, asked.env);
      keep(key, question);
      if (!(await sharesWith({ name, pid: asked.pid }, question.reach, proc))) return 501;
      const told = await recent.get(key, () => askOnce(question, signal));
      return told.isUnseen ? 501 : told;
    } catch (error) {
      if (error instanceof WordsError) return saidOf(name, error);
      throw error;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refusal(request, token);
    if (refused !== undefined) return end(response, refused);
    const body = await bodyOf(request);
    if (body === undefined) return end(response, 413);
    const stillThere = setTimeout(() => response.writeProcessing(), STILL_THERE_MS);
    try {
      const result = await said(nameIn(request), body);
      if (typeof result === 'number') end(response, result);
      else end(response, result.code === 0 ? 200 : 503, { ...result, proof });
    } finally {
      clearTimeout(stillThere);
    }
  }

  return { token, proof, answer: (request, response) => answer(request, response).catch(() => end(response, 500)) };
}

function questionOf(name: string, argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  if (!isKollaName(name)) throw new RangeError(`no name '${name}'`);
  return questionFor(name, argv, env);
}

function nameIn({ url = '' }: IncomingMessage): string {
  return url.slice(DOOR_PATH.length);
}

function refusal(request: IncomingMessage, token: string): number | undefined {
  if (!isLoopback(request.socket.remoteAddress)) return 403;
  if (!isKollaName(nameIn(request))) return 404;
  if (request.method !== 'POST') return 405;
  return isSame(request.headers.authorization, `Bearer ${token}`) ? undefined : 401;
}

function isSame(given: string | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Undefined for one that is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function wordsOf(body: Buffer): ReturnType<typeof askedOf> | undefined {
  try {
    return askedOf(parseWords(body));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The body: our proof, where the asker has shown its token; both lengths in bytes, a line break, stdout, the reason. Few
 * headers: bash reads them byte by byte.
 */
function end(
  response: ServerResponse,
  status: number,
  { proof = '-', stdout, stderr }: Partial<Said> & { readonly proof?: string } = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const out = Buffer.from(firstBytes(stdout ?? '', STDOUT_BYTES));
  const why = Buffer.from(firstBytes(stderr ?? '', REASON_BYTES));
  const body = Buffer.concat([Buffer.from(`${proof} ${out.length} ${why.length}\n`), out, why]);
  response.sendDate = false;
  response.writeHead(status, { connection: 'close', 'content-length': body.length });
  response.end(body);
}
