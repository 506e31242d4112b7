/**
 * Mounts a receiver on AWS Lambda, behind a gateway, a function URL or a load balancer.
 *
 * @module
 */
import { X509Certificate } from 'node:crypto';
import type { ClientCertificate, Peer } from '../peer.ts';
import type { WebhookReceiver } from '../receiver.ts';
import { buildRequest } from './build-request.ts';

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
  const query = event.rawQueryString ?? '';
  return buildRequest({
    method,
    // The gateway has taken the path apart: what it holds is no address of another host, and no query.
    target: `${(event.rawPath ?? event.path ?? '/').replaceAll('?', '%3F').replaceAll('#', '%23')}${query && `?${query}`}`,
    base: 'https://receiver.invalid',
    headers: headersOf(event),
    body: () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  });
};

/** All values where the gateway gives them; else the one of each. */
const headersOf = ({ multiValueHeaders, headers }: ProxyEvent): readonly (readonly [string, string])[] => {
  const several = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as const),
  );
  const known = new Set(several.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    value === undefined || known.has(name.toLowerCase()) ? [] : [[name, value] as const],
  );
  return [...several, ...single];
};

const peerOf = ({ requestContext }: ProxyEvent): Peer => {
  const { http, identity, authentication } = requestContext ?? {};
  const certificate = toCertificate(identity?.clientCert ?? authentication?.clientCert);
  return { address: http?.sourceIp ?? identity?.sourceIp ?? undefined, certificate };
};

const toCertificate = (shown: GatewayCertificate | null | undefined): ClientCertificate | undefined => {
  if (!shown?.clientCertPem) return undefined;
  const fingerprint256 = fingerprintOf(shown.clientCertPem);
  if (fingerprint256 === undefined) return undefined;
  const commonName = /(?:^|,)\s*CN=([^,]+)/.exec(shown.subjectDN ?? '')?.[1];
  return { fingerprint256, commonName };
};

/** `undefined` for what is no certificate: then none was shown. */
const fingerprintOf = (pem: string): string | undefined => {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return undefined;
  }
};
