/**
 * What an answer that is no success means. `client`: the request is wrong, and repeating it is pointless.
 * `limited`: too many requests; wait and repeat. `transient`: the API failed; repeating may help.
 */
export type Classification = 'client' | 'limited' | 'transient';

/** How one API says it, from the status and, where the status is not enough, the body. */
export type Classify = (status: number, text: string) => Classification;

/** The rule of the interface document: 429 limits, 5xx is transient, every other 4xx is final. */
export const classifyByStatus: Classify = (status) => {
  if (status === 429) return 'limited';
  return status >= 500 ? 'transient' : 'client';
};
