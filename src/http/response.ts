/** The answer of an API. The body is already read, under the byte cap, inside the attempt's time. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The same as it came, for an operation that reads bytes. */
  readonly bytes?: Uint8Array | undefined;
  /** The id that the API gave its answer, for its support team. */
  readonly requestId?: string | undefined;
}
