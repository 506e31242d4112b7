import { UnexpectedResponseError } from '../core/errors.ts';

/**
 * Reads page after page, each only when it's needed, after a `first` that may have been read. `next` on a page is where
 * the next one is.
 * Throws `UnexpectedResponseError` for a list that leads back to where it was: it would never end.
 */
export const readPages = async function* <Place, Page extends { readonly next: Place | undefined }>(
  operation: string,
  read: (place: Place | undefined) => Promise<Page>,
  first?: Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  for (let page = await (first ?? read(undefined)); ; page = await read(page.next)) {
    yield page;
    if (page.next === undefined) return;
    const where = JSON.stringify(page.next);
    if (seen.has(where))
      throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
    seen.add(where);
  }
};
