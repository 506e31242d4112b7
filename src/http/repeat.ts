import type { Repeat } from './operation.ts';

/** For writes that end the same however often they are done, such as setting fields: they may always be sent again. */
export const sendAgain: Exclude<Repeat, 'key' | 'never'> = { lookUp: async () => undefined };
