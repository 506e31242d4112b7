import type { FakeRequest } from './fake-request.ts';

/** A request, taken apart. */
export interface ParsedRequest {
  readonly request: FakeRequest;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text when it is none. */
  readonly json: unknown;
  /** The same as an object; empty when it is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body is a JSON object. */
  readonly isObject: boolean;
  /** Empty when there is none. */
  readonly credential: string;
}

/** Takes a request apart. Whether it is any good is decided elsewhere. */
export const parseRequest = (request: FakeRequest, credentialHeader: string): ParsedRequest => {
  const { url, body, headers } = request;
  const at = url.indexOf('?');
  const json = toJson(body);
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return {
    request,
    path: at === -1 ? url : url.slice(0, at),
    query: at === -1 ? {} : toQuery(new URLSearchParams(url.slice(at + 1))),
    json,
    // Just seen to be an object.
    body: isObject ? (json as Readonly<Record<string, unknown>>) : {},
    isObject,
    credential: credentialIn(headers[credentialHeader] ?? '', credentialHeader),
  };
};

/** A name that is repeated has its values with commas between them. */
const toQuery = (given: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...new Set(given.keys())].map((name) => [name, given.getAll(name).join(',')]));

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const credentialIn = (value: string, header: string): string =>
  header === 'authorization' ? (/^Bearer +(\S+)$/i.exec(value)?.[1] ?? '') : value;
