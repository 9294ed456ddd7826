/** What is wrong with a chain of certificates, by OpenSSL's codes. */
const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/** Whether a connection failed because nobody whom we trust has signed the other side's certificate. */
export function isUntrusted({ code }: NodeJS.ErrnoException): boolean {
  return code !== undefined && UNKNOWN_AUTHORITY.has(code);
}

/** The same error in the words of who runs a cluster: Node's own advise options of Node. Other errors as they are. */
export function explainTls(error: NodeJS.ErrnoException): Error {
  if (!isUntrusted(error)) return error;
  const message = "the API server's certificate is not signed by the CA that our credentials name";
  return new Error(`${message} (${error.code})`, { cause: error });
}
