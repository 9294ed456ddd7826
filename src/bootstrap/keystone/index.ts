/**
 * What a service needs in Keystone, by its API v3.
 *
 *   OS_* or clouds.yaml -> access -> a token, taken again when it ends (keystone.ts) -> users/, endpoints/: each reads what is
 *     there, plans what differs, and makes it so
 *
 * Waiting, and asking again after 5xx, is the client's (../client.ts). Refusals come with what to do: 401 and 403 end it (77);
 * 404 and 409 mean that somebody was faster, so that reading again tells.
 */
export { findAccess, type Access } from './access.ts';
export { endpointsPart, wantedServices } from './endpoints/index.ts';
export { Keystone } from './keystone.ts';
export { usersPart, wantedUsers } from './users/index.ts';
