/** One thing that the doctor has checked. */
export interface Finding {
  /** `problem`: calls will fail. `warning`: they work, until something happens. */
  readonly level: 'ok' | 'warning' | 'problem';
  /** The subject, such as `crm`. */
  readonly about: string;
  /** The name of the check, a stable word such as `reachable`. */
  readonly check: string;
  readonly message: string;
  /** The advice. */
  readonly fix?: string;
}

/** Makes findings about one part. */
export interface Findings {
  readonly ok: (check: string, message: string) => Finding;
  readonly warning: (check: string, message: string, fix: string) => Finding;
  readonly problem: (check: string, message: string, fix: string) => Finding;
}

export const findingsAbout = (about: string): Findings => ({
  ok: (check, message) => ({ level: 'ok', about, check, message }),
  warning: (check, message, fix) => ({ level: 'warning', about, check, message, fix }),
  problem: (check, message, fix) => ({ level: 'problem', about, check, message, fix }),
});
