/**
 * What the checks that talk to one server over the network have in common.
 *
 *   HOST[:PORT] -> server.ts -> an address, its port the protocol's own unless given
 *   --user, --password-file -> login.ts -> a login, its file read anew at each question
 *   --tls, --ca-file ... -> tls.ts -> how to verify the server, or undefined for a talk in the clear
 *   address, login, TLS -> src/net/protocols/ -> what the server says of itself -> answered.ts -> verdict
 *
 * What can fail: UsageError before anything is asked. From then on every failure is a verdict with its reason, a file that can't
 * be read among them. Nothing here loads TLS, a file or a protocol before it is asked for: a TCP check must stay cheap.
 */
export { answered } from './answered.ts';
export { LOGIN_OPTIONS, checkLogin, requireUser, readLogin, type Login, type LoginValues } from './login.ts';
export { serverOf } from './server.ts';
export { TLS_OPTIONS, tlsOf } from './tls.ts';
