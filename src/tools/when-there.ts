/** Goes on at once with a value that is there, and later with one that is promised: a tick costs more than a check. */
export const whenThere = <Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Next | PromiseLike<Next>,
): Next | Promise<Next> =>
  // What `next` promises is a Promise or is made one by the other branch; both are awaited alike.
  isPromised(value) ? Promise.resolve(value).then(next) : (next(value) as Next | Promise<Next>);

export const isPromised = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
