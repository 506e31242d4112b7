import type { ContractDifference } from './differences.ts';

/** The report as lines for a terminal or a pull request. */
export const reportText = ({
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
