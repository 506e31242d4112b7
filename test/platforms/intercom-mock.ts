import { fileURLToPath } from 'node:url';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { adjustDescription } from './adjust-description.ts';

/** Intercom as its own description defines it, on loopback: it refuses whatever the description does not allow. */
export interface IntercomMock extends AsyncDisposable {
  readonly baseUrl: string;
  /** By the id that the description gives it, such as `ShowContact`. */
  readonly operation: (id: string) => DescribedOperation;
  /** The operation that a request is for; `undefined` when the description has none. */
  readonly operationFor: (request: { readonly method: string; readonly url: string }) => DescribedOperation | undefined;
}

export interface DescribedOperation {
  readonly id: string;
  /** The parameters that may stand in the address. */
  readonly query: readonly string[];
  /** The status of success. */
  readonly success: number;
  /** Every answer that the description writes out. */
  readonly answers: readonly DescribedAnswer[];
}

export interface DescribedAnswer {
  readonly status: number;
  /** The name of the example. */
  readonly example: string;
  readonly body: unknown;
}

export interface IntercomMockOptions {
  /**
   * Another server that is to answer in place of the description, and whose answers are checked as the requests are.
   * Nothing is refused then: the header `sl-violations` of an answer says what breaks the description.
   * @defaultValue none
   */
  readonly upstream?: string;
}

/**
 * Serves the description with Prism, which checks method, path, headers, credential and body of each request.
 * A request chooses its answer with `Prefer: code=404, example=...`, or `dynamic=true` for one made from the schema.
 */
export const startIntercomMock = async ({ upstream }: IntercomMockOptions = {}): Promise<IntercomMock> => {
  const described = (await getHttpOperationsFromSpec(descriptionFile)).map(adjustDescription);
  const server = createServer(described, {
    cors: false,
    components: { logger: createLogger('intercom', { enabled: false }) },
    config: {
      ...(upstream === undefined ? { isProxy: false } : { isProxy: true, upstream: new URL(upstream) }),
      errors: upstream === undefined,
      validateRequest: true,
      // Some written-out answers break the schemas next to them: addresses that are paths where a URI is asked for.
      validateResponse: upstream !== undefined,
      checkSecurity: true,
      upstreamProxy: undefined,
      mock: { dynamic: false, seed: 'intercom' },
    },
  });

  const operations = described.map(toOperation);

  return {
    baseUrl: await server.listen(0, '127.0.0.1'),
    operation: (id) => {
      const found = operations.find((operation) => operation.id === id);
      if (!found) throw new Error(`the description has no operation ${id}`);
      return found;
    },
    operationFor: ({ method, url }) => {
      const { pathname } = new URL(url);
      const candidates = described.filter(
        (operation) => operation.method === method.toLowerCase() && patternOf(operation.path).test(pathname),
      );
      // Of /contacts/search and /contacts/{id}, the first is meant.
      const meant = candidates.find(({ path }) => path === pathname) ?? candidates[0];
      return meant && operations[described.indexOf(meant)];
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
};

const descriptionFile = fileURLToPath(new URL('intercom/api.intercom.io-2.16.yaml', import.meta.url));

type Described = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

const toOperation = ({ iid, method, path, request, responses }: Described): DescribedOperation => ({
  id: iid ?? `${method} ${path}`,
  query: (request?.query ?? []).map(({ name }) => name),
  success: Math.min(...responses.map(({ code }) => Number(code))),
  answers: responses.flatMap(({ code, contents = [] }) =>
    contents.flatMap(({ mediaType, examples = [] }) =>
      mediaType !== 'application/json'
        ? []
        : examples.map((example) => ({
            status: Number(code),
            example: example.key,
            body: 'value' in example ? example.value : undefined,
          })),
    ),
  ),
});

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
