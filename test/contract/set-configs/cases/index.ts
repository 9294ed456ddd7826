import type { Case } from '../play.ts';
import { CHECKS } from './check.ts';
import { DOCUMENTS } from './documents.ts';
import { FILES } from './files.ts';
import { RIGHTS } from './rights.ts';

/** Cases in which the result equals Kolla's: tree, exit code, log lines. */
export const CASES: readonly Case[] = [...FILES, ...DOCUMENTS, ...RIGHTS, ...CHECKS];
