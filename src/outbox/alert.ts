/** Something that a person should look at. */
export type Alert =
  | {
      readonly type: 'dead-letter';
      readonly id: string;
      readonly destination: string;
      readonly event: string;
      readonly reason: string;
    }
  | { readonly type: 'destination-disabled'; readonly destination: string; readonly reason: string }
  /** Messages cannot be leased or settled; it is tried again by itself. */
  | { readonly type: 'queue-failed'; readonly error: unknown };
