import { replaceFile } from '../../fs/replace-file.ts';

/** Writes a file of the state folder as a whole: after a crash it is the old one or the new one. Rejects with the system's error. */
export async function replaceOwn(file: string, text: string): Promise<void> {
  await replaceFile(file, { content: Buffer.from(text), mode: 0o600, uid: -1, gid: -1 });
}
