import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, checkOptions, flag, oneOf, type OptionNames } from '../../core/option-checks.ts';
import type { IntegrationOptions } from '../../integration.ts';
import { type Observation, observe } from './contract-check/observe.ts';
import { type ContractProbe, type ContractSamples, type KnownWorkspace, usualProbes } from './contract-check/probes.ts';
import { compareShapes } from './contract-check/shape.ts';

export type { ContractProbe, ContractSamples } from './contract-check/probes.ts';

/** The version to try, the test workspace, and the extent of the check. */
export interface ContractCheckOptions {
  /** The test workspace, with the version that it is to be upgraded to. */
  readonly candidate: IntegrationOptions;
  /**
   * The same workspace with the version in use. Its answers are what the candidate's are compared with.
   * @defaultValue none: only what this package itself relies on is checked
   */
  readonly current?: IntegrationOptions | undefined;
  /** Records of the workspace, to be read. @defaultValue only what can be read without knowing a record */
  readonly samples?: ContractSamples | undefined;
  /**
   * Also writes: a contact, a conversation, a lead and a task per version, and a payment if `samples` has one. They are
   * marked as made by a contract check, and stay, since the APIs have no way to delete them. For test workspaces only.
   * @defaultValue false
   */
  readonly sandboxWrites?: boolean | undefined;
  /** Operations of the application's own, done after the usual ones. */
  readonly probes?: readonly ContractProbe[] | undefined;
  /** Part of everything that is written. @defaultValue a random one */
  readonly runId?: string | undefined;
}

/** The result of a contract check. Contains no value of any record. */
export interface ContractReport {
  /** Nothing breaks; there may be things to look at. */
  readonly isCompatible: boolean;
  /** The differences; those that break something are first. */
  readonly differences: readonly ContractDifference[];
  /** The operations that were done with the candidate. */
  readonly checked: readonly string[];
  /** The operations that were not: a sample is missing, or writes are not allowed. */
  readonly skipped: readonly string[];
  /** The operations that fail in both versions, so that nothing could be compared. */
  readonly failing: readonly string[];
  /** All of it, for people. */
  readonly text: string;
}

/**
 * Tries another version of an API on a test workspace before an upgrade. Does reads, and on request writes, with the
 * version in use and with the candidate. Lists operations that are refused or can't be read, fields that are missing or
 * have another type, and announced ends. Calls are made one after the other, within the limits of the options. A version
 * that fails is in the report, and isn't thrown.
 * Throws `InvalidArgumentError` for options that cannot work.
 *
 * @example
 * const { isCompatible, text } = await checkContract({
 *   current: workspace('2.11'),
 *   candidate: workspace('2.14'),
 *   samples: { phone: '+14155550100' },
 *   sandboxWrites: true,
 * });
 */
export const checkContract = async (options: ContractCheckOptions): Promise<ContractReport> => {
  assertKnown(options, optionNames);
  const { candidate, current, samples = {}, sandboxWrites = false, probes = [], runId = randomUUID() } = options;
  if (!/^[\w-]{1,64}$/.test(runId))
    throw new InvalidArgumentError('runId', 'must be 1 to 64 letters, digits, hyphens and underscores');
  checkOptions(undefined, [
    flag(options.sandboxWrites, 'sandboxWrites'),
    ...probes.map(({ effect }, index) => oneOf(effect ?? null, `probes.${index}.effect`, ['read', 'write'])),
  ]);
  const all = [...usualProbes, ...probes];
  const allowed = all.filter(({ effect }) => effect === 'read' || sandboxWrites);
  const knownBy = (version: string): KnownWorkspace => ({ ...samples, mark: `contract check ${runId} ${version}` });

  const before = current && (await observe(current, allowed, knownBy('current')));
  const after = await observe(candidate, allowed, knownBy('candidate'));

  const differences = [...after]
    .flatMap(([operation, observation]) => differencesIn(operation, observation, before?.get(operation)))
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const isAsked = (operation: string) => Object.hasOwn(candidate, operation.split('.')[0] ?? '');
  const found = {
    isCompatible: !differences.some(({ severity }) => severity === 'breaks'),
    differences,
    checked: [...after.keys()],
    skipped: all.map(({ operation }) => operation).filter((operation) => isAsked(operation) && !after.has(operation)),
    failing: [...after].flatMap(([operation, { problem }]) =>
      problem && before?.get(operation)?.problem?.kind === problem.kind ? [operation] : [],
    ),
  };
  return { ...found, text: reportText(found) };
};

const optionNames: OptionNames<ContractCheckOptions> = {
  candidate: true,
  current: true,
  samples: true,
  sandboxWrites: true,
  probes: true,
  runId: true,
};

const severities: readonly ContractDifference['severity'][] = ['breaks', 'look', 'note'];

/** The report as lines for a terminal or a pull request. */
const reportText = ({
  differences,
  checked,
  skipped,
  failing,
}: {
  readonly differences: readonly ContractDifference[];
  readonly checked: readonly string[];
  readonly skipped: readonly string[];
  readonly failing: readonly string[];
}): string =>
  [
    `${checked.length} operations checked, ${differences.length} differences.`,
    ...differences.map((difference) => `${difference.severity}: ${difference.operation} ${words(difference)}`),
    ...(failing.length > 0 ? [`Not compared, since they fail in both versions: ${failing.join(', ')}.`] : []),
    ...(skipped.length > 0 ? [`Not checked: ${skipped.join(', ')}.`] : []),
  ].join('\n');

const words = ({ kind, field, before, after }: ContractDifference): string => {
  switch (kind) {
    case 'refused':
    case 'unreadable':
    case 'failed':
      return `${kind === 'failed' ? 'fails' : `is ${kind}`}: ${after}`;
    case 'unread-field':
      return `gives ${field} in another type, and it is left out`;
    case 'missing-field':
      return `no longer gives ${field}, which was ${before}`;
    case 'changed-field':
      return `gives ${field} as ${after}, which was ${before}`;
    case 'added-field':
      return `also gives ${field} as ${after}`;
    case 'status':
      return `answers with ${after}, which was ${before}`;
    case 'deprecated':
      return `is announced to end (${after})`;
    case 'other-version':
      return `was answered in version ${after}`;
  }
};

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

/** Returns the differences in one operation. Without a current version, it judges only what this package itself relies on. */
const differencesIn = (
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
