/** Whether this binary supports https; otherwise the image's curl is used (src/engine/curl-tls.ts). */
export const speaksTls: boolean = true;
