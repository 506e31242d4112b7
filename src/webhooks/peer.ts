/** The other end of the connection, as the server knows it; adapters fill it in. */
export interface Peer {
  /** The address of the connection itself, never one from a header. */
  readonly address?: string | undefined;
  /** The certificate that the client showed, only when the server has verified it. */
  readonly certificate?: ClientCertificate | undefined;
}

/** A verified client certificate. */
export interface ClientCertificate {
  /** SHA-256 over the certificate, in hex, with or without colons. */
  readonly fingerprint256: string;
  /** The common name of its subject. */
  readonly commonName?: string | undefined;
}

/** A delivery before its body is believed. */
export interface DeliveryRequest {
  /** The address that the server was asked for. */
  readonly url: URL;
  readonly headers: Headers;
  /** The other end of the connection. */
  readonly peer: Peer;
  /** The workspace or org that it is for, if the receiver serves several. */
  readonly tenant: string | undefined;
}

/** The address of a request that no `Request` can hold: adapters give it to the receiver, which answers 400. */
export const malformedUrl = 'http://malformed-request.invalid/';
