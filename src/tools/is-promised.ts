/** What is there is not awaited: that would cost more than most checks. */
export const isPromised = <Value>(value: Value | Promise<Value>): value is Promise<Value> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
