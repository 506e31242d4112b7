/**
 * Mounts a receiver on AWS Lambda, behind a gateway, a function URL or a load balancer.
 *
 * @module
 */
import { X509Certificate } from 'node:crypto';
import type { ClientCertificate, Peer } from '../peer.ts';
import type { WebhookReceiver } from '../receiver.ts';

/** A proxy event of API Gateway (both formats), of a function URL, or of a load balancer; the part that is used. */
export interface ProxyEvent {
  readonly httpMethod?: string | undefined;
  readonly path?: string | undefined;
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly requestContext?: {
    readonly http?: { readonly method?: string | undefined; readonly sourceIp?: string | undefined } | undefined;
    readonly identity?:
      | { readonly sourceIp?: string | null | undefined; readonly clientCert?: GatewayCertificate | null | undefined }
      | undefined;
    readonly authentication?: { readonly clientCert?: GatewayCertificate | null | undefined } | null | undefined;
  };
}

/** A client certificate that the gateway has verified. */
export interface GatewayCertificate {
  readonly clientCertPem?: string | undefined;
  readonly subjectDN?: string | undefined;
}

/** The answer of a proxy integration. */
export interface ProxyResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * A handler for AWS Lambda behind a proxy integration. Without a `queue`, the function runs until the handler of the
 * event has ended.
 *
 * @example
 * export const handler = webhook(receive);
 */
export const webhook =
  (receive: WebhookReceiver) =>
  async (event: ProxyEvent): Promise<ProxyResult> => {
    const answer = await receive(toRequest(event), peerOf(event));
    return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };

const toRequest = (event: ProxyEvent): Request => {
  const method = event.requestContext?.http?.method ?? event.httpMethod ?? 'POST';
  const url = new URL((event.rawPath ?? event.path ?? '/').replace(/^\/+/, '/'), 'https://receiver.invalid');
  url.search = event.rawQueryString ?? '';
  const headers = new Headers();
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {}))
    for (const value of values ?? []) headers.append(name, value);
  for (const [name, value] of Object.entries(event.headers ?? {}))
    if (value !== undefined && !headers.has(name)) headers.set(name, value);
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers });
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  return new Request(url, { method, headers, body });
};

const peerOf = ({ requestContext }: ProxyEvent): Peer => {
  const { http, identity, authentication } = requestContext ?? {};
  const certificate = toCertificate(identity?.clientCert ?? authentication?.clientCert);
  return { address: http?.sourceIp ?? identity?.sourceIp ?? undefined, ...(certificate && { certificate }) };
};

const toCertificate = (shown: GatewayCertificate | null | undefined): ClientCertificate | undefined => {
  if (!shown?.clientCertPem) return undefined;
  const { fingerprint256 } = new X509Certificate(shown.clientCertPem);
  const commonName = /(?:^|,)\s*CN=([^,]+)/.exec(shown.subjectDN ?? '')?.[1];
  return { fingerprint256, ...(commonName !== undefined && { commonName }) };
};
