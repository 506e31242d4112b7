/**
 * The place of a phone call, or of one of its rows, in the address: `phone-calls/3/event-17`.
 * @param {number} id @param {string} [row] its key
 */
export const placeOf = (id, row) => ['phone-calls', id, ...(row ? [row] : [])].join('/');

/** @param {string} hash @returns {{ view: string, id: number | undefined, row: string | undefined }} */
export const readPlace = (hash) => {
  const [view = '', id, row] = hash.replace(/^#/, '').split('/');
  return { view, id: id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined, row };
};
