import type { Observation } from './observe.ts';
import { compareShapes } from './shape.ts';

/** One thing in which the candidate version is not what is relied on. */
export interface ContractDifference {
  /** Such as `messaging.contacts.get`. */
  readonly operation: string;
  /**
   * `refused`, `unreadable`, `failed`: the operation does not work. `unread-field`: a field that this package knows came
   * in another type, and is left out. `missing-field`, `changed-field`, `added-field`, `status`: not as in the current
   * version. `deprecated`: its end is announced. `other-version`: it was answered in another version than was asked for.
   */
  readonly kind:
    | 'refused'
    | 'unreadable'
    | 'failed'
    | 'unread-field'
    | 'missing-field'
    | 'changed-field'
    | 'added-field'
    | 'status'
    | 'deprecated'
    | 'other-version';
  /** `breaks`: calls will fail. `look`: something is lost or will be. `note`: good to know. */
  readonly severity: 'breaks' | 'look' | 'note';
  /** The path of the field: `data[].email`. */
  readonly field?: string;
  readonly before?: string;
  readonly after?: string;
}

/** What is different in one operation. Without a current version, only what this package itself relies on is judged. */
export const differencesIn = (
  operation: string,
  candidate: Observation,
  current: Observation | undefined,
): readonly ContractDifference[] => {
  const { problem } = candidate;
  if (problem) {
    // What fails in both is no difference, but nothing was compared either.
    if (current?.problem?.kind === problem.kind) return [];
    return [{ operation, kind: problem.kind, severity: 'breaks', after: problem.message }];
  }
  const known = new Set(current?.drifted ?? []);
  const unread = candidate.drifted.filter((field) => !known.has(field));
  return [
    ...unread.map((field) => ({ operation, kind: 'unread-field', severity: 'look', field }) as const),
    ...announcements(operation, candidate, current),
    ...(current ? comparison(operation, candidate, current) : []),
  ];
};

const announcements = (
  operation: string,
  { answeredVersion, deprecation, sunset }: Observation,
  current: Observation | undefined,
): readonly ContractDifference[] => {
  const announced = [deprecation && `Deprecation: ${deprecation}`, sunset && `Sunset: ${sunset}`].filter(Boolean);
  const isNews = deprecation !== current?.deprecation || sunset !== current?.sunset;
  return [
    ...(answeredVersion === undefined
      ? []
      : [{ operation, kind: 'other-version', severity: 'look', after: answeredVersion } as const]),
    ...(announced.length > 0 && isNews
      ? [{ operation, kind: 'deprecated', severity: 'look', after: announced.join(', ') } as const]
      : []),
  ];
};

const comparison = (operation: string, candidate: Observation, current: Observation): readonly ContractDifference[] => {
  const fields = current.shape && candidate.shape ? compareShapes(current.shape, candidate.shape) : [];
  const hasOtherStatus = current.status !== candidate.status && !current.problem;
  return [
    ...(hasOtherStatus
      ? [
          {
            operation,
            kind: 'status',
            severity: 'note',
            before: String(current.status),
            after: String(candidate.status),
          } as const,
        ]
      : []),
    ...fields.map(
      (difference) =>
        ({ operation, severity: difference.kind === 'added-field' ? 'note' : 'look', ...difference }) as const,
    ),
  ];
};
