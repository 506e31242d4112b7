import { maskPersonalData, maskSecrets } from '../../observability/redact.ts';
import type { Tell } from '../../observability/teller.ts';
import type { Middleware } from '../request.ts';

/** The version that every request is pinned to. */
export interface PinnedVersion {
  readonly version: string;
  /** The header that carries it, in lower case; without one it stands in the path. */
  readonly header?: string;
}

/**
 * Pins the API's version, and warns once per operation when the API answers in another one or announces its end
 * (`Deprecation`, RFC 9745; `Sunset`, RFC 8594).
 */
export const pinVersion = (pinned: PinnedVersion, tell: Tell): Middleware => {
  let warned: Set<string> | undefined;
  return async (request, next) => {
    const response = await next(
      pinned.header ? { ...request, headers: { ...request.headers, [pinned.header]: pinned.version } } : request,
    );
    const echoed = pinned.header ? response.headers.get(pinned.header) : undefined;
    const answered = echoed === pinned.version ? undefined : echoed;
    const deprecation = response.headers.get('deprecation');
    const sunset = response.headers.get('sunset');
    const isWorthAWarning = answered !== undefined || deprecation !== undefined || sunset !== undefined;
    if (!isWorthAWarning || warned?.has(request.operation)) return response;
    (warned ??= new Set()).add(request.operation);
    const shown = (header: string) => safeHeader(header, request.progress.credential?.secrets ?? []);
    tell({
      type: 'version-warning',
      operation: request.operation,
      pinned: pinned.version,
      ...(request.plan.callId === undefined ? {} : { callId: request.plan.callId }),
      ...(answered === undefined ? {} : { answered: shown(answered) }),
      ...(deprecation === undefined ? {} : { deprecation: shown(deprecation) }),
      ...(sunset === undefined ? {} : { sunset: shown(sunset) }),
    });
    return response;
  };
};

const longestHeader = 100;

/** The API's own words, bounded, without what it may have repeated of the request. */
const safeHeader = (value: string, secrets: readonly string[]): string =>
  maskPersonalData(maskSecrets(value, secrets)).slice(0, longestHeader);
