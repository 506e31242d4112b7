import type { Finding } from '../../core/errors.ts';

/** One thing that was checked. */
export interface Checked {
  /** `problem`: a person has to fix it. `warning`: it doesn't work right now, or works until something happens. */
  readonly level: 'ok' | 'warning' | 'problem';
  /** The part of the integration, such as `crm`. */
  readonly about: string;
  /** The name of the check, a stable word such as `reachable`. */
  readonly check: string;
  readonly message: string;
  /** The advice. */
  readonly fix?: string;
}

/** Makes findings about one part. */
interface Findings {
  readonly ok: (check: string, message: string) => Checked;
  readonly warning: (check: string, message: string, fix: string) => Checked;
  readonly problem: (check: string, message: string, fix: string) => Checked;
}

export const findingsAbout = (about: string): Findings => ({
  ok: (check, message) => ({ level: 'ok', about, check, message }),
  warning: (check, message, fix) => ({ level: 'warning', about, check, message, fix }),
  problem: (check, message, fix) => ({ level: 'problem', about, check, message, fix }),
});

/** Returns whether a part could not be checked, since something doesn't answer right now. */
export const isDown = ({ level, check }: Checked): boolean =>
  level === 'warning' && (check === 'reachable' || check === 'credential');

/** Returns what an application gets of the findings with this level. */
export const findingsOf = (checked: readonly Checked[], level: Checked['level']): readonly Finding[] =>
  checked
    .filter((one) => one.level === level)
    .map(({ about, message, fix = '' }) => ({ part: about, problem: message, help: fix }));
