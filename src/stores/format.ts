import { StoreError } from '../core/errors.ts';

/** A place where a version of this package has kept something. */
export interface FoundFormat {
  /** Such as `agent.db has claims`. */
  readonly place: string;
  readonly found: number;
  /** The only one that this version reads and writes. */
  readonly known: number;
  /** Such as `a new file`. */
  readonly instead: string;
}

/**
 * Throws `StoreError` for the format of another version. Nothing is converted. Two versions that work side by side
 * would each do what the other has done.
 */
export const assertFormat = ({ place, found, known, instead }: FoundFormat): void => {
  if (found === known) return;
  const version = found < known ? 'an older' : 'a newer';
  throw new StoreError(
    `${place} of format ${found}, from ${version} version of this package, and this version works with format ${known} only: let the other version finish its work and stop it, then give this one ${instead}`,
    { outcome: 'not_sent' },
  );
};
