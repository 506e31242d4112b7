import { pace } from './pace.ts';

/** Reads at most ten pages of one list per second, so that a long list leaves the API's limit to phone calls. */
export const pacePages = <Endpoint, Page>(read: (endpoint: Endpoint) => Promise<Page>) => pace(read);
