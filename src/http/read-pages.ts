import { UnexpectedResponseError } from '../errors.ts';

/**
 * Reads page after page, each only when it's needed. `next` on a page is where the next one is.
 * Throws `UnexpectedResponseError` for a list that leads back to where it was: it would never end.
 */
export const readPages = async function* <Place, Page extends { readonly next: Place | undefined }>(
  operation: string,
  first: Place,
  read: (place: Place) => Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  for (let place = first; ; ) {
    const page = await read(place);
    yield page;
    if (page.next === undefined) return;
    place = page.next;
    const where = JSON.stringify(place);
    if (seen.has(where))
      throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
    seen.add(where);
  }
};
