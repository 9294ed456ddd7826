import { completePasswords } from '../../src/toolbox/passwords/complete.ts';

/** Writes a passwords.yml for all charts, as `kolla-pod passwords` does. @returns the password with a name */
export async function makePasswords(file: string): Promise<(name: string) => string> {
  const { all } = await completePasswords(file);
  return (name) => {
    const password = all[name];
    if (typeof password !== 'string') throw new Error(`${file} has no ${name}`);
    return password;
  };
}
