import { InvalidArgumentError } from '../../core/errors.ts';

/** The answer of your application or a colleague: only `true`, or an object with `approved: true`, is a yes. */
export type Approval = boolean | { readonly approved: boolean; readonly evenAfterTheCall?: boolean | undefined };

/** A yes or a no that was read. */
export type Consent = Required<Exclude<Approval, boolean>>;

/** The source of a yes or no. */
interface ConsentSource {
  /** The callback, or the field of the context. */
  readonly field: 'approve' | 'approved' | 'confirmed';
  readonly tool: string;
  /** Gets an error for everything that is neither a yes nor a plain no. It repeats no data. */
  readonly report: (error: unknown) => void;
}

/** Reads a person's yes. Everything else is a no. */
export const readConsent = (said: unknown, source: ConsentSource): Consent => {
  const { approved, evenAfterTheCall = false }: { [Name in keyof Consent]?: unknown } =
    typeof said === 'object' && said !== null ? said : { approved: said };
  if (typeof approved !== 'boolean') complain(source, `${kindOf(said)}: only true or { approved: true } is a yes`);
  if (typeof evenAfterTheCall !== 'boolean') complain(source, 'an evenAfterTheCall that must be true or false');
  return { approved: approved === true, evenAfterTheCall: evenAfterTheCall === true };
};

const complain = ({ field, tool, report }: ConsentSource, problem: string) =>
  report(new InvalidArgumentError(field, `of ${tool} ${field === 'approve' ? 'returned' : 'is'} ${problem}`));

const kindOf = (said: unknown): string => {
  if (said === null || said === undefined) return String(said);
  if (typeof said !== 'object') return `a ${typeof said}`;
  return 'approved' in said ? 'an object whose approved is neither true nor false' : 'an object without approved';
};
