/** On every answer: nothing of the console is kept, framed, sniffed or loaded by another page. */
const protection: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** An answer of the console. */
export const answer = (
  body: string | ReadableStream<Uint8Array> | null,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response => new Response(body, { status, headers: { ...protection, ...headers } });

/** Data for the page or a command line. */
export const json = (value: object, status = 200): Response =>
  answer(JSON.stringify(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } });

/** The reason why nothing was done, as a stable word. */
export const refusal = (status: number, error: string): Response => json({ error }, status);
