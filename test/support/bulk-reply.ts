/** The reply of a server to a bulk request of which it has created each document. */
export function allCreated(body: string): string {
  const documents = body.match(/^\{"create":/gm) ?? [];
  return JSON.stringify({ errors: false, items: documents.map(() => ({ create: { status: 201 } })) });
}
