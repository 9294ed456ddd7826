/** src/probe/kolla/curl/tls.ts without TLS: for https, kolla-core runs the image's curl. */
export const speaksTls: boolean = false;
