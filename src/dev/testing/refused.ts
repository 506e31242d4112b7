export interface RefusedDetails {
  readonly field?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Thrown by a handler: the API refuses the request. Each API spells it in its own error body. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** The field or parameter that is wrong. */
  readonly field: string | undefined;
  /** In addition to the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** The other fields of the error. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, { field, headers = {}, more = {} }: RefusedDetails = {}) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
    this.field = field;
    this.headers = headers;
    this.more = more;
  }
}

/** The messaging platform's refusal of one field. */
export const invalidParameter = (field: string, problem: string) =>
  new Refused(400, 'parameter_invalid', `${field} ${problem}`, { field });
