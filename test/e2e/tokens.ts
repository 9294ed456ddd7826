/** Tokens from Keystone at a local port, as its clients request them. */

/** The admin by its password, or whoever has an earlier token. */
export type Identity = { readonly password: string } | { readonly token: string };

export interface Issued {
  readonly status: number;
  /** Empty unless the status is 201. */
  readonly token: string;
  readonly body: string;
}

/** A password's hash takes a CPU for a third of a second, so that a test which asks often shows an earlier token. */
export async function issueToken(port: number, by: Identity): Promise<Issued> {
  const identity =
    'token' in by
      ? { methods: ['token'], token: { id: by.token } }
      : {
          methods: ['password'],
          password: { user: { name: 'admin', domain: { id: 'default' }, password: by.password } },
        };
  const reply = await fetch(`http://127.0.0.1:${port}/v3/auth/tokens`, {
    method: 'POST',
    // The next request would find a kept-alive connection closed: uWSGI answers one request per connection.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ auth: { identity } }),
  });
  return { status: reply.status, token: reply.headers.get('x-subject-token') ?? '', body: await reply.text() };
}
