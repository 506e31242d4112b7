import { createHttpClient } from '../http/client.ts';
import { connectionChecks, connectionOptionNames, type HttpClientOptions } from '../http/client-options.ts';
import type { ConnectionOptions, HttpClient } from '../http/operation.ts';
import { assertKnown, checkOptions, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { prepareReaders, type Reader } from '../core/schema.ts';
import type { ApiConnection } from './api-client.ts';

/** The names of a client's options besides those that every client takes. */
export type OwnOptionNames<Options extends ConnectionOptions> = OptionNames<Omit<Options, keyof ConnectionOptions>>;

/** The facts of a client itself, next to the options of its user. */
export interface ApiParts<Options extends ConnectionOptions> {
  readonly optionNames: OwnOptionNames<Options>;
  readonly checks: readonly OptionCheck[];
  /** The names here of options that people may try, or their places. */
  readonly otherWords?: Readonly<Record<string, string>> | undefined;
  /** The options that the client sets itself. Read after the checks. */
  readonly settings: () => Omit<Partial<HttpClientOptions>, 'api'> & Pick<HttpClientOptions, 'version'>;
  /** The readers of its most used records: `warmUp` makes their schemas. */
  readonly readers?: () => readonly Reader<unknown>[];
}

/**
 * Makes every client, `createApiClient` too: checks the options, puts the stack together, and gives what all clients have
 * besides their operations. `createMethods` and `operationOf` turn entries into those.
 * Throws one `InvalidArgumentError` for all options that can't work, with the API's name before each field.
 */
export const connectApi = <Options extends ConnectionOptions>(
  api: string,
  options: Options,
  { optionNames, checks, otherWords, settings, readers = () => [] }: ApiParts<NoInfer<Options>>,
): { readonly http: HttpClient; readonly connection: ApiConnection } => {
  const assertNames = () =>
    assertKnown<ConnectionOptions>(options, { ...connectionOptionNames, ...optionNames }, undefined, otherWords);
  checkOptions(api, [...checks, ...connectionChecks(options), assertNames]);
  const http = createHttpClient({ ...options, ...settings(), api });
  const connection: ApiConnection = {
    request: (request, call) => http.custom(request, call),
    warmUp: (options) => {
      prepareReaders(readers());
      return http.warmUp(options);
    },
    status: () => http.status(),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
  return { http, connection };
};
