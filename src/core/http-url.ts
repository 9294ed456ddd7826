/** Whether the text is a complete http or https URL: with its scheme and host, and without placeholders. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/{}\s]+/.test(text) && !/[{}\s]/.test(text);
}
