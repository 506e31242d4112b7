import type { EndpointAnswer } from '../endpoint.ts';

/** The wrapping of lists: bare, or as `{ data: [...] }` with a total. */
export type Envelope = 'array' | 'data';

/** A list in its envelope. */
export const listAnswer = (envelope: Envelope, records: readonly unknown[], totalName = 'total'): EndpointAnswer => ({
  status: 200,
  body: envelope === 'array' ? records : { data: records, [totalName]: records.length },
});
