import { AttemptFailedError } from '../core/errors.ts';
import type { HttpRequest } from './request.ts';

/** The facts of a request that brought no answer. */
export interface NetworkFailure {
  /** The system's name for it, such as `ECONNRESET`. */
  readonly networkCode: string | undefined;
  /** `not_sent` only where no byte can have left. */
  readonly outcome: 'not_sent' | 'unknown';
}

/**
 * Reads what `fetch` threw, whose nested causes hold the system's error. A connection that was never made sent
 * nothing; when several addresses were tried, this holds if it holds for each of them.
 */
export const networkFailureOf = (error: unknown): NetworkFailure => {
  const roots = rootsOf(error, 0);
  // undici's parser has no code for most of what it refuses.
  const code =
    roots.find((root) => typeof root.code === 'string')?.code ??
    roots.find(({ name }) => name === 'HTTPParserError')?.name;
  const wasNeverConnected = roots.length > 0 && roots.every(isBeforeConnection);
  return { networkCode: code, outcome: wasNeverConnected ? 'not_sent' : 'unknown' };
};

interface SystemError {
  readonly name?: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** A chain of causes may be a circle. */
const deepestCause = 8;

const rootsOf = (error: unknown, depth: number): SystemError[] => {
  if (typeof error !== 'object' || error === null || depth > deepestCause) return [];
  const { cause, errors } = error as SystemError;
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((each) => rootsOf(each, depth + 1));
  const deeper = rootsOf(cause, depth + 1);
  return deeper.length > 0 ? deeper : [error];
};

/** `EHOSTUNREACH` also ends connections that were open: then only the system call shows which. */
const isBeforeConnection = ({ code, syscall }: SystemError): boolean =>
  syscall === undefined
    ? code !== undefined && failuresBeforeConnection.has(code)
    : syscall === 'connect' || syscall.startsWith('getaddrinfo') || syscall.startsWith('query');

const failuresBeforeConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The error of a transport that got no complete answer. The foreign error may hold the request: its code is kept. */
export const networkError = ({ operation }: HttpRequest, error: unknown): AttemptFailedError => {
  const { networkCode, outcome } = networkFailureOf(error);
  const what =
    outcome === 'not_sent' ? 'no connection could be made' : 'the connection failed before the answer was complete';
  return new AttemptFailedError(
    `${operation}: ${what}${networkCode ? ` (${networkCode})` : ''}${addressAdvice(operation, networkCode)}`,
    {
      operation,
      reason: 'network',
      networkCode,
      outcome,
    },
  );
};

/** Returns the option to look at when nothing answers at its address: a text that follows the failure. */
export const addressAdvice = (operation: string, networkCode: string | undefined): string => {
  const advice = networkCode === undefined ? undefined : adviceOnCode[networkCode];
  return advice === undefined ? '' : `: ${advice} in ${operation.split('.')[0]}.baseUrl`;
};

const adviceOnCode: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host, check the name',
  ECONNREFUSED: 'nothing listens there, check host and port',
};
