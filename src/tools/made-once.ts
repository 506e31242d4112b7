/**
 * Makes something of an object once, and keeps it. Each phone call has tools of its own: without this, each would
 * describe the same arguments to the model again. That costs more than the rest of its start.
 */
export const madeOnce = /* @__NO_SIDE_EFFECTS__ */ <Key extends object, Made>(
  make: (key: Key) => Made,
): ((key: Key) => Made) => {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
};
