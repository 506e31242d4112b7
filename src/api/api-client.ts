import type { HttpDialect } from '../http/dialect.ts';
import type {
  ConnectionOptions,
  CustomRequest,
  HttpClientStatus,
  Operation,
  Repeat,
  RequestOptions,
  ResponseInfo,
  WarmUp,
  WarmUpOptions,
} from '../http/operation.ts';
import type { StandardSchema } from '../core/schema.ts';
import type { endpointOf } from './endpoint-of.ts';
import type { ApiVersion } from './version.ts';

/** The way to an API of your own choice, and its operations. */
export interface ApiClientOptions<Endpoints extends ApiEndpoints> extends ConnectionOptions {
  /** Begins the name of every operation, on errors and events: `orders` gives `orders.get`. */
  readonly name: string;
  /** The place of the pinned version: `{ path: 'v1' }`, `{ header: { name, value } }`, or `'in-base-url'`. @defaultValue 'in-base-url' */
  readonly version?: ApiVersion | undefined;
  /** The operations. Each becomes a method of the client. */
  readonly endpoints: Endpoints;
  /** The wording of the API's errors and limits, where status codes and `Retry-After` don't say enough. */
  readonly dialect?: HttpDialect | undefined;
}

/** The operations of an API, by the name of their method. */
export type ApiEndpoints = Readonly<Record<string, ApiEndpoint>>;

/** An operation: where it goes, what it takes, what it gives. */
export interface ApiEndpoint {
  readonly method: Operation<unknown>['method'];
  /** Relative to `baseUrl`. `{id}` takes the argument `id`; a fixed query may follow: `/orders?status=open`. */
  readonly path: string;
  /** Checks the arguments that aren't in the path. What it returns is the query. */
  readonly query?: StandardSchema<object>;
  /** Checks the argument `body`. What it returns is sent. */
  readonly body?: StandardSchema;
  /** The format of the body. `nested-form`: objects and lists as `a[b]` and `a[0]`. @defaultValue 'json' */
  readonly sends?: 'json' | 'form' | 'nested-form' | 'text';
  /** The format of the answer: `bytes` gives a `Uint8Array`, `form` an object of texts. @defaultValue 'json' */
  readonly reads?: 'json' | 'form' | 'text' | 'bytes';
  /** Checks the answer, or makes something else of it. @defaultValue the answer as it came */
  readonly returns?: StandardSchema | ((answer: never) => unknown);
  /** A 404 gives `undefined` instead of an error. */
  readonly absentOn404?: boolean;
  /** Sent with each request of this endpoint. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A `read` may always be sent again. A `payment` may use the whole deadline, and goes on when its caller hangs up
   * after it was sent. @defaultValue 'read' for GET, else 'write'
   */
  readonly effect?: 'read' | 'write' | 'payment';
  /**
   * The next step when it's unknown whether a write was done. `key`: it's sent again with the same `Idempotency-Key`, and isn't with
   * `idempotency: 'none'`. `again`: it's sent again, since it ends the same however often it's done. `never`: it isn't.
   * `lookUp` searches first. @defaultValue 'key'
   */
  readonly repeat?: Repeat;
  /**
   * Makes the endpoint a list with pages. A text is the name of the cursor: a field of the answer, and the query
   * parameter it goes into. A function returns the query of the next page, and `undefined` for the last one; what it
   * returns as `body` goes into the body.
   */
  readonly next?: string | ((page: never) => ApiNext | undefined) | undefined;
  /** The field of a page that holds its items. @defaultValue 'data', unless the page is a list itself */
  readonly items?: string;
}

/** The changes for the next page: names in the query, and fields of the body. */
export type ApiNext = { readonly body?: object } & Readonly<
  Record<string, string | number | boolean | object | undefined>
>;

/** The options of one call. */
export interface ApiCallOptions extends RequestOptions {
  /** Sent with this call, besides those of the endpoint. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A method for each endpoint, and what every client has. */
export type ApiClient<Endpoints extends ApiEndpoints> = ApiConnection & {
  readonly [Name in keyof Endpoints]: ApiMethod<Endpoints[Name]>;
};

/** An operation of a client. `toolFrom` of `./tools` makes a tool for a model of it. */
export interface ApiMethod<E extends ApiEndpoint> {
  (
    ...values: object extends ApiArguments<E>
      ? [args?: ApiArguments<E>, call?: ApiCallOptions]
      : [args: ApiArguments<E>, call?: ApiCallOptions]
  ): E extends { readonly next: {} } ? ApiPages<ApiAnswer<E>, ApiItem<E>> : ApiPromise<ApiAnswer<E>>;
  readonly [endpointOf]: EndpointInfo<E>;
}

/** The parts that a method was made of: enough to make a tool of it. */
export interface EndpointInfo<E extends ApiEndpoint> {
  /** Such as `orders.refund`. */
  readonly operation: string;
  readonly endpoint: E;
  /** The method itself, for arguments that something else has checked. */
  readonly send: (args: Readonly<Record<string, unknown>>, call: RequestOptions) => Promise<ApiAnswer<E>>;
  /** The API does the work once per idempotency key. */
  readonly knowsKeys: boolean;
}

/** The methods of every client besides its operations. */
export interface ApiConnection extends AsyncDisposable {
  /** An endpoint that this client lacks. For developers; never a tool of a model. */
  request<T>(request: CustomRequest<T>, call?: RequestOptions): Promise<T>;
  /**
   * Opens a connection and fetches the credential, so that the first request doesn't wait for them. Call it when the
   * phone rings. Never rejects.
   */
  warmUp(options?: WarmUpOptions): Promise<WarmUp>;
  /** The circuit, the rate limit and the quota of this API right now. */
  status(): HttpClientStatus;
  /** Rejects queued calls and closes connections. */
  close(): Promise<void>;
}

/** An answer that's on its way. */
export interface ApiPromise<Answer> extends Promise<Answer> {
  /** The answer with its status, headers and request id. */
  withResponse(): Promise<{ readonly data: Answer; readonly response: ResponseInfo }>;
}

/**
 * The first page of a list, and all its items: `for await` reads further pages as it gets to them, at most ten a second.
 */
export interface ApiPages<Page, Item> extends ApiPromise<Page>, AsyncIterable<Item> {}

/** The arguments of an endpoint: the names in its path, what `query` checks, and `body`. */
export type ApiArguments<E extends ApiEndpoint> = {
  readonly [Name in NamesIn<E['path']>]: string | number;
} & (E extends {
  readonly query: infer Schema;
}
  ? InputOf<Schema>
  : unknown) &
  (E extends { readonly body: infer Schema } ? { readonly body: InputOf<Schema> } : unknown);

/** The names in the braces of a path. */
export type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer After}`
  ? Name | NamesIn<After>
  : never;

/** The input of a schema. */
export type InputOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : OutputOf<Schema>
  : never;

/** The output of a schema. */
type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : never;

/** The result of an endpoint. */
export type ApiAnswer<E extends ApiEndpoint> =
  | (E extends { readonly returns: infer Returns }
      ? Returns extends (answer: never) => infer Answer
        ? Answer
        : OutputOf<Returns>
      : E extends { readonly reads: 'form' | 'text' | 'bytes' }
        ? { form: Readonly<Record<string, string>>; text: string; bytes: Uint8Array }[E['reads']]
        : unknown)
  | (E extends { readonly absentOn404: true } ? undefined : never);

/** An item of an endpoint's pages. */
type ApiItem<E extends ApiEndpoint> =
  ApiAnswer<E> extends readonly (infer Item)[]
    ? Item
    : ApiAnswer<E> extends {
          readonly [Field in E extends { readonly items: infer Name extends string }
            ? Name
            : 'data']: readonly (infer Item)[];
        }
      ? Item
      : unknown;
