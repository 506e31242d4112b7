/** The address of a request that no `Request` can hold: adapters give it to the receiver, which answers 400. */
export const malformedUrl = 'http://malformed-request.invalid/';
