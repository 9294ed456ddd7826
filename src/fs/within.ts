/** Whether `path` is `directory` or below it, comparing names only. Both must have no `..` and no trailing slash. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
